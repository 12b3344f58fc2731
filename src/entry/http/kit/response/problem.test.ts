import { expect, test } from 'vitest'
import { type ErrorCode, TacoError, badRequest } from '../../../../base/errors.ts'
import { Problem, problemOf, problems } from './problem.ts'
import { STATUS_OF } from './error-status.ts'

const expected: readonly (readonly [number, readonly ErrorCode[]])[] = [
  [400, ['BAD_REQUEST', 'STATE_NOT_JSON', 'STATE_FORMAT', 'STATE_DIGEST', 'STATE_TRUNCATED']],
  [401, ['UNAUTHENTICATED']],
  [403, ['FORBIDDEN']],
  [404, ['NOT_FOUND']],
  [
    409,
    [
      'ALREADY_EXISTS',
      'NAME_GIVEN_UP',
      'CONFLICT',
      'STATE_LINEAGE',
      'STATE_SERIAL',
      'STATE_SAME_SERIAL',
      'ORG_DELETED',
      'LIMIT_REACHED',
      'STATE_WOULD_DECRYPT',
      'STATE_HAS_RESOURCES',
      'STATE_MISSING',
      'STATE_ENCRYPTED',
      'NOT_LOCKED',
      'LOCK_MISMATCH',
    ],
  ],
  [410, ['GONE']],
  [412, ['PRECONDITION_FAILED']],
  [413, ['TOO_LARGE']],
  [423, ['LOCKED']],
  [429, ['RATE_LIMITED']],
  [502, ['PROVIDER_REFUSED', 'UPSTREAM_FAILED']],
  [503, ['BUCKET_UNAVAILABLE', 'BUCKET_REFUSED', 'BUCKET_UNFIT', 'PROVIDER_UNAVAILABLE', 'CANCELLED']],
  [500, ['BUCKET_CORRUPT', 'BUCKET_NEWER', 'SECRET_UNREADABLE', 'UNEXPECTED']],
]

test.each(expected)('status %i stands for its codes and no others', (status, codes) => {
  const found = Object.entries(STATUS_OF).filter(([, is]) => is === status)

  expect(found.map(([code]) => code).toSorted()).toEqual([...codes].toSorted())
})

test('a problem names field, code, hint and request', () => {
  const problem = problemOf(badRequest('name', 'too long', 'Shorten it.'), 'req-1')

  expect(Problem.parse(problem)).toEqual({
    type: 'https://opentaco.dev/errors/BAD_REQUEST',
    title: 'The request is malformed',
    status: 400,
    detail: 'too long',
    code: 'BAD_REQUEST',
    hint: 'Shorten it.',
    field: 'name',
    requestId: 'req-1',
  })
})

test('the text of an unexpected failure stays on the server', () => {
  for (const error of [
    new Error('password=hunter2'),
    new TacoError('UNEXPECTED', 'password=hunter2'),
    'hunter2',
  ]) {
    const problem = problemOf(error, 'req-1')

    expect(JSON.stringify(problem)).not.toContain('hunter2')
    expect(problem.status).toBe(500)
  }
})

test('a failing bucket asks to come back later', () => {
  const plain = problems(new TacoError('BUCKET_UNAVAILABLE', 'no answer'), 'r')
  const told = problems(
    new TacoError('BUCKET_UNAVAILABLE', 'no answer', { facts: { retryAfterMs: 12_400 } }),
    'r',
  )

  expect(plain.headers['retry-after']).toBe('5')
  expect(told.headers['retry-after']).toBe('13')
})

test('the holder of a lock is told, of nothing else', () => {
  const facts = { holder: { ID: 'abc', Who: 'alice' } }

  expect(problemOf(new TacoError('LOCKED', 'held', { facts }), 'r').holder).toMatchObject({
    ID: 'abc',
    Who: 'alice',
  })
  expect(problemOf(new TacoError('CONFLICT', 'x', { facts }), 'r').holder).toBeUndefined()
})

test('each dependency that leads nowhere is told for programs, and facts of another shape are not', () => {
  const errors = [{ detail: 'app depends on net', unit: 'app', on: 'net' }]
  const told = (facts: Record<string, unknown>) =>
    problemOf(new TacoError('NOT_FOUND', 'x', { facts }), 'r').errors

  expect(told({ errors })).toEqual(errors)
  expect(told({ errors: ['secret'] })).toBeUndefined()
})
