import { expect, test } from 'vitest'
import { parseQuery } from './query.ts'

test('a repeated name has a list of values, and every name is a name like any other', () => {
  expect(parseQuery('a=1&b=2&a=3&a=&__proto__=x&constructor=y')).toEqual(
    Object.fromEntries([
      ['a', ['1', '3', '']],
      ['b', '2'],
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]),
  )
})

// Anyone may send a form of this size to the sign-in page. Reading it took minutes, and the server answered no one meanwhile.
test('a name that is repeated as often as a form has room for is read in the time that its length takes', () => {
  expect(parseQuery('a&'.repeat(130_000))['a']).toHaveLength(130_000)
})
