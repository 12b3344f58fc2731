/** A worker that served for so long did not die of its start. */
const HEALTHY_MS = 60_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 30_000

export interface BackOff {
  /** How long to wait with the replacement of a worker that lived for so long. */
  afterLifeOf(ms: number): number
}

/** The first replacement comes at once; those of workers that keep dying come ever more rarely. */
export function createBackOff(): BackOff {
  let shortLives = 0
  return {
    afterLifeOf(ms) {
      shortLives = ms < HEALTHY_MS ? shortLives + 1 : 1
      return shortLives === 1 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (shortLives - 2))
    },
  }
}
