import { expect, test } from 'vitest'
import { oneLine } from '../../../base/text/terminal-text.ts'
import { facts, table } from './table.ts'

test('columns are aligned and lines have no spaces at the end', () => {
  expect(
    table(
      ['NAME', 'N'],
      [
        ['a', '1'],
        ['longer', '22'],
      ],
    ),
  ).toBe('NAME    N\na       1\nlonger  22\n')
})

test('lines are cut to the width of a terminal, and to no width otherwise', () => {
  const rows = [['x'.repeat(50), 'end']]

  expect(table(['NAME', 'N'], rows, { width: 20 }).split('\n')[1]).toBe(`${'x'.repeat(19)}…`)
  expect(table(['NAME', 'N'], rows)).toContain('end')
})

test('wide and combining signs are counted as they are shown', () => {
  expect(
    table(
      ['A', 'B'],
      [
        ['日本', '1'],
        ['e\u0301', '2'],
      ],
    ),
  ).toBe('A     B\n日本  1\ne\u0301     2\n')
})

test('no control character of a server reaches the terminal', () => {
  expect(oneLine('a\u001b[31mred\u0007\nnext')).toBe('a [31mred next')
  expect(table(['N'], [['\u001b]0;title\u0007']])).not.toContain('\u001b')
  expect(facts([['name', '\u009b2J']])).not.toContain('\u009b')
})

test('facts leave out what is not there', () => {
  expect(
    facts([
      ['a', '1'],
      ['long name', undefined],
      ['bb', '2'],
    ]),
  ).toBe('a:  1\nbb: 2\n')
})
