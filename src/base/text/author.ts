interface Author {
  readonly by: string
  /** Absent or null: the caller said nothing. */
  readonly who?: string | null
}

/** The author, for people. `who` is only what the caller says about itself, and is marked as such. */
export function sayAuthor({ by, who = null }: Author): string {
  const name = sayPrincipal(by)
  if (who === null) return name
  return by === 'anonymous' ? `${who} (unverified)` : `${name} (${who}, unverified)`
}

/** People by their name alone. Everything else says what it is, and so does a person with the name of something else. */
export function sayPrincipal(by: string): string {
  const [, login] = /^user:([^:]+)$/.exec(by) ?? []
  return login === undefined || login === 'anonymous' ? by : login
}

export function sayCreator(made: { readonly createdBy: string; readonly createdWho: string | null }): string {
  return sayAuthor({ by: made.createdBy, who: made.createdWho })
}
