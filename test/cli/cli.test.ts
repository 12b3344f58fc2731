import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testWorld } from '../support/cli.ts'
import type { TestWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'
import { serve } from '../../src/wire/serve.ts'

/** A person with a folder as bucket and no server anywhere. */
function laptop(changes: Parameters<typeof testWorld>[0] = {}): TestWorld {
  const world = testWorld({
    openEmbedded,
    serve,
    now: Date.now,
    env: { PATH: process.env['PATH'] },
    ...changes,
  })
  onTestFinished(world.dispose)
  world.env['TACO_BUCKET'] ??= join(world.cwd, 'bucket')
  return world
}

/** The same bucket, with nothing printed yet. */
function again(world: TestWorld, changes: Parameters<typeof testWorld>[0] = {}): TestWorld {
  return laptop({ cwd: world.cwd, env: { ...world.env }, ...changes })
}

async function out(world: TestWorld, ...args: readonly string[]): Promise<string> {
  const fresh = again(world)
  const code = await fresh.run(...args)
  expect({ code, err: code === 0 ? '' : fresh.err() }).toEqual({ code: 0, err: '' })
  return fresh.out()
}

async function refused(world: TestWorld, ...args: readonly string[]): Promise<{ code: number; err: string }> {
  const fresh = again(world)
  const code = await fresh.run(...args)
  return { code, err: fresh.err() }
}

/** Commands that run until they are stopped are also stopped when the test fails half-way. */
function endWith(world: TestWorld, ending: Promise<number>): void {
  onTestFinished(async () => {
    world.signal('SIGTERM')
    await ending
  })
}

function stateText(serial: number, value: string): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.12.6',
    serial,
    lineage: 'f3a1b7c2-0000-4000-8000-000000000000',
    outputs: { endpoint: { value, type: 'string' } },
    resources: [],
  })
}

test('a state is pushed and pulled byte for byte, with history, diff and rollback', async () => {
  const world = laptop()
  writeFileSync(join(world.cwd, 'one.tfstate'), stateText(1, 'a'))

  expect(await out(world, 'state', 'push', 'prod/network', 'one.tfstate', '-m', 'first')).toMatch(
    /stored sv-\w+ of prod\/network: number 1, serial 1/,
  )
  const second = again(world, { input: stateText(2, 'b') })
  expect(await second.run('state', 'push', 'prod/network', '-')).toBe(0)

  expect(await out(world, 'state', 'pull', 'prod/network')).toBe(stateText(2, 'b'))
  expect(await out(world, 'state', 'pull', 'prod/network', '1')).toBe(stateText(1, 'a'))
  await out(world, 'state', 'pull', 'prod/network', '-o', 'copy.tfstate')
  expect(readFileSync(join(world.cwd, 'copy.tfstate'), 'utf8')).toBe(stateText(2, 'b'))
  expect(statSync(join(world.cwd, 'copy.tfstate')).mode & 0o777).toBe(0o600)
  expect(await out(world, 'state', 'diff', 'prod/network')).toContain('~ output endpoint: "a" → "b"')
  expect((await refused(world, 'state', 'diff', 'prod/network', '--exit-code')).code).toBe(7)
  const versions = JSON.parse(await out(world, 'state', 'versions', 'prod/network', '--json'))
  expect(
    versions.items.map((version: { seq: number; message: string | null }) => [version.seq, version.message]),
  ).toEqual([
    [2, null],
    [1, 'first'],
  ])
  expect(await out(world, 'state', 'rollback', 'prod/network', '1', '--yes')).toContain('number 3, serial 3')
  expect(JSON.parse(await out(world, 'state', 'pull', 'prod/network'))).toMatchObject({
    serial: 3,
    outputs: { endpoint: { value: 'a' } },
  })
})

test('units are created, labelled, renamed, deleted and restored', async () => {
  const world = laptop()

  await out(world, 'unit', 'create', 'prod/network', '--label', 'team=net', '--keep-days', '90')
  expect(await out(world, 'unit', 'ls', '--label', 'team=net')).toMatch(/prod\/network .* team=net/)
  await out(world, 'unit', 'set', 'prod/network', '--label', 'team=', '--description', 'the network')
  expect(JSON.parse(await out(world, 'unit', 'show', 'prod/network', '--json'))).toMatchObject({
    labels: {},
    description: 'the network',
    retention: { days: 90 },
  })
  await out(world, 'unit', 'rename', 'prod/network', 'prod/vpc')
  expect((await refused(world, 'unit', 'rm', 'prod/vpc')).err).toContain('--yes')
  await out(world, 'unit', 'rm', 'prod/vpc', '--yes')
  expect(await out(world, 'unit', 'ls')).toBe('')
  expect(await out(world, 'unit', 'ls', '--deleted')).toContain('prod/vpc')
  await out(world, 'unit', 'restore', 'prod/vpc')
  expect(await out(world, 'unit', 'ls')).toContain('prod/vpc')
})

