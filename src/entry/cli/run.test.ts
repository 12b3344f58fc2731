import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TacoError } from '../../base/errors.ts'
import { exitCodeOf } from './terminal/exit-codes.ts'
import { helpOf } from './spec/help.ts'
import { program } from './program.ts'
import { allCommands, longOf } from './spec/spec.ts'
import { sendJson, testServer, testWorld, unitView } from '../../../test/support/cli.ts'
import type { TestWorld } from '../../../test/support/cli.ts'

function worldFor(...args: Parameters<typeof testWorld>): TestWorld {
  const world = testWorld(...args)
  onTestFinished(world.dispose)
  return world
}

test('every command has an example that names it, and help that says what it does', () => {
  for (const { path, spec } of allCommands(program)) {
    const help = helpOf(program, spec, path, { width: 100, bold: (text) => text })
    expect(help).toContain(`Usage: ${['taco', ...path].join(' ')}`)
    expect(help).toContain(spec.says)
    if (spec.run === undefined) continue
    expect(spec.example, path.join(' ')).toContain(path.at(-1))
    expect(help).toMatch(/\nExamples?:\n/)
    for (const line of spec.example?.split('\n') ?? []) expect(help).toContain(`  ${line}\n`)
    for (const option of spec.options ?? []) expect(help).toContain(longOf(option))
  }
})

test('help fits the width it is given', () => {
  const help = helpOf(program, program, [], { width: 80, bold: (text) => text })
  const tooWide = help.split('\n').filter((line) => line.startsWith('  ') && line.length > 80)

  expect(tooWide).toEqual([])
})

test('help goes to stdout with 0, a command that is missing gets it on stderr with 2', async () => {
  const asked = worldFor()
  const lost = worldFor()

  expect(await asked.run('--help')).toBe(0)
  expect(await lost.run('unit')).toBe(2)
  expect(asked.out()).toContain('Exit codes:')
  expect(asked.err()).toBe('')
  expect(lost.out()).toBe('')
  expect(lost.err()).toContain('Usage: taco unit <command>')
})

test('the version is printed alone', async () => {
  const world = worldFor()

  expect(await world.run('-V')).toBe(0)
  expect(world.out()).toBe('1.2.3\n')
})

test('an error has a hint and a request id, and no stack without --debug', async () => {
  const server = await testServer((_heard, res) =>
    sendJson(res, { code: 'FORBIDDEN', detail: 'no', status: 403, requestId: 'req-7' }, 403),
  )
  onTestFinished(server.close)
  const plain = worldFor()
  const debug = worldFor()

  expect(await plain.run('--server', server.url, 'org', 'ls')).toBe(5)
  expect(await debug.run('--server', server.url, 'org', 'ls', '--debug')).toBe(5)
  expect(plain.err()).toBe('error: no\nhint: Ask for permission, or use another token.\nrequest id: req-7\n')
  expect(debug.err()).toMatch(/\n {4}at /)
})

test('with --json an error is one line of JSON on stderr', async () => {
  const world = worldFor()

  expect(await world.run('unit', 'ls', '--nonsense', '--json')).toBe(2)
  expect(world.out()).toBe('')
  expect(JSON.parse(world.err())).toMatchObject({
    error: { code: 'BAD_REQUEST', message: 'There is no option --nonsense.', exitCode: 2 },
  })
})

test('colours appear on a terminal only, and not against NO_COLOR or --no-color', async () => {
  const shown = async (isTerminal: boolean, env: Record<string, string>, ...args: string[]) => {
    const world = worldFor({ isTerminal, env })
    await world.run('nonsense', ...args)
    return world.err().includes('\u001b[')
  }

  expect(await shown(true, {})).toBe(true)
  expect(await shown(false, {})).toBe(false)
  expect(await shown(true, { NO_COLOR: '1' })).toBe(false)
  expect(await shown(true, {}, '--no-color')).toBe(false)
})

test('every error code has an exit code between 1 and 7, or that of an interrupt', () => {
  const codes = [
    'NOT_FOUND',
    'LOCKED',
    'UNAUTHENTICATED',
    'BUCKET_UNAVAILABLE',
    'BAD_REQUEST',
    'UNEXPECTED',
    'CANCELLED',
  ] as const

  expect(codes.map((code) => exitCodeOf(new TacoError(code, '')))).toEqual([3, 4, 5, 6, 2, 1, 130])
  expect(exitCodeOf(new Error('anything'))).toBe(1)
})

test('an interrupt ends a command that waits, with 130', async () => {
  let asked: () => void = () => {}
  const waiting = new Promise<void>((resolve) => (asked = resolve))
  const server = await testServer(() => asked())
  onTestFinished(server.close)
  const world = worldFor()

  const ending = world.run('--server', server.url, 'unit', 'ls')
  await waiting
  world.signal('SIGINT')

  expect(await ending).toBe(130)
  expect(world.err()).toContain('error: Interrupted.')
})

test('what is opened over a bucket is closed again, after success and after failure', async () => {
  const events: string[] = []
  const openEmbedded = () =>
    Promise.resolve({
      connect: () => {
        throw new TacoError('BUCKET_UNAVAILABLE', 'gone')
      },
      listen: () => Promise.reject(new Error('not here')),
      close: () => Promise.resolve(void events.push('closed')),
    })
  const world = worldFor({ openEmbedded })

  expect(await world.run('--bucket', 's3://x', 'unit', 'ls')).toBe(6)
  expect(events).toEqual(['closed'])
})

