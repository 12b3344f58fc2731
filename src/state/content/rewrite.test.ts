import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeEncryptedState } from '../../../bench/fixtures.ts'
import { withSerial } from './rewrite.ts'

test('only the digits of the serial change', () => {
  const text =
    '{ "x": {"serial": 1, "é": "\\"serial\\": 2"},\n"serial"  :\t7 ,"lineage":"l", "version":4, "resources": [{"serial": 3}]}\n'

  expect(Buffer.from(withSerial(Buffer.from(text), 1234)).toString()).toBe(text.replace('\t7 ', '\t1234 '))
})

test('any state gets any serial, and the old one back gives the old bytes', () => {
  const state = fc.record({ a: fc.jsonValue(), serial: fc.nat(), indent: fc.nat(3), behind: fc.jsonValue() })

  fc.assert(
    fc.property(state, fc.maxSafeNat(), ({ a, serial, indent, behind }, next) => {
      const bytes = Buffer.from(
        JSON.stringify({ a, version: 4, serial, lineage: 'l', behind }, undefined, indent),
      )
      const changed = withSerial(bytes, next)

      expect(JSON.parse(Buffer.from(changed).toString())).toEqual(
        JSON.parse(JSON.stringify({ a, version: 4, serial: next, lineage: 'l', behind })),
      )
      expect(Buffer.compare(withSerial(changed, serial), bytes)).toBe(0)
    }),
  )
})

test('the serial of an encrypted state is not changed', () => {
  expect(() => withSerial(makeEncryptedState({ bytes: 500 }), 2)).toThrow(
    expect.objectContaining({ code: 'STATE_ENCRYPTED' }),
  )
})
