import { TacoError } from '../../base/errors.ts'
import { createJsonScan } from './json-scan.ts'
import { decodeKey, scanState } from './scan.ts'

/** The same state under another serial; every other byte stays. This is what a rollback writes. */
export function withSerial(bytes: Uint8Array, serial: number): Uint8Array {
  if (!Number.isSafeInteger(serial) || serial < 0) throw new RangeError(`not a serial: ${serial}`)
  if (scanState(bytes).encrypted) {
    throw new TacoError(
      'STATE_ENCRYPTED',
      'This state is encrypted by OpenTofu; its serial is sealed inside and cannot be changed.',
      {
        hint: 'Pull the version, decrypt it where the key is, raise its serial and push it.',
      },
    )
  }
  const { start, end } = locateSerial(bytes)
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(String(serial)), bytes.subarray(end)])
}

function locateSerial(bytes: Uint8Array): { readonly start: number; readonly end: number } {
  let isSerial = false
  let start = 0
  let end = 0
  const json = createJsonScan({
    key(depth, raw, from, to) {
      if (depth === 1) isSerial = decodeKey(raw, from, to) === 'serial'
    },
    begin(depth, _first, at) {
      if (depth === 1 && isSerial) start = at
      return undefined
    },
    end(depth, at) {
      if (depth === 1 && isSerial) end = at
    },
  })
  json.push(bytes)
  json.finish()
  return { start, end }
}
