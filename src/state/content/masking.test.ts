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

test('hides exactly what its definition says, at every place of both sides', () => {
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
