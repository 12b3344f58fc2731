import { expect, test } from 'vitest'
import { bodyOf } from '../../src/bucket/body.ts'
import type { Bucket, Entry, ListOptions } from '../../src/bucket/bucket.ts'
import { create, tagOf } from './bucket-conditions.ts'
import type { ContractContext } from './bucket.ts'

export async function keysUnder(bucket: Bucket, prefix: string, options?: ListOptions): Promise<string[]> {
  return (await pagesUnder(bucket, prefix, options)).flat().map(({ key }) => key)
}

async function pagesUnder(
  bucket: Bucket,
  prefix: string,
  options?: ListOptions,
): Promise<(readonly Entry[])[]> {
  const pages: (readonly Entry[])[] = []
  for await (const page of bucket.list(prefix, options)) pages.push(page)
  return pages
}

export function listTests(context: ContractContext): void {
  test('a list of nothing is empty', async () => {
    const [one] = context.clients()

    expect(await keysUnder(one, context.folder())).toEqual([])
  })

  test('a write is in the very next list of another client, and a delete out of it', async () => {
    const [one, two] = context.clients()
    const folder = context.folder()

    for (let i = 0; i < 5; i++) {
      const tag = await create(one, `${folder}x/${i}`, 'old')
      expect((await pagesUnder(two, folder)).flat()).toMatchObject([{ key: `${folder}x/${i}`, tag, size: 3 }])

      const next = tagOf(await two.put(`${folder}x/${i}`, bodyOf('longer'), tag))
      expect((await pagesUnder(one, folder)).flat()).toMatchObject([{ tag: next, size: 6 }])

      await one.delete(`${folder}x/${i}`, next)
      expect(await keysUnder(two, folder)).toEqual([])
    }
  })

  test('a listed tag is the tag of the object', async () => {
    const [one, two] = context.clients()
    const folder = context.folder()
    await create(one, `${folder}a`, 'a')

    const [entry] = (await pagesUnder(two, folder)).flat()

    const head = await one.head(`${folder}a`)
    expect(entry).toMatchObject({ key: `${folder}a`, tag: head?.tag, size: 1 })
    expect(entry && (await one.put(`${folder}a`, bodyOf('b'), entry.tag)).kind).toBe('written')
  })

  test('pages hold at most the requested number, each key once, in order', async () => {
    const [one] = context.clients()
    const folder = context.folder()
    const keys = Array.from({ length: 25 }, (_, i) => `${folder}${String(i).padStart(2, '0')}/state`)
    await Promise.all(keys.map((key) => create(one, key, key)))

    const pages = await pagesUnder(one, folder, { pageSize: 10 })

    expect(pages.flat().map(({ key }) => key)).toEqual(keys)
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(10)
    expect(pages.every((page) => page.length > 0)).toBe(true)
  })

  test('a list may be left early', async () => {
    const [one] = context.clients()
    const folder = context.folder()
    await Promise.all(['a', 'b', 'c'].map((key) => create(one, folder + key, key)))

    for await (const page of one.list(folder, { pageSize: 1 })) {
      expect(page.map(({ key }) => key)).toEqual([`${folder}a`])
      break
    }

    expect(await keysUnder(one, folder, { pageSize: 2 })).toHaveLength(3)
  })

  test('a prefix may stop in the middle of a segment', async () => {
    const [one] = context.clients()
    const folder = context.folder()
    const keys = ['ne', 'net-a', 'net-b/x', 'net/y', 'nett', 'no'].map((key) => folder + key)
    await Promise.all(keys.map((key) => create(one, key, key)))

    expect(await keysUnder(one, `${folder}net`)).toEqual(
      ['net-a', 'net-b/x', 'net/y', 'nett'].map((key) => folder + key),
    )
    expect(await keysUnder(one, `${folder}net/`)).toEqual([`${folder}net/y`])
    expect(await keysUnder(one, `${folder}net-`)).toEqual(['net-a', 'net-b/x'].map((key) => folder + key))
    expect(await keysUnder(one, folder.slice(0, -1))).toEqual(keys)
    expect(await keysUnder(one, `${folder}x`)).toEqual([])
  })

  test('only keys after a given one are listed, whether that exists or not', async () => {
    const [one] = context.clients()
    const folder = context.folder()
    await Promise.all(['a', 'b/1', 'b/2', 'c'].map((key) => create(one, folder + key, key)))
    const after = (key: string, pageSize?: number) =>
      keysUnder(one, folder, { after: key, ...(pageSize === undefined ? {} : { pageSize }) })

    expect(await after(`${folder}b/1`)).toEqual([`${folder}b/2`, `${folder}c`])
    expect(await after(`${folder}b/1`, 1)).toEqual([`${folder}b/2`, `${folder}c`])
    expect(await after(`${folder}b`)).toEqual([`${folder}b/1`, `${folder}b/2`, `${folder}c`])
    expect(await after(`${folder}c`)).toEqual([])
    expect(await after('0')).toHaveLength(4)
    expect(await after('zzz')).toEqual([])
  })

  test('keys are in the order of their bytes', async () => {
    const [one] = context.clients()
    const folder = context.folder()
    const supplementary = 'supplementaryOrder' in context.skips ? [] : ['z\uff5e', 'z😀']
    const keys = ['A', 'a!b', 'a-b', 'a.b', 'a/b', 'a/c/d', 'a0', 'ab', 'b', 'z/x', 'zé', ...supplementary]
    const expected = keys.map((key) => folder + key)
    for (const key of expected.toReversed()) await create(one, key, key)

    expect(await keysUnder(one, folder)).toEqual(expected)
    expect(await keysUnder(one, folder, { pageSize: 2 })).toEqual(expected)
  })
}
