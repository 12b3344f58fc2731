import { expect, test } from 'vitest'
import { backendTargetFor, checkConsumer } from './run-access.ts'

const runOf = (id: string | null) =>
  ({
    kind: 'run',
    id: 'r1',
    issuedTo: { by: 'user:alice' },
    scope: { org: 'acme', unit: { id, name: 'prod/app' } },
  }) as const
const run = runOf('un-1')
const target = (unit: string, org = 'acme') => ({ org, unit })

test.each(['POST', 'PUT', 'LOCK', 'UNLOCK'])(
  '%s reaches the unit of the token alone, by its id',
  (method) => {
    expect(backendTargetFor(run, method, target('prod/app'))).toEqual(target('un-1'))
    expect(backendTargetFor(run, method, target('un-1'))).toEqual(target('un-1'))
    expect(backendTargetFor(runOf(null), method, target('prod/app'))).toEqual(target('prod/app'))
    for (const other of [target('prod/app2'), target('prod'), target('prod/app', 'other')])
      expect(() => backendTargetFor(run, method, other)).toThrow(
        expect.objectContaining({ code: 'FORBIDDEN' }),
      )
  },
)

test.each(['GET', 'HEAD'])('%s reaches every unit of the organization, and no other', (method) => {
  expect(backendTargetFor(run, method, target('prod/net'))).toEqual(target('prod/net'))
  expect(() => backendTargetFor(run, method, target('prod/net', 'other'))).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN' }),
  )
})

test.each(['DELETE', 'PATCH', 'OPTIONS'])('%s is closed to run tokens, also for their own unit', (method) => {
  expect(() => backendTargetFor(run, method, target('prod/app'))).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN' }),
  )
})

test('a run reads on behalf of its own unit alone', () => {
  for (const own of ['prod/app', 'un-1']) expect(() => checkConsumer(run, 'acme', own)).not.toThrow()
  expect(() => checkConsumer(run, 'acme', 'prod/net')).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
})
