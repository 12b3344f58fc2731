import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'

async function taco(...args: readonly string[]) {
  const world = testWorld({ openEmbedded, now: Date.now })
  onTestFinished(world.dispose)
  world.env['TACO_BUCKET'] = join(world.cwd, 'bucket')
  mkdirSync(join(world.cwd, 'bucket'))
  expect(await world.run('unit', 'create', 'app')).toBe(0)
  const before = { out: world.out().length, err: world.err().length }
  const code = await world.run(...args)
  return { code, out: world.out().slice(before.out), err: world.err().slice(before.err) }
}

test('a unit that does not exist is reported as such by every command', async () => {
  const { code, err } = await taco('state', 'pull', 'nope')

  expect(code).toBe(3)
  expect(err).toContain('There is no unit nope.')
  expect((await taco('state', 'pull', 'app')).err).toContain('The unit app has no state.')
})

test.each([
  [
    ['events', '--type', 'bogus'],
    'There is no event type bogus.',
    /--type accepts org\.created, .*state\.written/,
  ],
  [['events', '-f', '--type', 'bogus'], 'There is no event type bogus.', /--type accepts org\.created/],
  [['lock', 'app', '--lease', '0s'], '--lease 0s is too short.', /at least 1s/],
  [['rollout', 'start', '--from', 'app', '--work', '--lease', '0s'], '--lease 0s', /Write --lease as/],
])('%j is refused in the words of the command line', async (args, message, hint) => {
  const { code, err } = await taco(...args)

  expect(code).toBe(2)
  expect(err).toContain(message)
  expect(err).toMatch(hint)
  expect(err).not.toMatch(/leaseMs|type\.0|openapi/)
})

test('gc counts the units that have a rule', async () => {
  expect((await taco('gc', '--dry-run')).out).toContain('of 0 units with a retention rule')
})

test('a refused token is answered with where the command line takes it from', async () => {
  const server = await testServer((_heard, res) =>
    sendJson(
      res,
      { code: 'UNAUTHENTICATED', detail: 'no token', hint: 'Send "Authorization: Bearer …"' },
      401,
    ),
  )
  onTestFinished(server.close)

  const { err } = await taco('--server', server.url, 'unit', 'ls')

  expect(err).toContain('TACO_TOKEN')
  expect(err).not.toContain('Bearer')
})

test('a rollout leaves Terragrunt units alone and says so once, before the other steps', async () => {
  const world = testWorld({
    openEmbedded,
    now: Date.now,
    repository: () => import('../../src/wire/repository.ts'),
  })
  onTestFinished(world.dispose)
  world.env['TACO_BUCKET'] = join(world.cwd, 'bucket')
  world.env['PATH'] = world.cwd
  writeFileSync(join(world.cwd, 'tofu'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(
    join(world.cwd, 'taco.yaml'),
    'units: { app: { dir: app }, api: { dir: api }, bare: { dir: bare }, web: { dir: web } }\n',
  )
  for (const name of ['app', 'api', 'bare', 'web']) mkdirSync(join(world.cwd, name))
  for (const name of ['app', 'api', 'web'])
    writeFileSync(join(world.cwd, name, 'terragrunt.hcl'), 'terraform {\n  source = "../modules/app"\n}\n')
  writeFileSync(join(world.cwd, 'bare/main.tf'), 'output "a" {\n  value = 1\n}\n')
  // Its own code configures the state, so an engine alone can run it.
  writeFileSync(join(world.cwd, 'web/backend.tf'), 'terraform {\n  backend "http" {}\n}\n')
  expect(await world.run('sync', '--yes')).toBe(0)
  const from = ['app', 'api', 'bare', 'web'].flatMap((name) => ['--from', name])

  expect(await world.run('rollout', 'start', ...from, '--work', '-q')).toBe(1)
  const [first = ''] = world.err().match(/warning: rollouts do not run Terragrunt.*/g) ?? []
  const id = /ro-\w+/.exec(world.out())?.[0] ?? ''
  expect(first).toContain('left alone: api, app')
  expect(world.err().split(first)).toHaveLength(2)
  expect(world.out()).toMatch(/bare has no backend.*`taco backend bare --write`/)
  expect(world.out()).toMatch(/\[web\] applied/)
  expect(world.out()).not.toMatch(/\[(app|api)\]/)
  // Quiet: how the steps ended, and nothing on the way.
  expect(world.out()).not.toContain('begins:')

  expect(await world.run('rollout', 'work', id)).toBe(1)
  expect(world.err().split(first)).toHaveLength(3)
  expect(world.err()).toContain(`run \`terragrunt apply\` for api, app, then \`taco rollout skip ${id}`)
  expect(world.err()).not.toContain('taco.yaml here does not name')
})

test('--lock-timeout sets how long a step waits for a locked unit', async () => {
  const world = testWorld({
    openEmbedded,
    now: Date.now,
    repository: () => import('../../src/wire/repository.ts'),
  })
  onTestFinished(world.dispose)
  world.env['TACO_BUCKET'] = join(world.cwd, 'bucket')
  world.env['PATH'] = world.cwd
  writeFileSync(join(world.cwd, 'tofu'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(world.cwd, 'taco.yaml'), 'units: { app: { dir: app } }\n')
  mkdirSync(join(world.cwd, 'app'))
  writeFileSync(join(world.cwd, 'app/main.tf'), 'terraform {\n  backend "http" {}\n}\n')
  expect(await world.run('sync', '--yes')).toBe(0)
  expect(await world.run('lock', 'app')).toBe(0)

  expect(await world.run('rollout', 'start', '--from', 'app', '--work', '--lock-timeout', '0')).not.toBe(0)

  expect(world.out()).toMatch(/\[app\].* failed: .*locked/)
  expect(await world.run('rollout', 'work', 'ro-1', '--lock-timeout', 'soon')).toBe(2)
})
