import { expect, test } from 'vitest'
import type { Tag } from '../../bucket.ts'
import { prefixed } from '../../prefix.ts'
import { listedEntries } from './listing.ts'

async function listed(pages: readonly (readonly string[])[], after?: string): Promise<string[][]> {
  const tokens: (string | undefined)[] = []
  const found: string[][] = []
  const listing = {
    names: prefixed('ours'),
    prefix: '',
    after,
    page(token: string | undefined) {
      tokens.push(token)
      const at = Number(token ?? 0)
      const items = (pages[at] ?? []).map((name) => ({ name }))
      return Promise.resolve({ items, next: at + 1 < pages.length ? String(at + 1) : undefined })
    },
    entryOf: (key: string) => ({ key, tag: '' as Tag, size: 0, modifiedAt: 0 }),
  }
  for await (const page of listedEntries(listing)) found.push(page.map(({ key }) => key))
  expect(tokens).toEqual([undefined, ...pages.slice(1).map((_, i) => String(i + 1))])
  return found
}

test('every page is followed, and one on which nothing is left is not given', async () => {
  expect(await listed([['ours/a', 'ours/b'], [], ['ours//', 'theirs/c', 'ours/'], ['ours/d']])).toEqual([
    ['a', 'b'],
    ['d'],
  ])
  expect(await listed([[]])).toEqual([])
})

test('only keys after the one that was given are left, in the order of their bytes', async () => {
  const names = ['ours/a', 'ours/\uffee', 'ours/\u{1f32e}']

  expect(await listed([names], 'a')).toEqual([['\uffee', '\u{1f32e}']])
  expect(await listed([names], '\uffee')).toEqual([['\u{1f32e}']])
})
