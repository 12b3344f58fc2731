import { describe, expect, test } from 'vitest'
import { hasShell, offeredBy } from '../rig/shells.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'

const formats = ['dot', 'json', 'mermaid', 'svg', 'tree']

describe.each(['zsh', 'fish'] as const)('%s', (shell) => {
  test.skipIf(!hasShell(shell)).each([
    ['taco un', ['unit', 'unlock']],
    ['taco --org acme state p', ['pull', 'push']],
    ['taco --org=acme state p', ['pull', 'push']],
    ['taco --quiet state p', ['pull', 'push']],
    ['taco state push --f', ['--force']],
    ['taco unit show --js', ['--json']],
    ['taco unit show --he', ['--help']],
    ['taco unit show --f', []],
    ['taco unit list --sea', ['--search']],
    ['taco graph --format ', formats],
    ['taco completion ', ['bash', 'fish', 'zsh']],
    ['taco help un', ['unit', 'unlock']],
    ['taco hel', ['help']],
    ['taco --org un', []],
    ['taco exec prod/x -- un', []],
    ['taco state push prod/x ', ['a-file']],
    ['taco state push prod/x --token-file ', ['a-file']],
  ])('offers after "%s" what fits there', (line, expected) => {
    const offered = offeredBy(shell, line)

    expect(offered.toSorted()).toEqual(expected)
  })

  test.skipIf(!hasShell(shell))('knows the values of an option that are written after "="', () => {
    const offered = offeredBy(shell, 'taco graph --format=d')

    expect(offered.map((word) => word.replace('--format=', ''))).toEqual(['dot'])
  })

  test.skipIf(!hasShell(shell))('knows the units and outputs of the bucket in use', async () => {
    const env = { TACO_BUCKET: `${await tempFolder()}/bucket` }
    const outputs = { vpc_id: { value: 'vpc-1', type: 'string' } }
    const state = {
      version: 4,
      serial: 1,
      lineage: 'one',
      terraform_version: '1.11.4',
      outputs,
      resources: [],
    }
    for (const unit of ['prod/network', 'prod/app', 'dev/app'])
      await runTaco(['state', 'push', unit, '-'], { env, input: JSON.stringify(state) })

    expect(offeredBy(shell, 'taco unit show prod/', env).toSorted()).toEqual(['prod/app', 'prod/network'])
    const named = offeredBy(shell, 'taco dep add dev/app --on prod/network:v', env)
    expect(named.map((word) => word.replace('\\:', ':'))).toEqual(['prod/network:vpc_id'])
  })
})
