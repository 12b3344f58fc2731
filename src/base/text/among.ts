/** Fewer are looked through faster than they are indexed. */
const FEW = 8

/** Returns a check of whether a name is one of these; without names, every name is. Fast for any number of names. */
export function among(names: readonly string[] | null | undefined): (name: string) => boolean {
  if (names === null || names === undefined) return () => true
  if (names.length <= FEW) return (name) => names.includes(name)
  const all = new Set(names)
  return (name) => all.has(name)
}
