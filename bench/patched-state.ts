import { makeState } from './fixtures.ts'

const FIRST_SERIAL = 1_000_001

/** A state whose serial and one resource change in place, so that making the next one costs nothing. */
export interface PatchedState {
  readonly bytes: Buffer
  readonly serial: number
  /** The same buffer with the next serial and another resource changed. */
  next(): Buffer
}

export function patchedState(size: number, seed: number): PatchedState {
  const bytes = makeState({ bytes: size, serial: FIRST_SERIAL, seed, lineage: lineageOf(seed) })
  const serialAt = bytes.indexOf('"serial": ') + '"serial": '.length
  const places: number[] = []
  for (let at = bytes.indexOf('"Revision": "r0-'); at !== -1; at = bytes.indexOf('"Revision": "r0-', at + 1))
    places.push(at + '"Revision": "r0-'.length)
  let serial = FIRST_SERIAL
  return {
    bytes,
    get serial() {
      return serial
    },
    next() {
      serial++
      bytes.write(String(serial), serialAt, 'latin1')
      bytes.write(
        serial.toString(16).padStart(8, '0'),
        places[(serial * 7919) % places.length] ?? serialAt,
        'latin1',
      )
      return bytes
    },
  }
}

function lineageOf(seed: number): string {
  return `00000000-0000-4000-8000-${String(seed).padStart(12, '0')}`
}
