import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeEncryptedState } from '../../../bench/fixtures.ts'
import { withSerial } from './rewrite.ts'

/** In pieces of `size` bytes, each in memory that is used again for the next. */
function pieces(bytes: Uint8Array, size: number) {
  return async function* () {
    const piece = Buffer.alloc(size)
    for (let at = 0; at < bytes.length; at += size) {
      const some = bytes.subarray(at, at + size)
      piece.set(some)
      yield piece.subarray(0, some.length)
    }
  }
}

async function changed(bytes: Uint8Array, serial: number, size = 7): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of withSerial(pieces(bytes, size), serial)) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

test.each([1, 2, 3, 50, 1000])(
  'only the digits of the serial change, cut into pieces of %i',
  async (size) => {
    const text =
      '{ "x": {"serial": 1, "é": "\\"serial\\": 2"},\n"serial"  :\t789 ,"lineage":"l", "version":4, "resources": [{"serial": 3}]}\n'

    expect((await changed(Buffer.from(text), 1234, size)).toString()).toBe(text.replace('\t789 ', '\t1234 '))
  },
)

test('any state gets any serial, and the old one back gives the old bytes', async () => {
  const state = fc.record({ a: fc.jsonValue(), serial: fc.nat(), indent: fc.nat(3), behind: fc.jsonValue() })

  await fc.assert(
    fc.asyncProperty(state, fc.maxSafeNat(), async ({ a, serial, indent, behind }, next) => {
      const bytes = Buffer.from(
        JSON.stringify({ a, version: 4, serial, lineage: 'l', behind }, undefined, indent),
      )
      const other = await changed(bytes, next)

      expect(JSON.parse(other.toString())).toEqual(
        JSON.parse(JSON.stringify({ a, version: 4, serial: next, lineage: 'l', behind })),
      )
      expect(Buffer.compare(await changed(other, serial), bytes)).toBe(0)
    }),
  )
})

test('the serial of an encrypted state is not changed', async () => {
  await expect(changed(makeEncryptedState({ bytes: 500 }), 2)).rejects.toMatchObject({
    code: 'STATE_ENCRYPTED',
  })
})
