import { expect, test } from 'vitest'
import { TacoError } from '../../../base/errors.ts'
import { withoutHiddenName } from './hidden-name.ts'

const renamed = new TacoError('NOT_FOUND', 'dev/o was renamed to prod/o.', {
  facts: { field: 'unit', unit: 'dev/o', id: 'ws-1', renamedTo: 'prod/o' },
})
const sees = (prefix: string) => ({
  seesAll: false,
  needsUnit: () => true,
  may: (_: string, unit: { name: string } | undefined) => unit?.name.startsWith(prefix) === true,
})

test('the new name of a unit is shown to those who may see it', () => {
  expect(withoutHiddenName(renamed, undefined)).toBe(renamed)
  expect(withoutHiddenName(renamed, { seesAll: true, needsUnit: () => false, may: () => true })).toBe(renamed)
  expect(withoutHiddenName(renamed, sees('prod/'))).toBe(renamed)
})

test('everyone else learns that it was renamed, and neither its name nor its id', () => {
  const shown = withoutHiddenName(renamed, sees('dev/'))

  expect(shown).toMatchObject({ code: 'NOT_FOUND', facts: { field: 'unit', unit: 'dev/o' } })
  expect(JSON.stringify(shown) + String(shown)).not.toMatch(/prod|ws-1/)
})

test('other errors stay as they are', () => {
  const other = new TacoError('CONFLICT', 'x', { facts: { renamedTo: 'prod/o' } })
  expect(withoutHiddenName(other, sees('dev/'))).toBe(other)
})
