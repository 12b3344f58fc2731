import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isList, isObject, parseExact, type Exact } from './exact.ts'
import { maskFor, type Step } from './masking.ts'

/**
 * What a mask hides, as it is defined: place by place against every recorded path, and value by value against every
 * secret. Far too slow for a large state.
 */
function hidesByDefinition(
  type: string,
  sides: ReadonlyArray<ReadonlyMap<string, Exact>>,
  path: readonly Step[],
  values: readonly (Exact | undefined)[],
): boolean {
  const telling = (name: string) => /secret|token/.test(name)
  const recorded = sides.flatMap((side) => pathsIn(side.get('sensitive_attributes')))
  const unwrapped = (steps: readonly Step[]) => steps.filter((step) => step !== 'value')
  const overlap = (a: readonly Step[], b: readonly Step[]) =>
    a.slice(0, b.length).every((step, i) => step === b[i])
  const covers = (steps: readonly Step[]): boolean =>
    steps.some(
      (step) =>
        typeof step === 'string' && (telling(step) || (type === 'random_password' && step === 'result')),
    ) || recorded.some((one) => overlap(one, steps) || overlap(unwrapped(one), unwrapped(steps)))
  const secrets: string[] = []
  const collect = (steps: readonly Step[], value: Exact): void => {
    if (isObject(value)) for (const [key, member] of value) collect([...steps, key], member)
    else if (isList(value)) value.forEach((item, i) => collect([...steps, i], item))
    else if (typeof value === 'string' && value.length >= 4 && covers(steps)) secrets.push(value)
  }
  for (const side of sides) collect([], side.get('attributes') ?? null)
  const holds = (value: Exact | undefined): boolean => {
    if (typeof value === 'string') return secrets.some((secret) => value.includes(secret))
    if (isList(value)) return value.some(holds)
    return isObject(value) && [...value].some(([key, member]) => telling(key) || holds(member))
  }
  return path.length === 0 || covers(path) || values.some(holds)
}

function pathsIn(recorded: Exact | undefined): Step[][] {
  if (recorded === undefined || recorded === null) return []
  if (!isList(recorded)) return [[]]
  return recorded.map((path) =>
    (isList(path) ? path : []).map((step) => {
      const value = isObject(step) ? step.get('value') : undefined
      if (!isObject(value)) return typeof value === 'string' ? value : ''
      const key = value.get('value')
      return typeof key === 'string'
        ? key
        : Number(String(Reflect.get(Object(key), 'digits')).replace('e0', ''))
    }),
  )
}

const name = fc.constantFrom('a', 'b', 'value', 'secret', 'result', '0')
const leaf = fc.oneof(
  fc.constantFrom('abcd', 'xabcdx', 'bcde', 'abc', 'none'),
  fc.constantFrom(1, null, true),
)
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 3 }),
  ),
}))
const step = fc.oneof(
  name.map((value) => ({ type: 'get_attr', value })),
  name.map((value) => ({ type: 'index', value: { type: 'string', value } })),
  fc.constantFrom(1, 2).map((value) => ({ type: 'index', value: { type: 'number', value } })),
)
const side = fc.record({
  attributes: fc.dictionary(name, tree, { maxKeys: 4 }),
  sensitive_attributes: fc.oneof(
    fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 4 }),
    fc.constant(null),
  ),
})

test('hides exactly what its definition covers, at every place of both sides', () => {
  fc.assert(
    fc.property(fc.array(side, { minLength: 1, maxLength: 2 }), fc.boolean(), (given, isPassword) => {
      const type = isPassword ? 'random_password' : 'thing'
      const sides = given.map((one) => parseExact(JSON.stringify(one)) as ReadonlyMap<string, Exact>)
      const visit = (path: readonly Step[], place: ReturnType<typeof maskFor>, value: Exact): void => {
        expect({ path, hides: place.hides(value, undefined) }).toEqual({
          path,
          hides: hidesByDefinition(type, sides, path, [value]),
        })
        if (isObject(value)) for (const [key, member] of value) visit([...path, key], place.at(key), member)
        else if (isList(value)) value.forEach((item, i) => visit([...path, i], place.at(i), item))
      }
      for (const one of sides) visit([], maskFor(type, sides), one.get('attributes') ?? null)
    }),
    { numRuns: 500 },
  )
})

/** One instance, and what is hidden of it: the paths of values that are not shown, as `a.0.b`. */
function hiddenIn(attributes: object, sensitive: unknown, type = 'thing'): string[] {
  const instance = parseExact(JSON.stringify({ attributes, sensitive_attributes: sensitive })) as ReadonlyMap<
    string,
    Exact
  >
  const found: string[] = []
  const visit = (path: string, place: ReturnType<typeof maskFor>, value: Exact): void => {
    if (isObject(value)) for (const [key, member] of value) visit(`${path}.${key}`, place.at(key), member)
    else if (isList(value)) value.forEach((item, i) => visit(`${path}.${i}`, place.at(i), item))
    else if (place.hides(value, undefined)) found.push(path.slice(1))
  }
  visit('', maskFor(type, [instance]), instance.get('attributes') ?? null)
  return found
}

