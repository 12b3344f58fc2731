import { expect, test } from 'vitest'
import { sayAuthor } from './author.ts'

test.each([
  ['user:maria', null, 'maria'],
  ['user:maria', 'maria@laptop', 'maria (maria@laptop, unverified)'],
  ['anonymous', 'alice@laptop', 'alice@laptop (unverified)'],
  ['anonymous', null, 'anonymous'],
  ['user:anonymous', null, 'user:anonymous'],
  ['user:run:1', null, 'user:run:1'],
  ['run:run-1', null, 'run:run-1'],
  ['team:acme/ops', null, 'team:acme/ops'],
  ['token:root', null, 'token:root'],
])('the author %s who calls itself %s is shown as %s', (by, who, text) => {
  expect(sayAuthor({ by, who })).toBe(text)
})
