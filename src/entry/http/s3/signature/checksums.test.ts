import { expect, test } from 'vitest'
import { createChecksum } from './checksums.ts'

/** The check values of the catalogue of CRC algorithms, for the text 123456789. */
test.each([
  ['x-amz-checksum-crc32', 'cbf43926'],
  ['x-amz-checksum-crc32c', 'e3069283'],
  ['x-amz-checksum-crc64nvme', 'ae8b14860a799888'],
  ['x-amz-checksum-sha1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
  ['x-amz-checksum-sha256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
])('%s, in one piece and in several', (name, hex) => {
  const expected = Buffer.from(hex, 'hex').toString('base64')
  const whole = createChecksum(name)
  whole?.update(Buffer.from('123456789'))
  expect(whole?.digest()).toBe(expected)
  const pieces = createChecksum(name.toUpperCase())
  for (const piece of ['1', '', '2345678', '9']) pieces?.update(Buffer.from(piece))
  expect(pieces?.digest()).toBe(expected)
})

test('an unknown one is not checked', () => {
  expect(createChecksum('x-amz-checksum-xyz')).toBeUndefined()
})
