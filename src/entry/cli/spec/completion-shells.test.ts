import { describe, expect, test } from 'vitest'
import { hasShell, offeredBy } from '../../../../test/rig/shells.ts'
import { completionScript } from './completion-script.ts'
import { program } from '../program.ts'

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
    const offered = offeredBy(shell, completionScript(program, shell), line)

    expect(offered.toSorted()).toEqual(expected)
  })

  test.skipIf(!hasShell(shell))('knows the values of an option that are written after "="', () => {
    const offered = offeredBy(shell, completionScript(program, shell), 'taco graph --format=d')

    expect(offered.map((word) => word.replace('--format=', ''))).toEqual(['dot'])
  })
})
