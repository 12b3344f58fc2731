import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { type Bucket, bodyOf } from '../../bucket/index.ts'
import { rehearsing } from './dry-run-bucket.ts'

async function contentOf(bucket: Bucket): Promise<Record<string, string>> {
  const content: Record<string, string> = {}
  for await (const page of bucket.list(''))
    for (const { key } of page) content[key] = String(await (await bucket.get(key))?.bytes())
  return content
}

async function setUp() {
  const real = openMemoryBucket({ pageSize: 2 })
  for (const key of ['b', 'd', 'f']) await real.put(key, bodyOf(`real ${key}`), 'absent')
  return { real, rehearsal: rehearsing(real), before: await contentOf(real) }
}

async function tagOf(bucket: Bucket, key: string) {
  const tag = (await bucket.head(key))?.tag
  if (tag === undefined) throw new Error(`there is no ${key}`)
  return tag
}

test('what is written and deleted is found again in order, and the bucket stays as it was', async () => {
  const { real, rehearsal, before } = await setUp()

  for (const key of ['a', 'c', 'e', 'g'])
    expect((await rehearsal.put(key, bodyOf(`new ${key}`), 'absent')).kind).toBe('written')
  expect((await rehearsal.put('d', bodyOf('new d'), await tagOf(rehearsal, 'd'))).kind).toBe('written')
  expect(await rehearsal.delete('b', await tagOf(rehearsal, 'b'))).toBe('deleted')

  const after = await contentOf(rehearsal)
  expect(Object.entries(after).map(([key, text]) => `${key}: ${text}`)).toEqual([
    'a: new a',
    'c: new c',
    'd: new d',
    'e: new e',
    'f: real f',
    'g: new g',
  ])
  expect(await rehearsal.get('b')).toBeUndefined()
  expect(await contentOf(real)).toEqual(before)
})

test('conditions hold as in the bucket, before and after the first write of a key', async () => {
  const { rehearsal } = await setUp()
  const old = await tagOf(rehearsal, 'b')

  expect(await rehearsal.put('b', bodyOf('x'), 'absent')).toEqual({ kind: 'conflict' })
  expect(await rehearsal.put('nowhere', bodyOf('x'), old)).toEqual({ kind: 'conflict' })
  expect(await rehearsal.delete('d', old)).toEqual({ kind: 'conflict' })
  expect(await rehearsal.delete('nowhere', old)).toBe('absent')
  expect((await rehearsal.put('b', bodyOf('x'), old)).kind).toBe('written')
  expect(await rehearsal.put('b', bodyOf('y'), old)).toEqual({ kind: 'conflict' })
  expect(await rehearsal.delete('b', await tagOf(rehearsal, 'b'))).toBe('deleted')
  expect((await rehearsal.put('b', bodyOf('again'), 'absent')).kind).toBe('written')
})
