import { TacoError } from '../../base/errors.ts'
import { JsonScan } from './json-scan.ts'
import { StateScan, decodeKey } from './scan.ts'

/**
 * The same state under another serial; every other byte stays. This is what a rollback writes. The state is read
 * twice, as a stream: first to find the serial, then to copy what is around it.
 */
export async function* withSerial(
  read: () => AsyncIterable<Uint8Array>,
  serial: number,
): AsyncGenerator<Uint8Array> {
  if (!Number.isSafeInteger(serial) || serial < 0) throw new RangeError(`not a serial: ${serial}`)
  const { start, end } = await locateSerial(read())
  let at = 0
  for await (const chunk of read()) {
    const before = chunk.subarray(0, clamp(start - at, chunk.length))
    const after = chunk.subarray(clamp(end - at, chunk.length))
    if (before.length > 0) yield before
    if (start >= at && start < at + chunk.length) yield Buffer.from(String(serial))
    if (after.length > 0) yield after
    at += chunk.length
  }
}

async function locateSerial(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly start: number; readonly end: number }> {
  let isSerial = false
  let start = 0
  let end = 0
  const json = new JsonScan({
    key(depth, raw, from, to) {
      if (depth === 1) isSerial = decodeKey(raw, from, to) === 'serial'
    },
    begin(depth, _first, at) {
      if (depth === 1 && isSerial) start = at
      return false
    },
    piece() {},
    end(depth, at) {
      if (depth === 1 && isSerial) end = at
    },
  })
  const state = new StateScan({ tooManyOutputs: 'unknown' })
  for await (const chunk of chunks) {
    state.push(chunk)
    json.push(chunk)
  }
  json.finish()
  if (state.finish().encrypted) {
    throw new TacoError(
      'STATE_ENCRYPTED',
      'This state is encrypted by OpenTofu, so its serial cannot be changed.',
      {
        hint: 'Pull the version, decrypt it where the key is available, raise its serial and push it.',
      },
    )
  }
  return { start, end }
}

function clamp(offset: number, most: number): number {
  return Math.max(0, Math.min(offset, most))
}
