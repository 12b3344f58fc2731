import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Candidate, type Source, effectiveOf } from './precedence.ts'
import { scopeFor } from './variable-set.ts'

interface Named {
  readonly key: string
  readonly category: string
  readonly from: string
}

function of(from: string, source: Source, key = 'region', category = 'terraform'): Candidate<Named> {
  return { variable: { key, category, from }, source }
}

function set(
  name: string,
  scope: 'unit' | 'project' | 'global',
  more: { readonly priority?: boolean; readonly isOfProject?: boolean } = {},
): Source {
  return { kind: 'set', id: `varset-${name}`, name, scope, priority: false, isOfProject: false, ...more }
}

/** Strongest first, as Terraform Cloud documents it. */
const ORDER: readonly (readonly [string, Source])[] = [
  ['priority set of the organization', set('z', 'global', { priority: true })],
  ['priority set for a project', set('z', 'project', { priority: true })],
  ['priority set for units', set('z', 'unit', { priority: true })],
  ['priority set for a project, owned by it', set('z', 'project', { priority: true, isOfProject: true })],
  ['priority set for units, owned by a project', set('z', 'unit', { priority: true, isOfProject: true })],
  ['the unit itself', { kind: 'unit' }],
  ['set for units, owned by a project', set('a', 'unit', { isOfProject: true })],
  ['set for a project, owned by it', set('a', 'project', { isOfProject: true })],
  ['set for units', set('a', 'unit')],
  ['set for a project', set('a', 'project')],
  ['set of the organization', set('a', 'global')],
]

test('the strongest wins and says what it overrides, whatever the order in which they are found', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([...ORDER], { minLength: 1 }), (some) => {
      const expected = ORDER.filter((one) => some.includes(one)).map(([name]) => name)
      const [winner, ...others] = effectiveOf(some.map(([name, source]) => of(name, source)))
      expect(others).toEqual([])
      expect([winner, ...(winner?.overrides ?? [])].map((one) => one?.variable.from)).toEqual(expected)
    }),
  )
})

test('within one place the set whose name comes first wins', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }), (names) => {
      const [winner] = effectiveOf(names.map((name) => of(name, set(name, 'unit'))))
      expect(winner?.variable.from).toBe([...names].toSorted((a, b) => (a < b ? -1 : 1))[0])
    }),
  )
})

test('each key of each category is decided on its own, and nothing is lost', () => {
  const source = fc.constantFrom(...ORDER.map(([, one]) => one))
  const candidate = fc
    .tuple(fc.constantFrom('a', 'b', 'A'), fc.constantFrom('terraform', 'env'), source)
    .map(([key, category, from]) => of('', from, key, category))
  fc.assert(
    fc.property(fc.array(candidate), (candidates) => {
      const found = effectiveOf(candidates)
      const names = found.map(({ variable }) => `${variable.category} ${variable.key}`)
      expect(names).toEqual([...new Set(names)].toSorted())
      expect(found.flatMap((one) => [one, ...one.overrides])).toHaveLength(candidates.length)
      for (const { variable, overrides } of found)
        for (const { variable: weaker } of overrides)
          expect([weaker.key, weaker.category]).toEqual([variable.key, variable.category])
    }),
  )
})

test.each([
  [{ global: true }, 'global'],
  [{ global: false }, undefined],
  [{ global: true, units: ['ws-1'] }, 'unit'],
  [{ projects: ['prj-1'] }, 'project'],
  [{ projects: ['prj-2'] }, undefined],
  [{ projects: ['prj-1'], units: ['ws-1'] }, 'unit'],
  [{ global: true, parent: { project: 'prj-1' } }, 'project'],
  [{ global: true, parent: { project: 'prj-2' } }, undefined],
  [{ units: ['ws-1'], parent: { project: 'prj-2' } }, undefined],
  [{ units: ['ws-2'] }, undefined],
] as const)('%j is for the unit as %s', (given, scope) => {
  const {
    global = false,
    units = [],
    projects = [],
    ...rest
  } = { parent: undefined, ...given } as {
    global?: boolean
    units?: string[]
    projects?: string[]
    parent: { project: string } | undefined
  }
  expect(scopeFor({ global, units, projects, ...rest }, { id: 'ws-1', project: 'prj-1' })).toBe(scope)
})
