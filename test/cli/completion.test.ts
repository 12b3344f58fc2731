import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'
import { program } from '../../src/entry/cli/program.ts'
import { allCommands, longOf } from '../../src/entry/cli/spec/spec.ts'
import { shims } from '../../src/entry/cli/completion/shims.ts'

/** What is offered for the last of these words. */
async function offered(words: readonly string[], changes: Parameters<typeof testWorld>[0] = {}) {
  const world = testWorld(changes)
  onTestFinished(world.dispose)
  expect(await world.run('__complete', '--', ...words)).toBe(0)
  expect(world.err()).toBe('')
  return world
    .out()
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[0])
}

test('every command and every option is offered', async () => {
  for (const { path, spec } of allCommands(program)) {
    if (path.length > 0) expect(await offered(path)).toContain(path.at(-1))
    const options = await offered([...path, '--'])
    for (const option of spec.options ?? []) expect(options, path.join(' ')).toContain(longOf(option))
  }
})

test.each([
  ['un', ['unit', 'unlock']],
  ['--org acme state p', ['pull', 'push']],
  ['--org=acme state p', ['pull', 'push']],
  ['--quiet state p', ['pull', 'push']],
  ['state push --f', ['--force']],
  ['unit show --js', ['--json']],
  ['unit show --f', []],
  ['unit list --sea', ['--search']],
  ['graph --format ', ['tree', 'dot', 'mermaid', 'svg', 'json']],
  ['graph --format=d', ['--format=dot']],
  ['graph -format ', ['tree', 'dot', 'mermaid', 'svg', 'json']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['exec prod/x -- un', []],
  ['help un', ['unit', 'unlock']],
  ['hel', ['help']],
  ['nonsense --nonsense=', []],
  ['state push prod/x ', [':files']],
  ['state pull prod/x --output ', [':files']],
  ['unit set x --description ', []],
])('"taco %s" is completed by what fits there', async (line, expected) => {
  expect(await offered(line.split(' '))).toEqual(expected)
})

const state = JSON.stringify({
  version: 4,
  serial: 1,
  lineage: 'one',
  terraform_version: '1.11.4',
  outputs: {
    vpc_id: { value: 'vpc-1', type: 'string' },
    vpn_key: { value: 'secret', type: 'string', sensitive: true },
  },
  resources: [],
})

test('units, organizations, rollouts, outputs and labels come from the bucket in use', async () => {
  const first = testWorld({ openEmbedded, input: state })
  onTestFinished(first.dispose)
  const bucket = join(first.cwd, 'bucket')
  const run = async (args: string, input = '') => {
    const world = testWorld({ openEmbedded, input, env: { TACO_BUCKET: bucket } })
    onTestFinished(world.dispose)
    expect({ code: await world.run(...args.split(' ')), err: world.err() }).toMatchObject({ code: 0 })
    return world.out()
  }
  await run('unit create prod/network --label team=core --label why=a;b')
  await run('unit create prod/app --label team=web')
  await run('org create acme')
  await run('--quiet state push prod/network -', state)
  await run('dep add prod/app --on prod/network:vpc_id')
  const { id } = JSON.parse(await run('--json rollout start --from prod/network'))
  const from = (line: string) => offered(line.split(' '), { openEmbedded, env: { TACO_BUCKET: bucket } })

  expect(await from('unit show prod/n')).toEqual(['prod/network'])
  expect(await from('events --unit=prod/a')).toEqual(['--unit=prod/app'])
  expect(await from('--org ')).toEqual(['acme', 'default'])
  expect(await from('org show a')).toEqual(['acme'])
  expect(await from('--org acme unit show ')).toEqual([])
  expect(await from('outputs show prod/network --only ')).toEqual(['vpc_id', 'vpn_key'])
  expect(await from('outputs show prod/network --only vpc_id,vpn')).toEqual(['vpc_id,vpn_key'])
  expect(await from('dep add prod/app --on prod/network:vpn')).toEqual(['prod/network:vpn_key'])
  expect(await from('unit ls --label team=')).toEqual(['team=web', 'team=core'])
  expect(await from('unit ls --label why')).toEqual([])
  expect(await from('rollout status ')).toEqual([id])
  expect(await from('rollout skip x prod/a')).toEqual(['prod/app'])
})

test('without a server, without a bucket and with a broken setting there is nothing to offer', async () => {
  const line = ['unit', 'show', '']

  expect(await offered(line, { env: { TACO_SERVER: 'http://127.0.0.1:1' } })).toEqual([])
  expect(await offered(line, { openEmbedded, env: { TACO_BUCKET: '/nowhere/at/all' } })).toEqual([])
  expect(await offered(line, { env: { TACO_SERVER: 'nonsense' } })).toEqual([])
  expect(
    await offered(line, { openEmbedded: () => new Promise(() => {}), env: { TACO_BUCKET: '/x' } }),
  ).toEqual([])
})

/** What bash would offer for a line, with a `taco` that offers what it is told to; and what it asked for. */
function bash(line: string, answer: string): { asked: string; offered: readonly string[] } {
  // As readline splits it.
  const words = line
    .split(/\s+/)
    .flatMap((word) => (word === '' ? [''] : word.split(/([=:])/).filter(Boolean)))
  const script = `${shims.bash}
exec 3>&2; taco() { printf '[%s]' "$@" >&3; printf -- '${answer}'; }
COMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_taco; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  expect(status).toBe(0)
  return { asked: stderr, offered: stdout.split('\n').filter(Boolean) }
}

test('bash asks for the words of the line, and replaces what readline lets it', () => {
  expect(bash('taco unit sh', 'show\\tshow a unit\\n')).toEqual({
    asked: '[__complete][--][unit][sh]',
    offered: ['show'],
  })
  expect(bash('taco --org=acme unit ', 'ls\\t\\n')).toEqual({
    asked: '[__complete][--][--org=acme][unit][]',
    offered: ['ls'],
  })
  expect(bash('taco graph --format=d', '--format=dot\\t\\n').offered).toEqual(['dot'])
  expect(bash('taco graph --format=', '--format=dot\\t\\n').offered).toEqual(['dot'])
  expect(bash('taco dep add x --on prod/network:v', 'prod/network:vpc_id\\t\\n').offered).toEqual(['vpc_id'])
  expect(bash('taco state push x /etc/passw', ':files\\n').offered).toContain('/etc/passwd')
})
