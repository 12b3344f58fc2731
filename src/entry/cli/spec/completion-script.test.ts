import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { completionScript } from './completion-script.ts'
import { program } from '../program.ts'
import { allCommands } from './spec.ts'

test.each(['bash', 'zsh', 'fish'] as const)(
  'the script for %s names every command and every option',
  (shell) => {
    const script = completionScript(program, shell)

    for (const { path, spec } of allCommands(program)) {
      if (path.length > 0) expect(script).toMatch(new RegExp(`\\b${path.at(-1) ?? ''}\\b`))
      for (const { name } of spec.options ?? []) expect(script, path.join(' ')).toContain(name)
    }
  },
)

/** What bash would offer after these words; the last one is what is being typed. */
function offered(...words: readonly string[]): string[] {
  const script = `${completionScript(program, 'bash')}
COMP_WORDS=(taco ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; COMPREPLY=(); _taco; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout.split('\n').filter(Boolean)
}

test('bash offers commands, subcommands and the options that belong there', () => {
  expect(offered('un')).toEqual(['unit', 'unlock'])
  expect(offered('--org', 'acme', 'state', 'p')).toEqual(['pull', 'push'])
  expect(offered('state', 'push', '--f')).toEqual(['--force'])
  expect(offered('unit', 'show', '--js')).toEqual(['--json'])
  expect(offered('unit', 'show', '--f')).toEqual([])
})

test('bash knows aliases, what stands for a value, and what follows an option', () => {
  expect(offered('unit', 'list', '--sea')).toEqual(['--search'])
  // Readline gives `--org=acme` as three words.
  expect(offered('--org', '=', 'acme', 'state', 'p')).toEqual(['pull', 'push'])
  expect(offered('--quiet', 'state', 'p')).toEqual(['pull', 'push'])
  expect(offered('graph', '--format', '')).toEqual(['tree', 'dot', 'mermaid', 'svg', 'json'])
  expect(offered('graph', '--format', '=', 'd')).toEqual(['dot'])
  expect(offered('graph', '--format', '=')).toEqual(['tree', 'dot', 'mermaid', 'svg', 'json'])
  expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  expect(offered('--org', 'un')).toEqual([])
  expect(offered('exec', 'prod/x', '--', 'un')).toEqual([])
  expect(offered('help', 'un')).toEqual(['unit', 'unlock'])
  expect(offered('hel')).toEqual(['help'])
})
