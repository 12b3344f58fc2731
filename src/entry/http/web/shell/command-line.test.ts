import { expect, test } from 'vitest'
import { matchingLines, option, shell } from './command-line.ts'
import { commandFor } from './command-org.tsx'

test.each([
  ['prod/app', 'taco unit show prod/app'],
  ['my app', "taco unit show 'my app'"],
  ["x'; rm -rf ~; '", String.raw`taco unit show 'x'\''; rm -rf ~; '\'''`],
  ['$(id)', "taco unit show '$(id)'"],
  ['~', "taco unit show '~'"],
  ['a\nrm b\u2028c', "taco unit show 'a rm b c'"],
  ['', "taco unit show ''"],
])('%j is one word of a command', (name, command) => {
  expect(shell`taco unit show ${name}`).toBe(command)
})

test('lists are filled in word by word, and an empty one leaves nothing behind', () => {
  expect(shell`taco unit ls ${option('search', '')}`).toBe('taco unit ls')
  expect(shell`taco unit ls ${[]} --locked`).toBe('taco unit ls --locked')
  expect(shell`taco unit ls ${[...option('label', 'a=b'), ...option('search', 'x y')]}`).toBe(
    "taco unit ls --label a=b --search 'x y'",
  )
})

test('what a list is searched by is looked for in the lines of the command', () => {
  expect(matchingLines('taco team ls', '')).toBe('taco team ls')
  expect(matchingLines('taco team ls', "o'ps")).toBe(String.raw`taco team ls | grep -iF 'o'\''ps'`)
  expect(matchingLines('taco team ls', '-x')).toBe('taco team ls | grep -iF -- -x')
})

test('the organization goes to the command, and not into what follows it or is quoted in it', () => {
  expect(commandFor('acme', 'taco team ls | grep -iF ops')).toBe('taco team ls --org acme | grep -iF ops')
  const command = shell`taco unit ls --search ${"a | 'b"}`
  expect(commandFor('acme', matchingLines(command, 'x | y'))).toBe(`${command} --org acme | grep -iF 'x | y'`)
})
