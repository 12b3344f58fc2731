import { expect, test } from 'vitest'
import { emptyPolicy } from './organization/document.ts'
import { evaluate } from './policy/evaluate.ts'
import { grantsIn } from './subjects.ts'

const unit = { id: 'ws-1', name: 'prod/app', labels: {} }
const token = (...roles: string[]) =>
  ({ kind: 'token', use: 'organization', id: 'at-1', name: 'ci', org: 'acme', roles }) as const

test('a token with a role that is gone can do nothing: the role could have denied something', () => {
  const policy = emptyPolicy('acme')
  const mayRead = (...roles: string[]) =>
    evaluate(grantsIn(policy, token(...roles), false), 'state:read', unit).allowed

  expect(mayRead('reader')).toBe(true)
  expect(mayRead('reader', 'no-prod')).toBe(false)
  expect(mayRead('no-prod')).toBe(false)
})

test('a token of another organization has nothing here', () => {
  expect(grantsIn(emptyPolicy('other'), token('owner'), false)).toEqual([])
})
