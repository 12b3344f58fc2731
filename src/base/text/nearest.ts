/** A message for people names at most this many and counts the rest. */
export const MOST_NAMED = 100

export function sayNames(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  if (names.length === 0) return 'none'
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The most pairs of characters to compare for one guess: a guess is a courtesy, and it blocks the server. */
const MOST_COMPARED = 2_000_000

/** The candidate most like what was typed, if one is like enough to be meant. */
export function nearest(typed: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.max(1, Math.floor(typed.length * 0.4)) + 1
  let left = MOST_COMPARED
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) >= least) continue
    left -= typed.length * candidate.length
    if (left < 0) break
    const distance = distanceOf(typed, candidate, least)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** Units are also found by the last or the first part of their name. */
export function nearestUnit(typed: string, names: readonly string[]): string | undefined {
  return (
    nearest(typed, names) ??
    names.find((name) => name.endsWith(`/${typed}`)) ??
    names.find((name) => name.startsWith(`${typed}/`))
  )
}

/** A hint: the guess, if there is one, before the rest. */
export function didYouMean(guess: string | undefined, rest: string): string {
  return guess === undefined ? rest : `Did you mean ${guess}? ${rest}`
}

/** Edits and swaps of neighbours (optimal string alignment); stops at `limit`. */
export function distanceOf(a: string, b: string, limit = Infinity): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    if (Math.min(...row) >= limit) return limit
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
