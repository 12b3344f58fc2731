import { expect, test } from 'vitest'
import { createKeyRing } from './key-ring.ts'
import { newKeyText, parseKeys } from './keys.ts'
import { SealedText, openText, sealAgain, sealFieldsAgain } from './sealed.ts'

const first = newKeyText()
const second = newKeyText()
const before = createKeyRing(parseKeys(first.text, 'x'))
const after = createKeyRing(parseKeys(`${second.text},${first.text}`, 'x'))
const contexts = { secret: 'provider okta secret', refresh: 'provider okta refresh' }
const stored = { name: 'okta', secret: before.seal('s1', contexts.secret), refresh: undefined }

test('a document is refused if a sealed field is in the clear', () => {
  expect(SealedText.safeParse(stored.secret).success).toBe(true)
  expect(SealedText.safeParse('s1').success).toBe(false)
})

test('under the same key a document stays as it is', () => {
  expect(sealFieldsAgain(before, stored, contexts)).toBe(stored)
  expect(sealAgain(before, stored.secret, contexts.secret)).toBe(stored.secret)
})

test('its next write seals its fields with the new key', () => {
  const written = sealFieldsAgain(after, stored, contexts)

  expect(written).toMatchObject({ name: 'okta', refresh: undefined })
  expect(after.isCurrent(written.secret)).toBe(true)
  expect(openText(after, written.secret, contexts.secret)).toBe('s1')
  expect(sealFieldsAgain(after, written, contexts)).toBe(written)
})

test('a field that was moved from elsewhere is not sealed again', () => {
  const moved = { ...stored, refresh: stored.secret }

  expect(() => sealFieldsAgain(after, moved, contexts)).toThrow(
    expect.objectContaining({ code: 'SECRET_UNREADABLE' }),
  )
})
