import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../support/cli.ts'
import type { TestWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'

/** A person with a folder as bucket; each command behaves like a process of its own. */
function laptop(): TestWorld {
  const world = testWorld({ openEmbedded, now: Date.now })
  onTestFinished(world.dispose)
  world.env['TACO_BUCKET'] = join(world.cwd, 'bucket')
  return world
}

async function taco(world: TestWorld, ...args: readonly string[]) {
  const fresh = testWorld({ openEmbedded, now: Date.now, cwd: world.cwd, env: { ...world.env } })
  onTestFinished(fresh.dispose)
  const code = await fresh.run(...args)
  return { code, out: fresh.out(), err: fresh.err() }
}

let serial = 0
async function push(
  world: TestWorld,
  unit: string,
  outputs: Readonly<Record<string, string>>,
): Promise<void> {
  const typed = Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]),
  )
  const state = { version: 4, serial: ++serial, lineage: unit, outputs: typed, resources: [] }
  writeFileSync(join(world.cwd, 'state.json'), JSON.stringify(state))
  expect((await taco(world, 'state', 'push', unit, 'state.json')).code).toBe(0)
}

test('edges are declared, shown, refused when they close a cycle, and taken back', async () => {
  const world = laptop()
  await push(world, 'prod/network', { vpc_id: 'a', subnet_ids: 'b' })
  await taco(world, 'unit', 'create', 'prod/app')

  const added = await taco(world, 'dep', 'add', 'prod/app', '--on', 'prod/network:vpc_id,subnet_ids')
  expect(added.out).toMatch(/prod\/network +vpc_id, subnet_ids +declared +unknown +never/)
  const cycle = await taco(world, 'dep', 'add', 'prod/network', '--on', 'prod/app')
  expect(cycle).toMatchObject({
    code: 4,
    err: expect.stringContaining('prod/network → prod/app → prod/network'),
  })
  const typo = await taco(world, 'dep', 'add', 'prod/app', '--on', 'prod/netwrok')
  expect(typo).toMatchObject({ code: 3, err: expect.stringContaining('Did you mean prod/network?') })
  const output = await taco(world, 'dep', 'add', 'prod/app', '--on', 'prod/network:vpcid')
  expect(output).toMatchObject({ code: 3, err: expect.stringContaining('Did you mean vpc_id?') })
  expect((await taco(world, 'dep', 'ls')).out).toMatch(
    /prod\/app +prod\/network +vpc_id, subnet_ids +declared/,
  )
  expect((await taco(world, 'dep', 'ls', 'prod/network')).out).toMatch(/IS USED BY[^]*prod\/app/)
  const gone = await taco(world, 'unit', 'rm', 'prod/network', '--yes')
  expect(gone).toMatchObject({
    code: 0,
    err: expect.stringContaining('warning: prod/network is used by prod/app'),
  })
  expect((await taco(world, 'status', 'prod/app')).out).toContain('never applied')
  expect((await taco(world, 'graph')).out).toMatch(/\? prod\/network {2}gone\n└── ○ prod\/app/)
  const left = await taco(world, 'dep', 'rm', 'prod/app', '--on', 'prod/network')
  expect(left).toMatchObject({ code: 0, out: '' })
})

test('status reports what is stale and why, and changes its exit code only with --exit-code', async () => {
  const world = laptop()
  await push(world, 'network', { vpc_id: 'a' })
  await push(world, 'app', {})
  await taco(world, 'dep', 'add', 'app', '--on', 'network:vpc_id')

  const unread = await taco(world, 'status', '--exit-code')
  expect(unread.code).toBe(0)
  expect(unread.out).toBe(
    '? app  unknown\n    it is unknown which network its state was made from\n\n2 units: 1 unknown, 1 up to date\n',
  )
  expect((await taco(world, 'status', 'network')).out).toBe('✓ network  up to date\n')
  expect(JSON.parse((await taco(world, 'status', '--json')).out)).toMatchObject({
    counts: { unknown: 1 },
    items: [{ name: 'app' }, { name: 'network' }],
  })
  const past = await taco(world, 'status', '--at', '2020-01-01')
  expect(past).toMatchObject({ code: 0, out: 'no units yet\n' })
  expect(await taco(world, 'status', '--at', 'yesterday')).toMatchObject({ code: 2 })
})

test('pictures are text that other programs draw, or SVG', async () => {
  const world = laptop()
  for (const name of ['network', 'app', 'web', 'dns']) await taco(world, 'unit', 'create', name)
  for (const [unit, on] of [
    ['app', 'network'],
    ['web', 'network'],
    ['dns', 'app'],
    ['dns', 'web'],
  ] as const)
    await taco(world, 'dep', 'add', unit, '--on', `${on}:`)

  expect((await taco(world, 'graph')).out).toBe(
    [
      '○ network  never applied',
      '├── ○ app  never applied',
      '│   └── ○ dns  never applied',
      '└── ○ web  never applied',
      '    └── ○ dns  never applied',
      '',
    ].join('\n'),
  )
  expect((await taco(world, 'graph', 'app', '--upstream', '--format', 'mermaid')).out).toMatch(
    /^flowchart LR\n/,
  )
  expect((await taco(world, 'graph', '--format', 'dot')).out).toMatch(/^digraph units \{/)
  expect((await taco(world, 'graph', '--format', 'svg')).out).toContain('</svg>')
  expect(JSON.parse((await taco(world, 'graph', '--format', 'json')).out).edges).toHaveLength(4)
})

test('the terminal obeys nothing in a state: commands show it, JSON keeps it', async () => {
  const world = laptop()
  const evil = 'a\u009b2Jb\u202ec\u2066d\u200ee\u061cf\u007fg\u001b[31mh\u0085i'
  await push(world, 'app', { [`name-${evil}`]: 'old', plain: 'old' })
  await push(world, 'app', { [`name-${evil}`]: evil, plain: evil })
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

  for (const args of [
    ['outputs', 'diff', 'app', '1'],
    ['outputs', 'show', 'app'],
    ['outputs', 'log', 'app'],
    ['state', 'diff', 'app', '1', '2'],
    ['state', 'versions', 'app'],
    ['unit', 'show', 'app'],
    ['outputs', 'show', 'app', '--json'],
    ['outputs', 'diff', 'app', '1', '--json'],
    ['state', 'diff', 'app', '1', '2', '--json'],
    ['events', '--json'],
  ]) {
    const { out, err } = await taco(world, ...args)
    expect([args, obeyed.exec(out + err)?.[0]]).toEqual([args, undefined])
    expect(out).not.toBe('')
  }
  const shown = JSON.parse((await taco(world, 'outputs', 'show', 'app', '--json')).out) as {
    outputs: { name: string; value: string }[]
  }
  expect(shown.outputs.find(({ name }) => name === 'plain')?.value).toBe(evil)
})
