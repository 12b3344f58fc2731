import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newKeyText, parseKeys } from './keys.ts'

const one = randomBytes(32)
const other = randomBytes(32)
const base64 = one.toString('base64')
const ids = (text: string) => parseKeys(text, 'x').map(({ id }) => id)

test.each([
  ['base64', base64],
  ['base64 without padding', base64.replace('=', '')],
  ['base64url', one.toString('base64url')],
  ['hexadecimal digits', one.toString('hex')],
  ['capital hexadecimal digits', one.toString('hex').toUpperCase()],
  ['with an id', `my-key_1:${base64}`],
  ['with spaces and line ends', `  ${base64} \r\n`],
  ['with comments', `# current\n${base64} # since May\n\n`],
  ['given twice', `${base64},${one.toString('hex')}`],
])('a key is read: %s', (_, text) => {
  const keys = parseKeys(text, 'x')

  expect(keys.map(({ key }) => key.export())).toEqual([one])
})

test('several keys keep their order, and one without an id always gets the same', () => {
  const text = `b:${other.toString('hex')}, ${base64}`

  expect(ids(text)).toEqual(['b', expect.stringMatching(/^[0-9a-f]{12}$/)])
  expect(ids(text.replace(', ', '\n'))).toEqual(ids(text))
  expect(ids(one.toString('hex'))).toEqual(ids(base64))
})

test('a new key is accepted, with its own id', () => {
  const { id, text } = newKeyText()

  expect(ids(text)).toEqual([id])
  expect(ids(text.replace(`${id}:`, ''))).toEqual([id])
  expect(newKeyText().text).not.toBe(text)
})

test.each([
  ['', /^There is no key in the place\.$/],
  ['# nothing\n , \n', /^There is no key/],
  ['correct-horse-battery-staple', /^Key 1 of the place is not 32 bytes/],
  [`${base64},!`, /^Key 2 of the place is not 32 bytes/],
  [randomBytes(31).toString('base64'), /is not 32 bytes/],
  [randomBytes(33).toString('base64'), /is not 32 bytes/],
  [randomBytes(16).toString('hex'), /is not 32 bytes/],
  ['0'.repeat(64), /^Key 1 of the place is not random\.$/],
  [Buffer.from('passwordpasswordpasswordpassword').toString('base64'), /is not random/],
  [`:${base64}`, /has an unusable id/],
  [`a.b:${base64}`, /has an unusable id/],
  [`${'a'.repeat(33)}:${base64}`, /has an unusable id/],
  [`a:${base64},a:${other.toString('base64')}`, /^the place has two different keys with the id a\.$/],
])('%j is refused', (text, message) => {
  expect(() => parseKeys(text, 'the place')).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(message) }),
  )
})

test('a message never repeats what may be a part of a key', () => {
  fc.assert(
    fc.property(fc.base64String({ minLength: 20 }), (text) => {
      try {
        parseKeys(`ok:${base64},${text}`, 'x')
      } catch (error) {
        const { message, hint } = error as { message: string; hint: string }
        expect(message + hint).not.toContain(text.slice(0, 12))
        expect(message + hint).not.toContain(base64.slice(0, 12))
      }
    }),
  )
})
