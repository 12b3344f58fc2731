import { expect, test } from 'vitest'
import { isTacoError } from '../../base/errors.ts'
import { readRoleFile } from './role-file.ts'

test('a role is read from YAML and from JSON', () => {
  const role = {
    description: 'no changes in production',
    rules: [
      { effect: 'deny', actions: ['state:write', 'run:*'], units: ['prod/**'] },
      { effect: 'deny', actions: ['*'], labels: { env: 'prod' } },
    ],
  }
  const yaml = `
description: no changes in production
rules:
  - effect: deny
    actions: [state:write, 'run:*']
    units: [prod/**]
  - { effect: deny, actions: ['*'], labels: { env: prod } }
`
  expect(readRoleFile(yaml, 'freeze.yaml', 'freeze')).toEqual(role)
  expect(readRoleFile(JSON.stringify({ name: 'freeze', ...role }), 'freeze.json', 'freeze')).toEqual(role)
})

test('every fault is named with its line and column', () => {
  const text = `name: thaw
rules:
  - effect: permit
    actions: [state:write]
  - effect: deny
    actions: [state:wriet]
    units: ['prod/***']
  - effect: allow
    action: [lock]
  - effect: allow
    actions: [lock]
    labels: {}
`
  const faults = refusalOf(() => readRoleFile(text, 'freeze.yaml', 'freeze'))

  expect(faults).toEqual([
    expect.stringMatching(/^freeze\.yaml:1:7: The file is for the role thaw, not for freeze\.$/),
    expect.stringMatching(/^freeze\.yaml:3:13: This must be allow or deny\.$/),
    expect.stringMatching(/^freeze\.yaml:6:15: .*state:wriet.*state:write/),
    expect.stringMatching(/^freeze\.yaml:7:13: .*prod\/\*\*\*/),
    expect.stringMatching(/^freeze\.yaml:8:5: /),
    expect.stringMatching(/^freeze\.yaml:9:5: The key "action" is unknown\. Did you mean actions\?$/),
    expect.stringMatching(/^freeze\.yaml:12:5: This names no label\.$/),
  ])
  expect(refusalOf(() => readRoleFile('', 'empty.yaml', 'freeze'))).toHaveLength(1)
  expect(refusalOf(() => readRoleFile('rules: [', 'broken.yaml', 'freeze'))[0]).toMatch(/^broken\.yaml:1:/)
})

function refusalOf(read: () => unknown): readonly string[] {
  try {
    read()
  } catch (error) {
    if (isTacoError(error, 'BAD_REQUEST')) return error.message.split('\n')
    throw error
  }
  throw new Error('it was accepted')
}
