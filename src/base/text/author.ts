/** The author, for people. `who` is only what the caller says about itself, and is marked as such. */
export function sayAuthor({ by, who }: { readonly by: string; readonly who: string | null }): string {
  if (who === null) return by
  return by === 'anonymous' ? `${who} (unverified)` : `${by} (${who}, unverified)`
}

export function sayCreator(made: { readonly createdBy: string; readonly createdWho: string | null }): string {
  return sayAuthor({ by: made.createdBy, who: made.createdWho })
}
