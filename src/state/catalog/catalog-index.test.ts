import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Tag } from '../../bucket/index.ts'
import type { CatalogEntry } from './catalog-entry.ts'
import { createCatalogIndex } from './catalog-index.ts'
import { byName } from './catalog-order.ts'

function entryOf(id: number, name: string, rev: number, deletedAt: number): CatalogEntry {
  const text = JSON.stringify({ view: { key: `${name}/terraform.tfstate` } })
  return { id: `ws-${id}`, name, rev, tag: `${rev}` as Tag, deletedAt, seenAt: 0, text }
}

const change = fc.record({
  id: fc.nat(30),
  name: fc.constantFrom('a', 'b', 'b/c', 'd', 'e'),
  doing: fc.constantFrom('set', 'set', 'set', 'delete', 'look', 'remove'),
})

test('entries are in order and found by name after whatever came and went', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const index = createCatalogIndex()
      const model = new Map<string, CatalogEntry>()
      for (const [rev, { id, name, doing }] of changes.entries()) {
        const entry = entryOf(id, name, rev, doing === 'delete' ? 1 : 0)
        if (doing === 'look') index.inOrder()
        else if (doing === 'remove') {
          index.delete(entry.id)
          model.delete(entry.id)
        } else {
          index.set(entry)
          model.set(entry.id, entry)
        }
      }

      const expected = [...model.values()].sort(byName)
      expect(index.inOrder()).toEqual(expected)
      for (const name of ['a', 'b', 'd'])
        expect(index.liveByName(name)).toBe(
          expected.find((entry) => entry.name === name && entry.deletedAt === 0)?.id,
        )
    }),
  )
})

test('packing changes neither the order nor what the entries say', async () => {
  const index = createCatalogIndex()
  const names = Array.from({ length: 1500 }, (_, i) => `unit-${(i * 7919) % 1500}`)
  for (const [i, name] of names.entries()) {
    index.set(entryOf(i, name, 1, 0))
    if (i % 400 === 0) index.inOrder()
    if (i % 700 === 0) await index.packLoose()
  }
  await index.packLoose()

  expect(index.inOrder().map(({ name }) => name)).toEqual(names.toSorted())
  for (const name of names) expect(index.byKey(`${name}/terraform.tfstate`)).toBe(index.liveByName(name))
  expect(index.inOrder().filter(({ text }) => typeof text !== 'string').length).toBeGreaterThan(1000)
})
