import { expect, test } from 'vitest'
import { changedText } from './changed-text.ts'

test.each([
  ['["a-1","b-2"]', '["a-1","b-2","c-3"]', ['["a-1","b-2"', '', ',"c-3"', ']']],
  ['"vpc-1"', '"vpc-2"', ['"', 'vpc-1', 'vpc-2', '"']],
  ['"x"', '"x"', ['"x"', '', '', '']],
  ['[1,1]', '[1,1,1]', ['[1,1', '', ',1', ']']],
  ['true', '{"a":1}', ['', 'true', '{"a":1}', '']],
  ['', '"née 😀"', ['', '', '"née 😀"', '']],
])('%s → %s', (before, after, [start, old, now, end]) => {
  expect(changedText(before, after)).toEqual({ start, before: old, after: now, end })
})
