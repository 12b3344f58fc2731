import { expect, test } from 'vitest'
import { z } from 'zod'
import { openMemoryBucket } from '../adapters/memory.ts'
import { bodyOf } from '../body.ts'
import type { Bucket } from '../bucket.ts'
import { parseDocument } from './format.ts'
import { createDocument, readDocument, swapDocument } from './read-write.ts'

const Unit = z.object({
  v: z.literal(1).optional(),
  name: z.string(),
  kind: z.enum(['plain', 'sealed']).optional(),
  inner: z.object({ at: z.array(z.union([z.literal('a'), z.literal('b')])) }).optional(),
})
const format = { schema: Unit, major: 1, minor: 0 }
const parse = (value: unknown) => parseDocument('k', Buffer.from(JSON.stringify(value)), format)

test('a document is created once, and only the last reader can change it', async () => {
  const bucket = openMemoryBucket()
  expect(await createDocument(bucket, 'k', { name: 'one' })).toMatchObject({ kind: 'written' })
  expect(await createDocument(bucket, 'k', { name: 'two' })).toEqual({ kind: 'conflict' })
  const loaded = await readDocument(bucket, 'k', format)
  if (loaded === undefined) throw new Error('it is not there')
  expect(loaded).toMatchObject({ key: 'k', value: { name: 'one' } })

  const answer = await swapDocument(bucket, loaded, { name: 'three' })

  expect(answer.kind).toBe('written')
  expect(await swapDocument(bucket, loaded, { name: 'four' })).toEqual({ kind: 'conflict' })
  expect((await readDocument(bucket, 'k', format))?.value).toEqual({ name: 'three' })
  expect(await readDocument(bucket, 'other', format)).toBeUndefined()
})

test('a conflict with one’s own write, whose answer was lost, is no conflict', async () => {
  const inner = openMemoryBucket()
  const bucket: Bucket = {
    ...inner,
    put: async (...args) => {
      await inner.put(...args)
      return { kind: 'conflict' }
    },
  }

  const answer = await createDocument(bucket, 'k', { name: 'one' })

  expect(answer).toEqual({ kind: 'written', tag: (await inner.head('k'))?.tag })
})

test('a conflict with a document that is gone by now stays one', async () => {
  const bucket: Bucket = { ...openMemoryBucket(), put: () => Promise.resolve({ kind: 'conflict' }) }

  expect(await createDocument(bucket, 'k', { name: 'one' })).toEqual({ kind: 'conflict' })
})

test('a document that is known and unchanged is neither sent nor parsed again', async () => {
  const bucket = openMemoryBucket()
  await createDocument(bucket, 'k', { name: 'one' })
  const known = await readDocument(bucket, 'k', format)

  expect(await readDocument(bucket, 'k', format, { known })).toBe(known)
  await bucket.put('k', bodyOf(JSON.stringify({ name: 'two' })), known?.tag ?? 'absent')
  expect(await readDocument(bucket, 'k', format, { known })).toMatchObject({ value: { name: 'two' } })
})

test('a reader that gave up gets no answer', async () => {
  const bucket = openMemoryBucket()
  await createDocument(bucket, 'k', { name: 'one' })
  const known = await readDocument(bucket, 'k', format)
  const signal = AbortSignal.abort()

  await expect(readDocument(bucket, 'k', format, { signal })).rejects.toThrow()
  await expect(readDocument(bucket, 'k', format, { signal, known })).rejects.toThrow()
})

test.each<[string, unknown, string, RegExp]>([
  ['a field is missing', { v: 1 }, 'BUCKET_CORRUPT', /^The document k is damaged: name/],
  ['a field has another type', { name: 1 }, 'BUCKET_CORRUPT', /damaged: name/],
  ['a word has another type', { name: 'a', kind: 1 }, 'BUCKET_CORRUPT', /damaged: kind/],
  ['a word is empty', { name: 'a', kind: '' }, 'BUCKET_CORRUPT', /damaged: kind/],
  ['a word is unknown, and more is wrong', { kind: 'new' }, 'BUCKET_CORRUPT', /damaged: name/],
  ['it is null', null, 'BUCKET_CORRUPT', /damaged/],
  ['it is a text', 'v', 'BUCKET_CORRUPT', /damaged/],
  ['its format is a text', { v: '2', name: 'a' }, 'BUCKET_NEWER', /the value "2" in v, which/],
  ['a word is unknown', { name: 'a', kind: 'new' }, 'BUCKET_NEWER', /the value "new" in kind, which/],
  [
    'a word of several kinds is unknown',
    { name: 'a', inner: { at: ['a', 'z'] } },
    'BUCKET_NEWER',
    /"z" in inner\.at\.1,/,
  ],
  ['its format is newer', { v: 2 }, 'BUCKET_NEWER', /written by a newer version of OpenTaco \(format 2\)/],
])('a document is refused when %s', (_name, value, code, message) => {
  expect(() => parse(value)).toThrow(
    expect.objectContaining({
      code,
      message: expect.stringMatching(message),
      facts: expect.objectContaining({ key: 'k' }),
      hint: expect.stringMatching(code === 'BUCKET_NEWER' ? /^Upgrade OpenTaco/ : /taco doctor --deep/),
    }),
  )
})

test('what is no JSON is damaged', () => {
  expect(() => parseDocument('k', Buffer.from('{'), format)).toThrow(
    expect.objectContaining({
      code: 'BUCKET_CORRUPT',
      message: 'The document k is not JSON.',
      facts: { key: 'k' },
      hint: expect.stringContaining('taco doctor --deep'),
      cause: expect.any(SyntaxError),
    }),
  )
})

test('a document of the format that is known is read', () => {
  expect(parse({ v: 1, name: 'a', kind: 'plain' })).toEqual({ v: 1, name: 'a', kind: 'plain' })
})
