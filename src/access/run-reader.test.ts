import { expect, test } from 'vitest'
import { RunReader, readerOf } from './run-reader.ts'

const via = { kind: 'session', id: 's1' } as const

test.each([
  { kind: 'user', id: 'user-1', name: 'alice', groups: ['okta/ops'], via },
  { kind: 'team', id: 'team-1', name: 'ops', org: 'acme', via },
  { kind: 'token', use: 'agent', id: 'at-1', name: 'pool', org: 'acme', roles: ['operator'] },
])('%o is read as it was stored', (reader) => {
  expect(readerOf(RunReader.parse(reader))).toEqual(reader)
})

test.each([
  { kind: 'robot', id: 'r' },
  { kind: 'system', name: 'upkeep' },
  { kind: 'token', use: 'robot', id: 'at-1', name: 'x', org: 'acme', roles: ['owner'] },
])('%o, which only a newer server knows, belongs to no organization', (reader) => {
  expect(readerOf(RunReader.parse(reader))).toMatchObject({ kind: 'team', org: '' })
})
