import { expect, test } from 'vitest'
import { createKeyRing } from './key-ring.ts'
import { newKeyText, parseKeys } from './keys.ts'
import { SealedText, openText, sealAgain } from './sealed.ts'

const first = newKeyText()
const second = newKeyText()
const before = createKeyRing(parseKeys(first.text, 'x'))
const after = createKeyRing(parseKeys(`${second.text},${first.text}`, 'x'))
const context = 'provider okta secret'
const sealed = before.seal('s1', context)

test('a document is refused if a sealed field is in the clear', () => {
  expect(SealedText.safeParse(sealed).success).toBe(true)
  expect(SealedText.safeParse('s1').success).toBe(false)
})

test('a text of the current key stays as it is; one of an older key is sealed again', () => {
  expect(sealAgain(before, sealed, context)).toBe(sealed)

  const again = sealAgain(after, sealed, context)

  expect(after.isCurrent(again)).toBe(true)
  expect(openText(after, again, context)).toBe('s1')
  expect(sealAgain(after, again, context)).toBe(again)
})

test('what cannot be opened, or was moved from elsewhere, stays as it is', () => {
  const without = createKeyRing(parseKeys(second.text, 'x'))

  expect(sealAgain(without, sealed, context)).toBe(sealed)
  expect(sealAgain(after, sealed, 'provider other secret')).toBe(sealed)
})
