import { createHmac, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyRing } from './key-ring.ts'
import { newKeyText, parseKeys } from './keys.ts'

const first = newKeyText()
const second = newKeyText()
const ringOf = (...texts: readonly string[]) => createKeyRing(parseKeys(texts.join(','), 'x'))
const ring = ringOf(first.text)
const unreadable = (keyId?: string) =>
  expect.objectContaining({
    code: 'SECRET_UNREADABLE',
    ...(keyId === undefined ? {} : { facts: expect.objectContaining({ keyId }) }),
  })

test('what was sealed is opened in its context, as text or as bytes', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.string().map((text) => `${text}ü€😀`),
      ),
      fc.string(),
      (plain, context) => {
        const sealed = ring.seal(plain, context)

        expect(sealed).toMatch(/^v1\.[0-9a-f]{12}\.[0-9A-Za-z_-]+$/)
        expect(ring.open(sealed, context).equals(Buffer.from(plain as string))).toBe(true)
      },
    ),
  )
})

test('nothing opens it in another context', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (plain, context, other) => {
      fc.pre(context !== other)
      expect(() => ring.open(ring.seal(plain, context), other)).toThrow(unreadable(first.id))
    }),
  )
})

test('every change of every character is refused', () => {
  const sealed = ring.seal('the secret', 'context')
  for (let at = 0; at < sealed.length; at++) {
    for (const by of ['A', 'B', 'g', 'w', '0', '-', '_', '.', '=', ' ', '']) {
      if (by === sealed[at]) continue
      const changed = sealed.slice(0, at) + by + sealed.slice(at + 1)
      expect(() => ring.open(changed, 'context'), changed).toThrow(unreadable())
    }
  }
})

test.each(['', 'v1', 'v1..', `v1.${first.id}.`, `v1.${first.id}.AAAA`, 'plain text', `v2.${first.id}.AAAA`])(
  '%j is refused',
  (text) => {
    expect(() => ring.open(text, 'context')).toThrow(unreadable())
  },
)

test('the same text never looks the same twice', () => {
  expect(ring.seal('a', 'c')).not.toBe(ring.seal('a', 'c'))
})

test('after a new key became current, what the old one sealed is opened and known as old', () => {
  const old = ring.seal('secret', 'c')
  const both = ringOf(second.text, first.text)
  const fresh = both.seal('secret', 'c')

  expect(both.currentKeyId).toBe(second.id)
  expect(both.open(old, 'c').toString()).toBe('secret')
  expect([both.isCurrent(old), both.isCurrent(fresh), ring.isCurrent(old)]).toEqual([false, true, true])
  expect(() => ring.open(fresh, 'c')).toThrow(
    expect.objectContaining({
      message: `The secret key ${second.id} is missing, and something needs it.`,
      hint: expect.stringContaining('TACO_SECRET_KEY'),
    }),
  )
  expect(() => ring.mac('token', 'x', second.id)).toThrow(unreadable(second.id))
})

test('another key under the same id opens nothing', () => {
  const one = ringOf(`k:${randomBytes(32).toString('hex')}`)
  const other = ringOf(`k:${randomBytes(32).toString('hex')}`)

  expect(() => other.open(one.seal('secret', 'c'), 'c')).toThrow(unreadable('k'))
})

test('a hash depends on the key, the purpose and the data, and on nothing else', () => {
  const both = ringOf(second.text, first.text)
  const { keyId, mac } = ring.mac('token', 'abc')

  expect(keyId).toBe(first.id)
  expect(mac).toHaveLength(32)
  expect(both.mac('token', Buffer.from('abc'), first.id)).toEqual({ keyId, mac })
  expect(both.mac('token', 'abc').mac).not.toEqual(mac)
  expect(ring.mac('cookie', 'abc').mac).not.toEqual(mac)
  expect(ring.mac('token', 'abd').mac).not.toEqual(mac)
  const [, raw = ''] = first.text.split(':')
  expect(createHmac('sha256', Buffer.from(raw, 'base64')).update('abc').digest()).not.toEqual(mac)
})

test('printing a ring or its keys prints no key', () => {
  const keys = parseKeys(first.text, 'x')
  const [, raw = ''] = first.text.split(':')
  const printed = inspect([ring, keys], { depth: 9, showHidden: true }) + JSON.stringify([ring, keys])

  expect(printed).not.toContain(raw.slice(0, 10))
  expect(printed.toLowerCase()).not.toContain(Buffer.from(raw, 'base64').toString('hex').slice(0, 10))
})
