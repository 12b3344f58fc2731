import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { type Bucket, type GetOptions, type Tag, bodyOf } from '../../bucket/index.ts'
import { withCachedStates } from './cached-states.ts'

/** A bucket that counts how often bytes were fetched. */
function counting(inner: Bucket) {
  const counts = { fetched: 0, unchanged: 0 }
  const get = async (key: string, options: GetOptions = {}) => {
    const answer = await inner.get(key, options as GetOptions & { ifNoneMatch: Tag })
    if (answer === 'unchanged') counts.unchanged++
    else counts.fetched++
    return answer
  }
  return { counts, bucket: Object.assign(Object.create(inner) as Bucket, { get: get as Bucket['get'] }) }
}

async function textOf(bucket: Bucket, key: string): Promise<string | undefined> {
  return (await (await bucket.get(key))?.bytes())?.toString()
}

test('only changed bytes are fetched again, whoever changed them', async () => {
  const store = openMemoryBucket()
  const { counts, bucket } = counting(store)
  const cached = withCachedStates(bucket)
  const first = await store.put('a', bodyOf('one'), 'absent')

  expect([await textOf(cached, 'a'), await textOf(cached, 'a')]).toEqual(['one', 'one'])
  expect(counts).toEqual({ fetched: 1, unchanged: 1 })
  if (first.kind === 'written') await store.put('a', bodyOf('two'), first.tag)
  expect(await textOf(cached, 'a')).toBe('two')
  const entry = await store.head('a')
  if (entry !== undefined) await store.delete('a', entry.tag)
  expect(await textOf(cached, 'a')).toBeUndefined()
})

test('large objects, locks and records are passed through, and so are conditions and ranges', async () => {
  const store = openMemoryBucket()
  const { counts, bucket } = counting(store)
  const cached = withCachedStates(bucket)
  const keys = ['large', 'a.tflock', '.taco/x']
  for (const key of keys) await store.put(key, bodyOf(Buffer.alloc(key === 'large' ? 300_000 : 10)), 'absent')
  await store.put('small', bodyOf('0123456789'), 'absent')

  for (const key of [...keys, ...keys]) await (await cached.get(key))?.bytes()
  const part = await cached.get('small', { range: { start: 2, end: 4 } })

  expect(counts).toEqual({ fetched: 7, unchanged: 0 })
  expect((await part?.bytes())?.toString()).toBe('234')
  const found = await cached.get('small')
  expect(await cached.get('small', { ifNoneMatch: found?.tag ?? ('' as Tag) })).toBe('unchanged')
})

test('it holds no more than it may', async () => {
  const store = openMemoryBucket()
  const { counts, bucket } = counting(store)
  const cached = withCachedStates(bucket, 10_000)
  for (const key of ['a', 'b', 'c']) await store.put(key, bodyOf(Buffer.alloc(4000)), 'absent')

  for (const key of ['a', 'b', 'c', 'a']) await textOf(cached, key)

  expect(counts).toEqual({ fetched: 4, unchanged: 0 })
})

test('what is at hand is current, whoever writes, and disappears with the object', async () => {
  const store = openMemoryBucket()
  let newest: string | undefined
  const confirming = Object.assign(Object.create(store) as Bucket, {
    confirmer: (_: string, tag: Tag) => () => tag === newest,
  })
  const cached = withCachedStates(confirming)
  async function write(text: string, when: Tag | 'absent'): Promise<Tag> {
    const answer = await store.put('a', bodyOf(text), when)
    if (answer.kind === 'conflict') throw new Error('nobody else writes here')
    newest = answer.tag
    return answer.tag
  }

  const first = await write('one', 'absent')
  expect(cached.atHand?.('a')).toBeUndefined()
  await textOf(cached, 'a')
  expect(cached.atHand?.('a')?.content.toString()).toBe('one')
  await write('two', first)
  expect(cached.atHand?.('a')).toBeUndefined()
  expect([await textOf(cached, 'a'), cached.atHand?.('a')?.content.toString()]).toEqual(['two', 'two'])
})

test('nothing is at hand if the bucket cannot confirm it without a promise', async () => {
  const store = openMemoryBucket()
  const cached = withCachedStates(store)
  await store.put('a', bodyOf('one'), 'absent')

  await textOf(cached, 'a')

  expect(cached.atHand?.('a')).toBeUndefined()
})