test.each([['unit', 'ls'], ['state', 'pull', 'a'], ['lock', 'a'], ['adopt'], ['events']])(
  '%s %s does not make a folder out of a path with a mistake',
  async (...args) => {
    const world = laptop()
    const { code, err } = await refused(world, ...args)

    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringMatching(/There is no bucket at file:\/\/\S+bucket/),
    })
    expect(existsSync(join(world.cwd, 'bucket'))).toBe(false)
  },
)

test('a name that is nearly right gets the right one as advice, and 3', async () => {
  const world = laptop()
  await out(world, 'unit', 'create', 'prod/network')

  const { code, err } = await refused(world, 'unit', 'show', 'prod/netwrok')

  expect(code).toBe(3)
  expect(err).toContain('hint: Did you mean prod/network?')
  expect(err).toContain('request id: ')
})

test('people with the same bucket exclude each other: the holder is named, and only force breaks his lock', async () => {
  const world = laptop()
  await out(world, 'unit', 'create', 'a')
  const bob = again(world, { who: 'bob@desk' })
  expect(await bob.run('lock', 'a', '--reason', 'migrating')).toBe(0)

  const locked = await refused(world, 'lock', 'a')
  expect(locked.code).toBe(4)
  expect(locked.err).toContain('holder:    bob@desk')
  expect(await refused(world, 'unlock', 'a')).toMatchObject({
    code: 4,
    err: expect.stringContaining('is locked by bob@desk'),
  })
  expect(await again(world, { who: 'bob@desk' }).run('unlock', 'a')).toBe(0)
  expect(await refused(world, 'unlock', 'a')).toMatchObject({
    code: 4,
    err: expect.stringContaining('a is not locked'),
  })
  expect(await again(world, { who: 'bob@desk' }).run('lock', 'a')).toBe(0)
  await out(world, 'unlock', 'a', '--force')
  expect(await out(world, 'events', '--type', 'lock.forced')).toContain('lock.forced       a')
})

test('organizations have separate units', async () => {
  const world = laptop()
  await out(world, 'org', 'create', 'acme', '--keep-versions', '10')
  await out(world, '--org', 'acme', 'unit', 'create', 'only/here')

  expect(await out(world, 'unit', 'ls')).toBe('')
  expect(await out(world, 'unit', 'ls', '--org', 'acme')).toContain('only/here')
  expect(await out(world, 'org', 'ls')).toMatch(/acme +at least 10 versions/)
  expect(await out(world, 'org', 'set', 'acme', '--keep-all')).toContain('everything')
})

test('states that are already in the bucket become units, and upkeep finds nothing wrong', async () => {
  const world = laptop()
  await out(world, 'state', 'push', 'seed', await file(world, stateText(1, 'x')))
  mkdirSync(join(world.cwd, 'bucket', 'old', 'app'), { recursive: true })
  writeFileSync(join(world.cwd, 'bucket', 'old', 'app', 'terraform.tfstate'), stateText(5, 'old'))

  const lines = (await out(world, 'adopt', '--json'))
    .trim()
    .split('\n')
    .map((line): { outcome?: string; unit?: string } => JSON.parse(line))
  expect(lines).toContainEqual(expect.objectContaining({ unit: 'old/app', outcome: 'adopted' }))
  expect(await out(world, 'state', 'pull', 'old/app')).toBe(stateText(5, 'old'))
  expect(await out(world, 'gc', '--dry-run')).toContain('would prune 0 versions')
  expect(await out(world, 'doctor', '--deep')).toContain('ok ')
})

/** Names, times and content of everything in a folder. */
function picture(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const stat = lstatSync(path)
      const content = stat.isFile() ? readFileSync(path, 'hex') : ''
      return `${name} ${stat.mtimeMs} ${stat.ctimeMs} ${content}`
    })
}

