/** Who did something, for people. `who` is only what the caller says of itself, and is marked so. */
export function sayAuthor({ by, who }: { readonly by: string; readonly who: string | null }): string {
  if (who === null) return by
  return by === 'anonymous' ? `${who} (unverified)` : `${by} (${who}, unverified)`
}

export function sayCreator(made: { readonly createdBy: string; readonly createdWho: string | null }): string {
  return sayAuthor({ by: made.createdBy, who: made.createdWho })
}