test('`use` remembers an address in a file that nobody else may read, shows it and forgets it', async () => {
  const world = worldFor()
  const file = join(world.home, '.config', 'opentaco', 'config.json')

  expect(await world.run('use', './data')).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ bucket: `file://${world.cwd}/data` })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await world.run('use')).toBe(0)
  expect(world.out()).toContain(`bucket:       file://${world.cwd}/data`)
  expect(await world.run('use', 'https://taco.example.com/', '--org', 'acme')).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ server: 'https://taco.example.com', org: 'acme' })
  expect(await world.run('use', '--forget')).toBe(0)
  expect(() => statSync(file)).toThrow('ENOENT')
})

test('`use` respects XDG_CONFIG_HOME, and a damaged file is named with a way out', async () => {
  const world = worldFor()
  world.env['XDG_CONFIG_HOME'] = join(world.home, 'xdg')

  expect(await world.run('use', 's3://states')).toBe(0)
  const file = join(world.home, 'xdg', 'opentaco', 'config.json')
  expect(readFileSync(file, 'utf8')).toContain('s3://states')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(file, '{"server": 5}')
  expect(await world.run('unit', 'ls')).toBe(2)
  expect(world.err()).toContain('taco use --forget')
})

test('a list is complete: every page is asked for', async () => {
  const server = await testServer(({ url }, res) => {
    const cursor = new URL(url, 'http://x').searchParams.get('cursor')
    if (cursor === null) sendJson(res, { items: [unitView('a'), unitView('b')], next: 'p2', asOf: '' })
    else sendJson(res, { items: [unitView('c')], next: null, asOf: '' })
  })
  onTestFinished(server.close)
  const table = worldFor()
  const json = worldFor()

  expect(await table.run('--server', server.url, 'unit', 'ls')).toBe(0)
  expect(await json.run('--server', server.url, 'unit', 'ls', '--json')).toBe(0)
  expect(
    table
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual(['UNIT', 'a', 'b', 'c'])
  expect(JSON.parse(json.out())).toMatchObject({
    items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    next: null,
  })
})

test('what is about the whole server is asked without an organization', async () => {
  const about = { version: '1.2.3', bucket: { kind: 'file', label: 'x' }, auth: 'none', time: '2026-01-02' }
  const server = await testServer((_heard, res) => sendJson(res, about))
  onTestFinished(server.close)
  const asked = ['version', 'doctor', 'org ls', 'org show a', 'org create a', 'org set a --keep-all']
  for (const command of asked)
    await worldFor().run('--server', server.url, '--org', 'acme', ...command.split(' '))

  const urls = server.heard.map(({ url }) => url).filter((url) => url.startsWith('/v1/'))
  expect([...new Set(urls)].toSorted()).toEqual([
    '/v1/doctor',
    '/v1/orgs',
    '/v1/orgs/a',
    '/v1/orgs?limit=1000',
    '/v1/server',
  ])
})

test('an answer of another shape is refused in words, never shown as nonsense', async () => {
  const server = await testServer((_heard, res) => sendJson(res, unitView('a', { labels: 'none' })))
  onTestFinished(server.close)
  const world = worldFor()

  expect(await world.run('--server', server.url, 'unit', 'show', 'a')).toBe(1)
  expect(world.err()).toContain('the answer.labels is not an object')
})

test.each([
  ['s3://AK:hunter2@states', 'Never put secrets in an address'],
  ['s3://states?secret_key=hunter2', 'Never put secrets in an address'],
  ['ftp://x', '"ftp:" is not a kind of bucket'],
])('`use` refuses %s, keeps nothing of it and shows no secret', async (address, why) => {
  const world = worldFor()

  expect(await world.run('use', address)).toBe(2)
  expect(existsSync(join(world.home, '.config', 'opentaco', 'config.json'))).toBe(false)
  world.env['TACO_BUCKET'] = address
  expect(await world.run('use')).toBe(2)
  await world.run('doctor')
  expect(world.err()).toContain(why)
  expect(world.out() + world.err()).not.toContain('hunter2')
})

test.each([
  ['its own', true],
  ["another command's", false],
])('after a command that failed, a lock is told if it is %s', async (_, isOwn) => {
  const asked: string[] = []
  const server = await testServer(({ method, url }, res) => {
    if (url.includes('/variables/')) return sendJson(res, { print: null, items: [] })
    if (method === 'LOCK') asked.push(new URL(url, 'http://x').searchParams.get('run') ?? '')
    const Run = isOwn ? asked[0] : 'of another'
    const lock = {
      id: 'l1',
      info: { Operation: 'apply', Who: 'alice@laptop', Created: '', Info: '', Run },
      reason: null,
      by: 'root',
      at: '2026-01-02T03:04:06Z',
      leaseUntil: null,
      lastSeenAt: null,
      outside: false,
    }
    sendJson(res, { lock })
  })
  onTestFinished(server.close)
  const world = worldFor({ env: { PATH: process.env['PATH'] } })
  const engine =
    "require('node:http').request(process.env.TF_HTTP_LOCK_ADDRESS, { method: 'LOCK' }, () => process.exit(9)).end('{}')"

  expect(await world.run('--server', server.url, 'exec', 'a', '--', process.execPath, '-e', engine)).toBe(9)
  expect(asked).toEqual([expect.stringMatching(/^.{16}$/)])
  expect(world.err().includes('a is still locked (l1)')).toBe(isOwn)
})
