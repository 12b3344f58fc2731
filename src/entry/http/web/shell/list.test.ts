import { expect, test } from 'vitest'
import { ListQuery, arrange } from './list.tsx'
import { renderPart } from './render.ts'
import { type Column, CursorFooter } from './table.tsx'

interface Row {
  readonly name: string
  readonly size: number | null
}
const columns: readonly Column<Row>[] = [
  { name: 'name', label: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
  { name: 'size', label: 'Size', cell: ({ size }) => size, value: ({ size }) => size },
]
const rows: readonly Row[] = Array.from({ length: 120 }, (_, i) => ({
  name: `row-${i}`,
  size: i === 0 ? null : i,
}))
const names = (found: readonly Row[]) => found.map(({ name }) => name)

test('a page shows a part of the list, and an export has all of it', () => {
  const list = arrange(rows, columns, { page: 3 })
  expect([list.items.length, list.found.length, list.paging]).toEqual([
    20,
    120,
    { page: 3, size: 50, total: 120 },
  ])
  expect(arrange(rows, columns, { page: -4 }).paging.page).toBe(1)
  expect(arrange(rows, columns, { page: 99 }).paging.page).toBe(3)
})

test('a list is searched in every column and sorted by any; what has no value comes last', () => {
  expect(arrange(rows, columns, { search: 'ROW-11' }).found).toHaveLength(11)
  expect(names(arrange(rows, columns, { sort: '-size', search: 'row-1' }).items).slice(0, 2)).toEqual([
    'row-119',
    'row-118',
  ])
  expect(names(arrange(rows, columns, { sort: '-size' }).found).at(-1)).toBe('row-0')
  expect(names(arrange(rows, columns, { sort: 'nothing' }).found)).toEqual(names(rows))
})

test('what is wrong in an address is left out', () => {
  expect(ListQuery.parse({ page: 'x', format: 'exe', sort: ['a', 'b'] })).toEqual({ search: '', page: 1 })
})

test('exports of a list that is paged by a cursor begin at its beginning', () => {
  const html = renderPart(CursorFooter({ path: '/app?state=done&cursor=c1', next: 'c2' }))
  expect([...html.matchAll(/href="([^"]+)"/g)].map(([, to]) => to?.replaceAll('&amp;', '&'))).toEqual([
    '/app?state=done',
    '/app?state=done&cursor=c2',
    '/app?state=done&format=csv',
    '/app?state=done&format=json',
  ])
  expect(renderPart(CursorFooter({ path: '/app?state=done', next: undefined }))).not.toContain('First page')
})
