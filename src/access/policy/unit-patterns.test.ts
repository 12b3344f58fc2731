import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesUnit, patternFault } from './unit-patterns.ts'

const unit = (name: string, id: string | null = 'ws-1') => ({ name, id })

test.each([
  ['prod/app', ['prod/app'], ['prod', 'prod/app/x', 'Prod/app', 'prod/apps']],
  ['*', ['app', 'a.b c'], ['prod/app']],
  ['**', ['app', 'prod/app', 'a/b/c'], []],
  ['prod/*', ['prod/app'], ['prod', 'prod/app/db', 'dev/app']],
  ['prod/**', ['prod/app', 'prod/app/db'], ['prod', 'prod2/app', 'dev/prod/app']],
  ['**/db', ['db', 'prod/db', 'a/b/db'], ['db/x', 'a/mydb']],
  ['prod/**/db', ['prod/db', 'prod/a/db', 'prod/a/b/db'], ['prod', 'prod/db/x', 'db']],
  ['*/network/**', ['prod/network/vpc', 'dev/network/a/b'], ['prod/network', 'network/vpc']],
  ['team-*/app', ['team-a/app', 'team-/app'], ['team-a/b/app', 'team/app']],
  ['*-db', ['main-db', '-db'], ['main-db2', 'a/main-db']],
  ['a*b*c', ['abc', 'axbxc', 'abbcc'], ['ab', 'acb', 'axb/c']],
  ['**/a/**/b', ['a/b', 'x/a/b', 'x/a/y/a/z/b'], ['b/a', 'a', 'b']],
])('%s matches %j and not %j', (pattern, matching, others) => {
  for (const name of matching) expect([name, matchesUnit(pattern, unit(name))]).toEqual([name, true])
  for (const name of others) expect([name, matchesUnit(pattern, unit(name))]).toEqual([name, false])
})

test('an id matches the unit of that id, and wildcards match names only', () => {
  expect(matchesUnit('ws-1', unit('prod/app', 'ws-1'))).toBe(true)
  expect(matchesUnit('ws-1', unit('prod/app', 'ws-2'))).toBe(false)
  expect(matchesUnit('ws-*', unit('prod/app', 'ws-1'))).toBe(false)
  expect(matchesUnit('prod/app', unit('prod/app', null))).toBe(true)
})

test.each([
  ['', 'has 1 to 200 characters, not 0'],
  ['x'.repeat(201), 'not 201'],
  ['/prod', 'empty, "." or ".." part'],
  ['prod/', 'empty, "." or ".." part'],
  ['a//b', 'empty, "." or ".." part'],
  ['../x', 'empty, "." or ".." part'],
  ['prod**', '"**" inside of a part: "prod**"'],
  ['***', '"**" inside of a part'],
  ['{a,b}', 'invalid part: "{a,b}"'],
  ['prod/[ab]', 'invalid part'],
  ['!prod', 'invalid part'],
  ['prod?', 'invalid part'],
  [' prod', 'invalid part'],
])('%j is refused: %s', (pattern, message) => {
  expect(patternFault(pattern)?.message).toContain(message)
})

test.each(['prod/app', '*', '**', 'a b/c.d', 'ws-1abcdefghijkmnop', '*-x/**', '-*'])(
  '%s is accepted',
  (pattern) => {
    expect(patternFault(pattern)).toBeUndefined()
  },
)

test('agrees with a search through all ways to match', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 4 })
  const parts = fc.array(fc.oneof(fc.constant('**'), part), { minLength: 1, maxLength: 5 })
  const name = fc
    .array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 5,
    })
    .map((all) => all.join('/'))
  fc.assert(
    fc.property(parts, name, (wanted, given) => {
      const pattern = wanted.join('/')
      fc.pre(pattern.includes('*') && patternFault(pattern) === undefined)
      const last = wanted.at(-1) === '**' ? [...wanted.slice(0, -1), '*', '**'] : wanted
      expect(matchesUnit(pattern, unit(given))).toBe(searched(last, given.split('/'), '**'))
    }),
    { numRuns: 1000 },
  )
})

function searched(wanted: readonly string[], given: readonly string[], many: string): boolean {
  const [first, ...rest] = wanted
  if (first === undefined) return given.length === 0
  if (first === many)
    return given.some((_, i) => searched(rest, given.slice(i), many)) || searched(rest, [], many)
  const [one, ...others] = given
  if (one === undefined) return false
  const isOne = many === '*' ? first === one : searched([...first], [...one], '*')
  return isOne && searched(rest, others, many)
}
