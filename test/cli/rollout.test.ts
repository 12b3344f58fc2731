import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'

/** Runs commands in a folder with these files, on a folder as bucket, with an engine that does nothing, or `does`. */
function folder(files: Readonly<Record<string, string>>, does = '') {
  const home = testWorld()
  onTestFinished(home.dispose)
  const engine = join(home.cwd, 'bin/tofu')
  const says = `#!/bin/sh\ncase $1 in version) echo '{"terraform_version":"1.12.6"}';; ${does} esac\n`
  for (const [path, text] of Object.entries({ ...files, 'bin/tofu': says })) {
    mkdirSync(dirname(join(home.cwd, path)), { recursive: true })
    writeFileSync(join(home.cwd, path), text)
  }
  chmodSync(engine, 0o755)
  return async function taco(...args: readonly string[]) {
    const world = testWorld({
      openEmbedded,
      now: Date.now,
      cwd: home.cwd,
      env: { TACO_BUCKET: join(home.cwd, 'bucket'), TACO_ENGINE: engine, PATH: process.env['PATH'] },
      repository: () => import('../../src/wire/repository.ts'),
    })
    onTestFinished(world.dispose)
    const code = await world.run(...args)
    return { code, out: world.out(), err: world.err() }
  }
}

const backend = 'terraform {\n  backend "http" {}\n}\n'
const contains = (text: string) => expect.stringContaining(text) as string

test('a rollout that cannot be worked on here is not even started', async () => {
  const taco = folder({})
  await taco('unit', 'create', 'a')

  expect(await taco('rollout', 'start', '--from', 'a', '--work')).toMatchObject({
    code: 2,
    err: contains('There is no taco.yaml in this folder or above.'),
  })
  expect(await taco('rollout', 'start', '--from', 'a', '--work', '--lease', 'soon')).toMatchObject({
    code: 2,
  })
  expect(JSON.parse((await taco('rollout', 'ls', '--json')).out)).toEqual({ items: [] })
})

test('a folder that taco.yaml names but does not exist is reported as such', async () => {
  const taco = folder({ 'taco.yaml': 'units:\n  a: { dir: apps/a }\n' })

  expect(await taco('sync', '--yes')).toMatchObject({ code: 0, err: contains('the folder apps/a, which') })
  expect(await taco('rollout', 'start', '--from', 'a', '--work')).toMatchObject({
    code: 1,
    out: contains('The folder apps/a, which taco.yaml names for a, does not exist.'),
  })
  expect(await taco('plan', 'a')).toMatchObject({ code: 3, err: contains('The folder apps/a, which') })
  expect(await taco('plan', '--affected')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/a +failed +The folder apps\/a/) as string,
  })
})

test.each([
  ['init', []],
  ['apply', ['failed']],
])('a unit whose engine fails at %s is marked %j', async (command, marks) => {
  const files = { 'taco.yaml': 'units:\n  a: {}\n', 'a/main.tf': backend }
  const taco = folder(files, `init) mkdir -p .terraform;; esac; case $1 in ${command}) exit 1;;`)
  await taco('sync', '--yes')

  expect(await taco('rollout', 'start', '--from', 'a', '--work')).toMatchObject({
    code: 1,
    err: contains('try what failed again'),
  })
  const { items } = JSON.parse((await taco('status', '--json')).out) as { items: unknown[] }
  expect(items).toMatchObject([{ name: 'a', marks }])
})

test.each([
  ['says the name of', 'echo Error: errored.tfstate >&2', 'try what failed again'],
  ['leaves', 'touch errored.tfstate', 'store what could not be stored first'],
])('after an engine that %s the file of a state that it could not store', async (_, does, next) => {
  const files = { 'taco.yaml': 'units:\n  a: {}\n', 'a/main.tf': backend, 'a/.terraform/x': '' }
  const taco = folder(files, `apply) ${does}; exit 1;;`)
  await taco('sync', '--yes')

  expect(await taco('rollout', 'start', '--from', 'a', '--work')).toMatchObject({
    code: 1,
    err: contains(next),
  })
})

test.skipIf(!existsSync('/proc/self/mem'))('what cannot be read elsewhere proves nothing', async () => {
  const code = `${backend}locals {\n  a = file("/proc/self/mem")\n}\n`
  const taco = folder({ 'taco.yaml': 'units:\n  a: {}\n', 'a/main.tf': code })
  await taco('sync', '--yes')

  const run = () => taco('rollout', 'start', '--from', 'a', '--work')
  expect([await run(), await run()]).toMatchObject([
    { code: 0, out: contains('has no fingerprint, so it is applied: /proc/self/mem cannot be read') },
    { code: 0, out: contains('applied in') },
  ])
})

test('the next step suggested fits the status of the rollout', async () => {
  const taco = folder({ 'taco.yaml': 'units:\n  a: {}\n', 'a/main.tf': backend })
  await taco('sync', '--yes')
  const id = (await taco('rollout', 'start', '--from', 'a', '-q')).out.trim()

  await taco('rollout', 'pause', id)
  expect(await taco('rollout', 'work', id)).toMatchObject({
    code: 1,
    err: contains(`it is paused; continue with \`taco rollout resume ${id}\``),
  })
  await taco('rollout', 'cancel', id)
  expect((await taco('rollout', 'work', id)).err).toContain('it is cancelled')
})

test('inputs of a deleted unit says so, and how to restore it', async () => {
  const yaml = 'units:\n  net: {}\n  app:\n    dependencies: { net: [cidr] }\n'
  const taco = folder({ 'taco.yaml': yaml, 'net/main.tf': backend, 'app/main.tf': backend })
  await taco('sync', '--yes')
  await taco('unit', 'rm', 'net', '--yes')

  const { code, err } = await taco('inputs', 'app')

  expect(code).toBe(3)
  expect(err).toContain('net was deleted')
  expect(err).toContain('taco unit restore net')
  expect(err).not.toContain('has no state')
})

test('a name that is nearly right is answered with the right one', async () => {
  const taco = folder({ 'taco.yaml': 'units:\n  network: {}\n', 'network/main.tf': backend })
  await taco('sync', '--yes')
  const id = (await taco('rollout', 'start', '--from', 'network', '-q')).out.trim()
  const meant = { code: 3, err: contains('Did you mean network?') }

  expect(await taco('plan', 'netwrok')).toMatchObject(meant)
  expect(await taco('rollout', 'start', '--from', 'netwrok')).toMatchObject(meant)
  expect(await taco('rollout', 'start', '--from', 'network', '--from', 'netwrok')).toMatchObject(meant)
  expect(await taco('rollout', 'skip', id, 'netwrok', '--reason', 'x')).toMatchObject(meant)
  const state = {
    version: 4,
    serial: 1,
    lineage: 'l',
    outputs: { o: { value: 'v', type: 'string' } },
    resources: [],
  }
  const pushed = folder({ 'state.json': JSON.stringify(state) })
  await pushed('state', 'push', 'network', 'state.json')
  expect(await pushed('outputs', 'show', 'network', '--for', 'netwrok')).toMatchObject(meant)
  expect(await taco('dep', 'add', 'network', '--on', ':o')).toMatchObject({
    code: 2,
    err: contains('":o" does not name a unit'),
  })
})
