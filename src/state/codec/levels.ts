/** A stored version by its place in the unit's history. */
export interface Link {
  readonly seq: number
  readonly id: string
}

/** The versions that others may be stored against: the last self-contained one, and the last one stored against it. */
export interface Chain {
  readonly full?: Link
  readonly mid?: Link
}

export interface Placement {
  readonly level: 'full' | 'mid' | 'leaf'
  readonly base: Link | undefined
}

const FULL_EVERY = 196
const MID_EVERY = 14

/**
 * Decides which version `seq` is stored against, so that reading any version takes at most three objects: itself, a
 * mid, a full. With one full per 196 versions and one mid per 14, differences stay small and fulls are rare. Gaps in
 * the numbers are fine: the next version replaces a missing full or mid.
 */
export function baseFor(seq: number, chain: Chain): Placement {
  const { full, mid } = chain
  if (full === undefined || full.seq < seq - (seq % FULL_EVERY) || full.seq >= seq)
    return { level: 'full', base: undefined }
  const block = seq - (seq % MID_EVERY)
  if (full.seq >= block) return { level: 'leaf', base: full }
  if (mid === undefined || mid.seq < block || mid.seq <= full.seq || mid.seq >= seq)
    return { level: 'mid', base: full }
  return { level: 'leaf', base: mid }
}

/** The chain after a version was stored. A self-contained version is the better base for all that follow. */
export function chainAfter(
  chain: Chain,
  version: Link,
  stored: { level: Placement['level']; kind: 'full' | 'delta' },
): Chain {
  if (stored.kind === 'full') return { full: version }
  return stored.level === 'mid' && chain.full !== undefined ? { full: chain.full, mid: version } : chain
}
