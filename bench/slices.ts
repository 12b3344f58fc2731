export interface Pace {
  readonly rounds: number
  readonly sliceMs: number
}

/** What one slice did. */
export interface Slice {
  readonly count: number
  readonly ms: number
}

/**
 * Runs the variants in turn, slice by slice, so that whatever else the machine does meets all of them alike; the order
 * turns around every round. Gives operations per second, one figure per round and variant.
 */
export async function interleaved<K extends string>(
  pace: Pace,
  variants: Readonly<Record<K, (ms: number) => Promise<Slice>>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(variants) as K[]
  const rates = Object.fromEntries(names.map((name): [string, number[]] => [name, []])) as Record<K, number[]>
  for (const name of names) await variants[name](pace.sliceMs / 2)
  for (let round = 0; round < pace.rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { count, ms } = await variants[name](pace.sliceMs)
      rates[name].push((1000 * count) / ms)
    }
  }
  return rates
}

/** The median of the rounds' ratios, in percent: neighbours in time are compared, not averages. */
export function percent(rates: readonly number[], against: readonly number[]): number {
  return median(rates.map((rate, round) => (100 * rate) / (against[round] ?? Number.NaN)))
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
