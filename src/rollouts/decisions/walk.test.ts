import { expect, test } from 'vitest'
import { dependsOn, factsOf } from '../../../test/support/graph.ts'
import { walkFrom } from './walk.ts'

function unit(name: string, ...uses: string[]) {
  return factsOf(`id-${name}`, { name, dependencies: uses.map((on) => dependsOn(`id-${on}`)) })
}

test('a unit comes after what it needs, and ties are ordered by name', () => {
  const units = [unit('z', 'base'), unit('last', 'a', 'z'), unit('a', 'base'), unit('base'), unit('other')]
  expect(walkFrom(units, ['id-base']).map((step) => step.unit.name)).toEqual(['base', 'a', 'z', 'last'])
})

test('a cycle is refused by name, without the units before and after it', () => {
  const units = [unit('before'), unit('after', 'c'), unit('a', 'before', 'c'), unit('b', 'a'), unit('c', 'b')]
  expect(() => walkFrom(units, ['id-before'])).toThrow(
    expect.objectContaining({ code: 'CONFLICT', facts: { cycle: ['a', 'c', 'b', 'a'] } }),
  )
})
