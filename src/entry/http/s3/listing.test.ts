import { expect, test } from 'vitest'
import { elementsIn, textIn } from './xml.ts'
import { listingOf } from './listing.ts'

const keys = ['a', 'a&b', 'b/c', 'b/d/e', 'b/d/f', 'é x']
const states = keys.map((key, i) => ({ key, size: i, at: 0, tag: `t${i}` }))

function page(query: Record<string, string>) {
  const { prefix = '' } = query
  const xml = listingOf(
    'default',
    states.filter(({ key }) => key.startsWith(prefix)),
    query,
  )
  return {
    xml,
    keys: elementsIn(xml, 'Contents').map((one) => textIn(one, 'Key')),
    folders: elementsIn(xml, 'CommonPrefixes').map((one) => textIn(one, 'Prefix')),
    next: textIn(xml, 'NextContinuationToken') ?? textIn(xml, 'NextMarker'),
    isTruncated: textIn(xml, 'IsTruncated'),
  }
}

const v2 = { 'list-type': '2' }
const plain = ['a', 'a&amp;b', 'b/c', 'b/d/e', 'b/d/f', 'é x']

test('everything in one page', () => {
  const all = page(v2)

  expect(all).toMatchObject({ keys: plain, folders: [], isTruncated: 'false', next: undefined })
  expect(all.xml).toContain('<KeyCount>6</KeyCount>')
  expect(all.xml).toContain(
    '<LastModified>1970-01-01T00:00:00.000Z</LastModified><ETag>&quot;t0&quot;</ETag><Size>0</Size>',
  )
})

test.each([
  [{ ...v2 }, 'continuation-token'],
  [{}, 'marker'],
])('page by page, nothing is left out or repeated: %j', (version, cursor) => {
  const found: (string | undefined)[] = []
  let next: string | undefined
  let pages = 0
  do {
    const some = page({
      ...version,
      'max-keys': '1',
      delimiter: '/',
      ...(next !== undefined && { [cursor]: next }),
    })
    found.push(...some.keys, ...some.folders)
    next = some.next?.replaceAll('&amp;', '&')
  } while (next !== undefined && pages++ < 10)

  expect(found).toEqual(['a', 'a&amp;b', 'b/', 'é x'])
})

test('folders below a prefix', () => {
  expect(page({ ...v2, prefix: 'b/', delimiter: '/' })).toMatchObject({ keys: ['b/c'], folders: ['b/d/'] })
})

test('start-after, and keys as clients can read any of them', () => {
  expect(page({ ...v2, 'start-after': 'b/d/e', 'encoding-type': 'url' }).keys).toEqual([
    'b/d/f',
    '%C3%A9%20x',
  ])
})

test('a page without keys does not promise more', () => {
  expect(page({ ...v2, 'max-keys': '0' })).toMatchObject({ keys: [], isTruncated: 'false' })
})

test.each([{ 'max-keys': 'x' }, { 'encoding-type': 'x' }, { 'continuation-token': '!' }])(
  '%j is refused',
  (query) => {
    expect(() => page({ ...v2, ...query })).toThrow(
      expect.objectContaining({ facts: { s3: 'InvalidArgument' } }),
    )
  },
)
