import { canonical, isObject, parseExact, written } from './exact.ts'
import { findRegions } from './regions.ts'

export interface OutputValue {
  /** Canonical JSON of the type. */
  readonly type: string
  /** The value as JSON text: every digit of a number kept. */
  readonly json: string
}

/** The outputs of a plain state, sensitive ones included: whoever asks must have the right. */
export function readOutputValues(state: Uint8Array): ReadonlyMap<string, OutputValue> {
  const values = new Map<string, OutputValue>()
  for (const [name, region] of findRegions(state).outputs) {
    const output = parseExact(Buffer.from(state.subarray(region.start, region.end)).toString('utf8'))
    if (!isObject(output)) continue
    values.set(name, {
      type: canonical(output.get('type') ?? 'dynamic'),
      json: written(output.get('value') ?? null),
    })
  }
  return values
}
