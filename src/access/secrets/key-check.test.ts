import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { bodyOf } from '../../bucket/index.ts'
import { checkKeyRing } from './key-check.ts'
import { createKeyRing } from './key-ring.ts'
import { newKeyText, parseKeys } from './keys.ts'

const first = newKeyText()
const second = newKeyText()
const ringOf = (...texts: readonly string[]) => createKeyRing(parseKeys(texts.join(','), 'x'))
const KEY = '.taco/access/key-check.json'

function start() {
  const bucket = openMemoryBucket()
  return {
    bucket,
    check: (...texts: readonly string[]) =>
      checkKeyRing({ bucket, clock: systemClock, ids: randomIds }, ringOf(...texts)),
  }
}

test('the first server decides which key the bucket has; another one is refused with the ids of both', async () => {
  const { bucket, check } = start()

  await check(first.text)
  const tag = (await bucket.head(KEY))?.tag
  await check(first.text)

  expect((await bucket.head(KEY))?.tag).toBe(tag)
  await expect(check(second.text)).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
    message: expect.stringMatching(
      new RegExp(`with the secret key ${first.id}, which .* current key is ${second.id}\\.$`),
    ),
    hint: expect.stringContaining('same keys'),
  })
})

test('of two servers that start at once with different keys, one is refused', async () => {
  const { check } = start()

  const ends = await Promise.allSettled([check(first.text), check(second.text)])

  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a new key takes over, and then a server without it is refused', async () => {
  const { check } = start()
  await check(first.text)
  await check(first.text, second.text)
  await check(second.text, first.text)

  await check(second.text)
  await expect(check(first.text)).rejects.toMatchObject({ code: 'SECRET_UNREADABLE' })
})

test('another key under the same id is named as that', async () => {
  const { check } = start()
  await check(`prod:${randomBytes(32).toString('hex')}`)

  await expect(check(`prod:${randomBytes(32).toString('hex')}`)).rejects.toMatchObject({
    message: 'The secret key prod is not the one that this bucket is used with: another key has the same id.',
  })
})

test('a damaged check is refused, and is not replaced', async () => {
  const { bucket, check } = start()
  await bucket.put(KEY, bodyOf('{"v":1}'), 'absent')

  await expect(check(first.text)).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
})
