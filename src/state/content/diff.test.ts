import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { changeOneResource, makeEncryptedState, makeState } from '../../../bench/fixtures.ts'
import { diffStates, StateDiff } from './diff.ts'

interface Parts {
  readonly serial?: number
  readonly outputs?: unknown
  readonly resources?: readonly unknown[]
}

function state({ serial = 1, outputs = {}, resources = [] }: Parts): Buffer {
  return Buffer.from(JSON.stringify({ version: 4, serial, lineage: 'l', outputs, resources }))
}

function resource(instance: Record<string, unknown>, more: Record<string, unknown> = {}): unknown {
  return {
    mode: 'managed',
    type: 'aws_db',
    name: 'main',
    provider: 'p',
    instances: [{ sensitive_attributes: [], ...instance }],
    ...more,
  }
}

function changesOf(before: Record<string, unknown>, after: Record<string, unknown>): unknown {
  const diff = diffStates(state({ resources: [resource(before)] }), state({ resources: [resource(after)] }))
  return diff.encrypted ? undefined : diff.resources[0]?.attributes
}

function path(...names: readonly (string | number)[]): unknown {
  return names.map((name, i) =>
    i === 0
      ? { type: 'get_attr', value: name }
      : { type: 'index', value: { value: name, type: typeof name } },
  )
}

test('resources are named as tofu names them', () => {
  const resources = [
    resource({}, { module: 'module.a["k"].module.b[0]', name: 'x' }),
    resource({ index_key: 0 }, { name: 'counted' }),
    resource({ index_key: 'a"${b}' }, { name: 'keyed' }),
    resource({}, { mode: 'data', name: 'read' }),
    resource({ deposed: 'ab12cd34' }, { name: 'old' }),
  ]

  const diff = diffStates(undefined, state({ resources }))

  expect(diff.encrypted ? [] : diff.resources.map(({ address, change }) => `${change} ${address}`)).toEqual([
    'added aws_db.counted[0]',
    'added aws_db.keyed["a\\"$${b}"]',
    'added aws_db.old (deposed object ab12cd34)',
    'added data.aws_db.read',
    'added module.a["k"].module.b[0].aws_db.x',
  ])
})

test('a changed instance reports which attributes changed, and how', () => {
  const before = {
    attributes: { id: 'i', tags: { a: '1', b: '2' }, ports: [{ from: 1 }, { from: 2 }], zones: ['a'], n: 1 },
  }
  const after = {
    attributes: {
      id: 'i',
      tags: { b: '3', 'c d': '4' },
      ports: [{ from: 1 }, { from: 9 }],
      zones: ['a', 'b'],
      n: 1.0,
    },
  }

  expect(changesOf(before, after)).toEqual([
    { path: 'ports[1].from', sensitive: false, before: 2, after: 9 },
    { path: 'tags.a', sensitive: false, before: '1' },
    { path: 'tags.b', sensitive: false, before: '2', after: '3' },
    { path: 'tags["c d"]', sensitive: false, after: '4' },
    { path: 'zones', sensitive: false, before: ['a'], after: ['a', 'b'] },
  ])
})

test('one resource of many changes, the others are not mentioned', () => {
  const before = makeState({ bytes: 60_000 })

  const diff = diffStates(before, changeOneResource(before, 3))

  expect(StateDiff.parse(diff)).toEqual(diff)
  expect(diff).toMatchObject({ encrypted: false, before: { serial: 1 }, after: { serial: 2 }, outputs: [] })
  expect(
    diff.encrypted
      ? []
      : diff.resources.map(({ attributes }) => attributes.map((attribute) => attribute.path)),
  ).toEqual([['tags.Revision']])
})

test('removed instances are distinguished from other parts of an instance', () => {
  const gone = {
    mode: 'managed',
    type: 't',
    name: 'n',
    provider: 'p',
    instances: [{ index_key: 0 }, { index_key: 1, private: 'old' }],
  }
  const left = { ...gone, provider: 'q', instances: [{ index_key: 1, status: 'tainted', private: 'new' }] }

  const diff = diffStates(state({ resources: [gone] }), state({ resources: [left] }))

  expect(diff.encrypted ? [] : diff.resources).toEqual([
    { address: 't.n[0]', mode: 'managed', type: 't', change: 'removed', attributes: [], fields: [] },
    {
      address: 't.n[1]',
      mode: 'managed',
      type: 't',
      change: 'changed',
      attributes: [],
      fields: ['private', 'provider', 'status'],
    },
  ])
})

test('resources in another order are no change', () => {
  const one = resource({ attributes: { a: 1 } }, { name: 'one' })
  const two = resource({ attributes: { a: 2 } }, { name: 'two' })

  expect(diffStates(state({ resources: [one, two] }), state({ resources: [two, one] }))).toMatchObject({
    resources: [],
    outputs: [],
  })
})