test('a dry run leaves a folder as it was, whether OpenTaco has used it before or not', async () => {
  const world = laptop()
  const folder = join(world.cwd, 'bucket')
  mkdirSync(join(folder, 'old', 'app'), { recursive: true })
  writeFileSync(join(folder, 'old', 'app', 'terraform.tfstate'), stateText(5, 'old'))

  const fresh = picture(folder)
  expect(await out(world, 'adopt', '--dry-run')).toMatch(/would-adopt +old\/app/)
  expect(await out(world, 'gc', '--dry-run')).toContain('would prune 0 versions')
  expect(picture(folder)).toEqual(fresh)

  await out(world, 'adopt')
  // Edited from outside: the next reader would record it.
  writeFileSync(join(folder, 'old', 'app', 'terraform.tfstate'), stateText(6, 'edited'))
  mkdirSync(join(folder, 'new'))
  writeFileSync(join(folder, 'new', 'terraform.tfstate'), stateText(1, 'new'))
  const used = picture(folder)
  expect(await out(world, 'adopt', '--dry-run')).toMatch(/would-adopt +new /)
  expect(await out(world, 'gc', '--dry-run')).toContain('would prune 0 versions')
  expect(picture(folder)).toEqual(used)
  expect(await out(world, 'adopt')).toMatch(/adopted +new /)
})

async function file(world: TestWorld, text: string): Promise<string> {
  const name = 'given.tfstate'
  writeFileSync(join(world.cwd, name), text)
  return name
}

/** A stand-in for an engine: locks, says so, and when interrupted takes its time to unlock, as an apply does. */
const engine = `
const { TF_HTTP_ADDRESS: address, TF_HTTP_LOCK_ADDRESS, TF_HTTP_UNLOCK_ADDRESS, TF_HTTP_USERNAME: user, TF_HTTP_PASSWORD: password } = process.env
const addresses = { LOCK: TF_HTTP_LOCK_ADDRESS, UNLOCK: TF_HTTP_UNLOCK_ADDRESS }
const headers = { authorization: 'Basic ' + Buffer.from(user + ':' + password).toString('base64') }
const body = JSON.stringify({ ID: 'engine-lock', Operation: 'OperationTypeApply', Who: 'engine', Version: '1', Created: '', Info: '', Path: '' })
const { request } = require('node:http')
const call = (method) => new Promise((done) => { const r = request(addresses[method], { method, headers }, (a) => { a.resume(); a.on('end', () => done(a.statusCode)) }); r.end(body) })
let hits = 0
process.on('SIGTERM', async () => { hits++; if (hits > 1) process.exit(99); setTimeout(async () => process.exit((await call('UNLOCK')) === 200 ? 42 : 98), 100) })
call('LOCK').then((status) => process.stdout.write('locked ' + status + ' ' + new URL(address).hostname + new URL(address).pathname + '\\n'))
setInterval(() => {}, 1000)
`

function engineThat(act: string): string {
  return engine.replace(/^call\('LOCK'\).*$/m, `call('LOCK').then((status) => ${act})`)
}

test('an interrupted engine still unlocks through its backend, and its exit code is passed on', async () => {
  const world = laptop()
  const running = again(world)

  const ending = running.run('exec', 'prod/network', '--', process.execPath, '-e', engine)
  await expect.poll(running.out).toBe('locked 200 127.0.0.1/v1/backend/default/prod/network\n')
  const meanwhile = await refused(world, 'lock', 'prod/network')
  running.signal('SIGTERM')

  expect(await ending).toBe(42)
  expect(meanwhile).toMatchObject({ code: 4, err: expect.stringContaining('holder:    engine') })
  expect(JSON.parse(await out(world, 'unit', 'show', 'prod/network', '--json'))).toMatchObject({ lock: null })
})

test("of two commands on one unit, the loser is not told to break the winner's lock", async () => {
  const world = laptop()
  const winner = again(world)
  const ending = winner.run('exec', 'a', '--', process.execPath, '-e', engine)
  await expect.poll(winner.out).toContain('locked 200')

  const loses = engineThat('process.exit(status === 423 ? 7 : 8)').replace('engine-lock', 'other-lock')
  const lost = await refused(world, 'exec', 'a', '--', process.execPath, '-e', loses)
  const killed = engineThat("process.kill(process.pid, 'SIGKILL')")
  const left = await refused(world, 'exec', 'b', '--', process.execPath, '-e', killed)
  winner.signal('SIGTERM')

  expect(lost).toEqual({ code: 7, err: '' })
  expect(left.err).toContain('b is still locked (engine-lock)')
  expect(await ending).toBe(42)
})