const attr = (value: string) => ({ type: 'get_attr', value })
const at = (value: number | string) => ({
  type: 'index',
  value: { type: typeof value === 'number' ? 'number' : 'string', value },
})

test('a secret in one item of a list hides that item, and the same value wherever it was copied to', () => {
  const attributes = {
    users: [
      { name: 'alice', login: 'hunter2!' },
      { name: 'bob', login: 'sesame22' },
    ],
    copies: [['x', 'url?login=hunter2!'], { deep: ['hunter2!'] }],
    plain: ['hunter', 'sesame22'],
  }

  expect(hiddenIn(attributes, [[attr('users'), at(0), attr('login')]])).toEqual([
    'users.0.login',
    'copies.0.1',
    'copies.1.deep.0',
  ])
})

test('a list that is sensitive as a whole hides every item of it and every copy of one', () => {
  const attributes = {
    keys: ['first-key', 'next-key'],
    used: ['not it', 'next-key'],
    other: { a: 'first-key' },
  }

  expect(hiddenIn(attributes, [[attr('keys')]])).toEqual(['keys.0', 'keys.1', 'used.1', 'other.a'])
})

test('a nested path leads through objects, maps and lists, and hides nothing beside it', () => {
  const attributes = { a: { 'b.c': [{ d: { e: 'the secret', f: 'shown' } }, { d: { e: 'another' } }] } }
  const path = [attr('a'), at('b.c'), at(0), attr('d'), attr('e')]

  expect(hiddenIn(attributes, [path])).toEqual(['a.b.c.0.d.e'])
  expect(hiddenIn(attributes, [path.slice(0, 3)])).toEqual(['a.b.c.0.d.e', 'a.b.c.0.d.f'])
})

test.each([
  ['no list', { a: 1 }],
  ['a path that is no list', ['a']],
  ['a step that is no object', [[1]]],
  ['an unknown step', [[{ type: 'splat', value: 'a' }]]],
  ['an attribute whose name is no text', [[{ type: 'get_attr', value: 1 }]]],
  ['an index without a value', [[{ type: 'index', value: 0 }]]],
  ['an index of another type', [[{ type: 'index', value: { type: 'bool', value: true } }]]],
  ['a text index that is no text', [[{ type: 'index', value: { type: 'string', value: 1 } }]]],
  ['a number index that is no number', [[{ type: 'index', value: { type: 'number', value: '1' } }]]],
  ['a number index that is not whole', [[{ type: 'index', value: { type: 'number', value: 0.5 } }]]],
])('a recorded path that cannot be understood hides everything: %s', (_name, sensitive) => {
  expect(hiddenIn({ a: 'one', b: { c: ['two'] } }, sensitive)).toEqual(['a', 'b.c.0'])
})

test('the part of a path that can be understood narrows it', () => {
  expect(hiddenIn({ a: { b: 'one' }, c: 'two' }, [[attr('a'), { type: 'splat' }]])).toEqual(['a.b'])
})

test.each([
  ['admin_password', true],
  ['db_passwd', true],
  ['passphrase', true],
  ['client_secret', true],
  ['API_TOKEN', true],
  ['private_key', true],
  ['privatekey', true],
  ['access_key', true],
  ['key_pem', true],
  ['private', true],
  ['psk', true],
  ['connection_string', true],
  ['private_ip', false],
  ['pem_file', false],
  ['psk_id', false],
  ['key_name', false],
  ['compass', false],
])('a value called %s is hidden without a mark: %s', (field, isHidden) => {
  expect(hiddenIn({ [field]: { inner: 'a value' } }, [])).toEqual(isHidden ? [`${field}.inner`] : [])
})

test.each([
  ['random_password', 'result', true],
  ['random_bytes', 'base64', true],
  ['vault_generic_secret', 'data', true],
  ['random_pet', 'result', false],
  ['random_password', 'length', false],
])('%s.%s is hidden without a mark: %s', (type, field, isHidden) => {
  expect(hiddenIn({ [field]: 'a value' }, undefined, type)).toEqual(isHidden ? [field] : [])
})

test('short secrets are hidden in their place, and not searched for elsewhere', () => {
  expect(
    hiddenIn({ pin: 'abc', text: 'xabcx', four: 'abcd', more: 'xabcdx' }, [[attr('pin')], [attr('four')]]),
  ).toEqual(['pin', 'four', 'more'])
})

test('an object whose members have revealing names is hidden as a whole, and so is one that holds a secret', () => {
  const [instance] = [
    {
      attributes: {
        list: [{ token: 'x' }],
        map: { a: { b: ['the secret'] } },
        key: 'the secret',
        fine: { a: ['b'] },
      },
      sensitive_attributes: [[attr('key')]],
    },
  ].map((one) => parseExact(JSON.stringify(one)) as ReadonlyMap<string, Exact>)
  if (instance === undefined) throw new Error('there is no instance')
  const attributes = instance.get('attributes')
  const place = maskFor('thing', [instance])
  const hides = (name: string) => {
    const value = isObject(attributes) ? attributes.get(name) : undefined
    return [place.at(name).hides(value, undefined), place.at(name).hides(undefined, value)]
  }

  expect(['list', 'map', 'fine'].map(hides)).toEqual([
    [true, true],
    [true, true],
    [false, false],
  ])
})