test.each([
  ['the attribute itself', [path('pw')], { pw: 'SECRET1' }, { pw: 'SECRET2' }],
  ['something above it', [path('m')], { m: { deep: ['SECRET1'] } }, { m: { deep: ['SECRET2'] } }],
  [
    'something inside it',
    [path('list', 0, 'x')],
    { list: [{ x: 'SECRET1' }] },
    { list: [{ x: 'SECRET2' }, { x: 'c' }] },
  ],
  ['one element', [path('list', 1)], { list: ['a', 'SECRET1'] }, { list: ['a', 'SECRET2'] }],
  [
    'a step nobody knows',
    [[{ type: 'get_attr', value: 'm' }, { type: 'splat' }]],
    { m: { a: 'SECRET1' } },
    { m: { a: 'SECRET2' } },
  ],
  ['a path nobody knows', ['m'], { a: 'SECRET1' }, { a: 'SECRET2' }],
  ['a list nobody knows', 'all', { a: 'SECRET1' }, { a: 'SECRET2' }],
  [
    'an index nobody knows',
    [
      [
        { type: 'get_attr', value: 'm' },
        { type: 'index', value: 0 },
      ],
    ],
    { m: ['SECRET1'] },
    { m: ['SECRET2'] },
  ],
  ['a telling name', [], { master_password: 'SECRET1' }, { master_password: 'SECRET2' }],
  ['a telling name inside', [], { conf: [{ api_key: 'SECRET1' }] }, { conf: [] }],
  [
    'a mark inside an attribute of any type',
    [path('in', 'pw')],
    { in: { value: { pw: 'SECRET1' }, type: ['object', { pw: 'string' }] } },
    { in: { value: { pw: 'SECRET2' }, type: ['object', { pw: 'string' }] } },
  ],
  ['the private part', [], { private: 'SECRET1' }, { private: 'SECRET2' }],
])('a value is masked because of %s', (_why, sensitive_attributes, before, after) => {
  const changes = changesOf(
    { attributes: before, sensitive_attributes },
    { attributes: after, sensitive_attributes },
  )

  expect(JSON.stringify(changes)).not.toContain('SECRET')
  expect(changes).toEqual([
    expect.objectContaining({ sensitive: true, before: '(sensitive)', after: '(sensitive)' }),
  ])
})

test('a secret is masked where a provider copied it without its mark', () => {
  const sensitive_attributes = [path('in')]
  const changes = changesOf(
    { attributes: { in: 'SECRET1', out: { url: 'http://u:SECRET1@h' }, other: 'a' }, sensitive_attributes },
    { attributes: { in: 'SECRET2', out: { url: 'http://u:SECRET2@h' }, other: 'b' }, sensitive_attributes },
  )

  expect(changes).toEqual([
    { path: 'in', sensitive: true, before: '(sensitive)', after: '(sensitive)' },
    { path: 'other', sensitive: false, before: 'a', after: 'b' },
    { path: 'out.url', sensitive: true, before: '(sensitive)', after: '(sensitive)' },
  ])
})

test('a value is masked when only one side calls it sensitive', () => {
  const changes = changesOf(
    { attributes: { pw: 'SECRET1' }, sensitive_attributes: [path('pw')] },
    { attributes: { pw: 'SECRET2' } },
  )

  expect(changes).toEqual([{ path: 'pw', sensitive: true, before: '(sensitive)', after: '(sensitive)' }])
})

test('a sensitive neighbour does not mask the rest', () => {
  const sensitive_attributes = [path('m', 'a')]
  const changes = changesOf(
    { attributes: { m: { a: 's', b: 1 } }, sensitive_attributes },
    { attributes: { m: { a: 's', b: 2 } }, sensitive_attributes },
  )

  expect(changes).toEqual([{ path: 'm.b', sensitive: false, before: 1, after: 2 }])
})

test('attributes that are no object are masked whole', () => {
  expect(changesOf({ attributes: null }, { attributes: { a: 'SECRET1' } })).toEqual([
    { path: '', sensitive: true, before: '(sensitive)', after: '(sensitive)' },
  ])
})

test('outputs are compared, and masked when either side is sensitive', () => {
  const before = state({
    outputs: {
      a: { value: 1, type: 'number' },
      gone: { value: 'x', type: 'string' },
      s: { value: 'SECRET1', type: 'string' },
      t: { value: '1', type: 'string' },
    },
  })
  const after = state({
    outputs: {
      a: { value: 1.0, type: 'number' },
      made: { value: ['y'], type: ['list', 'string'] },
      s: { value: 'SECRET2', type: 'string', sensitive: true },
      t: { value: '1', type: 'dynamic' },
    },
  })

  const diff = diffStates(before, after)

  expect(diff.encrypted ? [] : diff.outputs).toEqual([
    { name: 'gone', change: 'removed', sensitive: false, before: 'x' },
    { name: 'made', change: 'added', sensitive: false, after: ['y'] },
    { name: 's', change: 'changed', sensitive: true, before: '(sensitive)', after: '(sensitive)' },
    { name: 't', change: 'changed', sensitive: false, before: '1', after: '1' },
  ])
})