test('the same holds on a server, for two commands of one person', async () => {
  const world = laptop()
  const server = again(world)
  const serving = server.run('serve', '--listen', '127.0.0.1:0', '--log-level', 'silent', '--json')
  endWith(server, serving)
  await expect.poll(server.out).toContain('"url"')
  const { url } = JSON.parse(server.out())
  const client = () => {
    const one = again(world)
    delete one.env['TACO_BUCKET']
    one.env['TACO_SERVER'] = url
    return one
  }
  const mine = (script: string) => script.replace("Who: 'engine'", `Who: ${JSON.stringify(world.who)}`)

  // The loser begins before the winner has its lock, and loses afterwards.
  const loses = mine(engineThat('process.exit(status === 423 ? 7 : 8)').replace('engine-lock', 'other-lock'))
  const waits = `console.log('began'); const t = setInterval(() => { if (require('node:fs').existsSync('go')) { clearInterval(t); lock() } }, 5); function lock() { ${loses} }`
  const loser = client()
  const losing = loser.run('exec', 'a', '--', process.execPath, '-e', waits)
  await expect.poll(loser.out).toContain('began')
  const winner = client()
  const ending = winner.run('exec', 'a', '--', process.execPath, '-e', mine(engine))
  await expect.poll(winner.out).toContain('locked 200')
  writeFileSync(join(world.cwd, 'go'), '')
  const lost = await losing
  const killed = client()
  const left = await killed.run(
    'exec',
    'b',
    '--',
    process.execPath,
    '-e',
    mine(engineThat("process.kill(process.pid, 'SIGKILL')")),
  )
  winner.signal('SIGTERM')

  expect({ lost, err: loser.err() }).toEqual({ lost: 7, err: '' })
  expect(left).toBe(137)
  expect(killed.err()).toContain('b is still locked (engine-lock)')
  expect(await ending).toBe(42)
})

test('a failure of the bucket is explained in words; only --debug shows the stack', async () => {
  const world = laptop()
  await out(world, 'unit', 'create', 'a')
  const units = join(world.cwd, 'bucket', '.taco', 'orgs', 'default', 'units')
  for (const name of readdirSync(units)) writeFileSync(join(units, name), 'damaged')
  const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => logged.mockRestore())

  expect((await refused(world, 'unit', 'show', 'a')).code).toBe(1)
  expect(logged.mock.calls).toEqual([])
  await refused(world, 'unit', 'show', 'a', '--debug')
  expect(logged.mock.calls.join('')).toContain('stack')
})

test('a command gets the backend in its environment, and neither the token of the control plane nor a stale backend', async () => {
  const world = laptop()
  const shown = again(world)
  shown.env['TACO_ROOT_TOKEN'] = 'root-token-of-a-server'
  shown.env['TACO_TOKEN'] = 'a-token'
  shown.env['TACO_TOKEN_FILE'] = '/run/secrets/a-token'
  shown.env['TF_HTTP_RETRY_MAX'] = 'stale'
  const script =
    'console.log(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([n]) => /^(TF_HTTP|TACO)_/.test(n)))))'

  expect(await shown.run('exec', 'a', '--', process.execPath, '-e', script)).toBe(0)
  const env = JSON.parse(shown.out())
  expect(Object.keys(env).toSorted()).toEqual([
    'TACO_BUCKET',
    'TF_HTTP_ADDRESS',
    'TF_HTTP_LOCK_ADDRESS',
    'TF_HTTP_LOCK_METHOD',
    'TF_HTTP_PASSWORD',
    'TF_HTTP_UNLOCK_ADDRESS',
    'TF_HTTP_UNLOCK_METHOD',
    'TF_HTTP_UPDATE_METHOD',
    'TF_HTTP_USERNAME',
  ])
  expect(env.TF_HTTP_PASSWORD).toMatch(/^taco_run_default\./)
})

test('a command that does not exist is 127, and nothing is left listening', async () => {
  expect(await refused(laptop(), 'exec', 'a', '--', 'no-such-program-here')).toMatchObject({ code: 127 })
})

test.each([
  [['exec', '../x', '--', 'true'], 'has an empty, "." or ".." part'],
  [['backend', '../p'], 'has an empty, "." or ".." part'],
  [['backend', 'a//b'], 'has an empty, "." or ".." part'],
  [['backend', 'a', '--org', 'Not Good'], 'is not a valid organization name'],
])('%j is refused before anything runs or is printed', async (args, why) => {
  const world = laptop()
  const { code, err } = await refused(world, ...args)

  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(why) })
  expect(existsSync(join(world.cwd, 'bucket'))).toBe(false)
})

test('serve prints its address, serves until it is stopped, and exits with 0', async () => {
  const world = laptop()
  const server = again(world)
  const ending = server.run('serve', '--listen', '127.0.0.1:0', '--log-level', 'silent')
  endWith(server, ending)
  await expect.poll(server.err).toContain('Ctrl-C stops it.')
  const url = /serves (http:\S+)/.exec(server.err())?.[1] ?? ''
  const client = again(world)
  delete client.env['TACO_BUCKET']

  expect(await client.run('--server', url, 'unit', 'create', 'prod/network')).toBe(0)
  expect(await client.run('--server', url, 'backend', 'prod/network')).toBe(0)
  expect(client.out()).toContain(`address        = "${url}/v1/backend/default/prod/network"`)
  expect(await client.run('--server', url, 'doctor')).toBe(0)
  expect(client.out()).toContain('The clocks of this machine and the server')
  server.signal('SIGTERM')
  expect(await ending).toBe(0)
  expect(await out(world, 'unit', 'ls')).toContain('prod/network')
})

test('serve without a token refuses an address that others can reach', async () => {
  const { code, err } = await refused(laptop(), 'serve', '--listen', '0.0.0.0:0', '--auth', 'none')

  expect(code).toBe(5)
  expect(err).toContain('--insecure')
})

test('serve with a token admits no one without it; a command gets a token for its unit that ends with it', async () => {
  const world = laptop()
  const server = again(world)
  server.env['TACO_ROOT_TOKEN'] = 'a-root-token-of-some-length'
  const ending = server.run('serve', '--listen', '127.0.0.1:0', '--log-level', 'silent', '--json')
  endWith(server, ending)
  await expect.poll(server.out).toContain('"url"')
  const { url, auth } = JSON.parse(server.out())
  const stranger = again(world)
  delete stranger.env['TACO_BUCKET']
  const friend = again(world)
  delete friend.env['TACO_BUCKET']
  writeFileSync(join(world.cwd, 'token'), 'a-root-token-of-some-length\n')
  friend.env['TACO_TOKEN_FILE'] = join(world.cwd, 'token')
  friend.env['COPY_OF_THE_TOKEN'] = 'a-root-token-of-some-length'

  expect(auth).toBe('token')
  expect(await stranger.run('--server', url, 'unit', 'ls')).toBe(5)
  expect(
    await friend.run(
      '--server',
      url,
      'exec',
      'a',
      '--',
      process.execPath,
      '-e',
      'fetch(process.env.TF_HTTP_ADDRESS, { headers: { authorization: `Bearer ${process.env.TF_HTTP_PASSWORD}` } }).then(({ status }) => console.log(JSON.stringify({ status, env: process.env })))',
    ),
  ).toBe(0)
  const { status, env } = JSON.parse(friend.out())
  const token = env.TF_HTTP_PASSWORD
  const after = await fetch(env.TF_HTTP_ADDRESS, { headers: { authorization: `Bearer ${token}` } })

  expect(token).toMatch(/^taco_run_default\./)
  expect(friend.out()).not.toContain('a-root-token-of-some-length')
  expect(Object.keys(env)).not.toContain('TACO_TOKEN_FILE')
  expect([status, after.status]).toEqual([404, 401])
  expect(friend.err()).toBe('')
  server.signal('SIGINT')
  expect(await ending).toBe(0)
})

test('backend --write writes the block once, and over a bucket needs no address', async () => {
  const world = laptop()

  await out(world, 'backend', 'prod/network', '--write')
  expect(readFileSync(join(world.cwd, 'backend.tf'), 'utf8')).toBe('terraform {\n  backend "http" {}\n}\n')
  expect(await refused(world, 'backend', 'prod/network', '--write')).toMatchObject({
    code: 4,
    err: expect.stringContaining('--force'),
  })
  await out(world, 'backend', 'prod/network', '--write', '--force')
  await refused(world, 'backend', 'prod/network', '--write=other.tf')
  expect(existsSync(join(world.cwd, 'other.tf'))).toBe(false)
  const elsewhere = laptop()
  await out(elsewhere, 'backend', 'prod/network', '--write=other.tf')
  expect(existsSync(join(elsewhere.cwd, 'other.tf'))).toBe(true)
})

test('events are followed as they happen, and an interrupt ends it', async () => {
  const world = laptop()
  await out(world, 'unit', 'create', 'first')
  const follower = again(world)

  const ending = follower.run('events', '--follow', '--limit', '1', '--json')
  endWith(follower, ending)
  await expect.poll(follower.out).toContain('"first"')
  await out(world, 'unit', 'create', 'second')
  await expect.poll(follower.out).toContain('"second"')
  follower.signal('SIGINT')

  expect(await ending).toBe(130)
  expect(follower.err()).not.toContain('error')
  expect(follower.out().match(/"second"/g)).toHaveLength(1)
})