test('of an encrypted state only the outside is compared', () => {
  const plainState = state({ serial: 1 })
  const sealed = makeEncryptedState({ bytes: 500, serial: 2, lineage: 'l' })

  const diff = diffStates(plainState, sealed)

  expect(StateDiff.parse(diff)).toEqual(diff)
  expect(diff).toEqual({
    encrypted: true,
    before: { serial: 1, lineage: 'l', size: plainState.length, encrypted: false },
    after: { serial: 2, lineage: 'l', size: sealed.length, encrypted: true },
  })
})

test('no state against no state is no difference', () => {
  expect(diffStates(undefined, undefined)).toEqual({ encrypted: false, resources: [], outputs: [] })
})

/** What differs, as it is defined: equal values are passed over, then both sides are taken apart. */
function changesByDefinition(path: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return []
  const both = [before, after]
  if (both.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))) {
    const [a, b] = both.map((one) => new Map(Object.entries(one as object)))
    const names = [...new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])].sort()
    return names.flatMap((name) =>
      changesByDefinition(path === '' ? name : `${path}.${name}`, a?.get(name), b?.get(name)),
    )
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item, i) => changesByDefinition(`${path}[${i}]`, item, after[i]))
  return [path]
}

test('finds exactly the changes that comparing value by value finds', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('x', 'y', 0, 1, 1.5, true, null),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(name, tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  const attributes = fc.dictionary(name, tree, { maxKeys: 3, noNullPrototype: true })
  fc.assert(
    fc.property(attributes, attributes, (before, after) => {
      const found = (changesOf({ attributes: before }, { attributes: after }) ?? []) as { path: string }[]
      expect(found.map(({ path }) => path)).toEqual(changesByDefinition('', before, after))
    }),
    { numRuns: 1000 },
  )
})

test('looks at every value once, at any depth', () => {
  const wide = (last: number): object =>
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i === 499 ? last : i]))
  const deep = (last: number): unknown => {
    let value: unknown = wide(last)
    for (let i = 0; i < 500; i++) value = { a: value }
    return value
  }
  const looks = vi.spyOn(Map.prototype, 'get')
  try {
    const changes = changesOf({ attributes: { x: deep(1) } }, { attributes: { x: deep(2) } })
    expect(changes).toHaveLength(1)
    expect(looks.mock.calls.length).toBeLessThanOrEqual(20 * 1000)
  } finally {
    looks.mockRestore()
  }
})

test('names that would fill the answer are refused', () => {
  const long = (value: string): Buffer =>
    state({ resources: [resource({ attributes: { ['n'.repeat(1000)]: [value, value] } })] })

  expect(() => diffStates(long('x'), long('y'), 1999)).toThrow(
    expect.objectContaining({ code: 'TOO_LARGE', facts: { field: 'resources', most: 1999 } }),
  )
  expect(diffStates(long('x'), long('y'), 3000)).toMatchObject({ resources: [{ change: 'changed' }] })
})

test('a number that JavaScript cannot represent keeps its digits and differs from a text', () => {
  const text = (value: string) =>
    Buffer.from(
      `{"version":4,"serial":1,"lineage":"l","outputs":{"n":{"value":${value},"type":"number"}},"resources":[]}`,
    )
  const diff = diffStates(text('"9007199254740993"'), text('9007199254740993'))

  expect(StateDiff.parse(JSON.parse(JSON.stringify(diff)))).toMatchObject({
    outputs: [{ before: '9007199254740993', after: '9007199254740993', afterJson: '9007199254740993' }],
  })
  expect(diff.encrypted ? undefined : diff.outputs[0]).not.toHaveProperty('beforeJson')
})

test('the same resource under another address is a move, with what changed on the way', () => {
  const at = (name: string, id: string, size: number, index?: number) =>
    resource({ attributes: { id, size }, ...(index === undefined ? {} : { index_key: index }) }, { name })
  const before = state({ resources: [at('old', 'i-1', 1), at('twin', 'i-2', 1), at('other', 'i-2', 1)] })
  const after = state({ resources: [at('new', 'i-1', 2, 0), at('third', 'i-2', 1)] })

  const diff = diffStates(before, after)

  expect(StateDiff.parse(diff)).toMatchObject({
    resources: [
      {
        address: 'aws_db.new[0]',
        change: 'moved',
        from: 'aws_db.old',
        attributes: [{ path: 'size', before: 1, after: 2 }],
        fields: [],
      },
      { address: 'aws_db.other', change: 'removed' },
      { address: 'aws_db.third', change: 'added' },
      { address: 'aws_db.twin', change: 'removed' },
    ],
  })
})
