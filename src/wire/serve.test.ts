import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newKeyText } from '../access/index.ts'
import { openEmbedded } from './embed.ts'
import { listenOn } from './listen.ts'
import { serve } from './serve.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'serve-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const quiet = { listen: '127.0.0.1:0', logLevel: 'silent' } as const
const state = (serial: number) =>
  JSON.stringify({
    version: 4,
    serial,
    lineage: 'aaaa',
    terraform_version: '1.11.4',
    outputs: {},
    resources: [],
  })

test('a server over a folder takes states, keeps them over a restart, and is ready', async () => {
  const bucket = await folder()
  const first = await serve({ ...quiet, bucket, auth: 'none' })
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
  expect(
    (await fetch(`${first.url}/v1/backend/default/a/b`, { method: 'POST', body: state(1) })).status,
  ).toBe(200)
  await first.close()
  await first.close()

  const second = await serve({ ...quiet, bucket, auth: 'none' })
  onTestFinished(() => second.close())
  expect(await (await fetch(`${second.url}/v1/backend/default/a/b`)).text()).toBe(state(1))
  expect(second.bucket).toBe(`file://${bucket}`)
})

test.each([
  ['without authentication beyond loopback', { auth: 'none', listen: '0.0.0.0:0' }, 'loopback'],
  ['with no token', { auth: 'token' }, 'root token is missing'],
  ['with a short token', { auth: 'token', rootToken: 'short' }, 'at least 16'],
  ['behind nonsense', { auth: 'none', trustedProxies: ['10.0.0.0/8', 'proxy'] }, 'not a list of addresses'],
  ['on nonsense', { auth: 'none', listen: 'nonsense' }, 'not a listen address'],
  ['with a bucket of an unknown kind', { auth: 'none', bucket: 'ftp://x' }, 'bucket'],
] as const)('%s it does not start', async (_, options, message) => {
  await expect(serve({ bucket: 'memory:', ...quiet, ...options })).rejects.toThrow(message)
})

test('a port in use is reported as such', async () => {
  const taken = createServer()
  onTestFinished(() => void taken.close())
  const { port } = await listenOn(taken, { host: '127.0.0.1', port: 0 })

  await expect(
    serve({ ...quiet, bucket: 'memory:', auth: 'none', listen: `127.0.0.1:${port}` }),
  ).rejects.toThrow('already uses this address')
})

test('a shutdown lets requests under way end, and ends feeds', async () => {
  const server = await serve({ ...quiet, bucket: 'memory:', auth: 'none' })
  onTestFinished(() => server.close())
  const feed = await fetch(`${server.url}/v1/events`, { headers: { accept: 'text/event-stream' } })
  const upload = request(`${server.url}/v1/backend/default/a`, {
    method: 'POST',
    headers: { 'content-length': state(1).length },
  })
  const answered = new Promise<number | undefined>((resolve, reject) => {
    upload.on('response', (reply) => {
      reply.resume()
      resolve(reply.statusCode)
    })
    upload.on('error', reject)
  })
  // Looked at below; until then it must not end the whole run.
  answered.catch(() => undefined)
  upload.write(state(1).slice(0, 10))
  await expect
    .poll(async () => (await (await fetch(`${server.url}/metrics`)).text()).match(/in_flight (\d+)/)?.[1])
    .toBe('3')

  const closed = server.close()
  upload.end(state(1).slice(10))

  expect(await answered).toBe(200)
  await feed.text()
  await closed
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed')
})

test('the same API inside a process, over a connection that never leaves it', async () => {
  const bucket = await folder()
  const embedded = await openEmbedded({ bucket, by: 'alice@laptop' })
  onTestFinished(() => embedded.close())

  const put = await over(embedded.connect(), 'PUT', '/v1/units/a--b/state', state(1))
  const large = await over(
    embedded.connect(),
    'PUT',
    '/v1/units/large/state',
    state(1).replace('{}', JSON.stringify({ x: { value: 'x'.repeat(2_000_000), type: 'string' } })),
  )
  const shown = await over(embedded.connect(), 'GET', '/v1/units/a--b')

  expect(put.status).toBe(201)
  expect(large.status).toBe(201)
  expect((await over(embedded.connect(), 'GET', '/v1/units/large/state')).text).toHaveLength(
    2_000_000 + JSON.stringify({ x: { value: '', type: 'string' } }).length - 2 + state(1).length,
  )
  expect(JSON.parse(shown.text)).toMatchObject({
    name: 'a/b',
    createdBy: 'anonymous',
    createdWho: 'alice@laptop',
  })
})

test('for engines, a loopback port opens that takes nothing but run tokens of this process', async () => {
  const bucket = await folder()
  const embedded = await openEmbedded({ bucket, by: 'alice@laptop' })
  onTestFinished(() => embedded.close())
  const stranger = await openEmbedded({ bucket, by: 'bob@laptop' })
  onTestFinished(() => stranger.close())
  const tokenFrom = async ({ connect }: typeof embedded): Promise<string> =>
    JSON.parse((await over(connect(), 'POST', '/v1/units/a/run-tokens', '{}')).text).token
  const { url } = await embedded.listen()
  const get = async (path: string, token: string) =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).status
  const token = await tokenFrom(embedded)

  expect((await fetch(`${url}/v1/backend/default/a`)).status).toBe(401)
  expect(await get('/v1/backend/default/a', 'guess')).toBe(401)
  expect(await get('/v1/backend/default/a', await tokenFrom(stranger))).toBe(401)
  expect(await get('/v1/backend/default/a', token)).toBe(404)
  expect(await get('/v1/backend/default/b', token)).toBe(404)
  expect(await get('/v1/units', token)).toBe(403)
})

test('unusable options are reported as people give them', async () => {
  await expect(serve({ bucket: 'memory:', rootToken: 'short', maxStateBytes: Number.NaN })).rejects.toThrow(
    expect.objectContaining({
      message:
        'The settings of the server are invalid: the root token must have at least 16 characters; --max-state must be a number.',
      hint: expect.stringContaining('--help'),
    }),
  )
})

test('guessing ends at the limit: nothing distinguishes the right token from a wrong one, and operators see it', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  onTestFinished(() => stderr.mockRestore())
  const rootToken = 'words-without-a-digit'
  const server = await serve({
    listen: '127.0.0.1:0',
    logLevel: 'warn',
    logFormat: 'json',
    bucket: await folder(),
    rootToken,
    metricsOpen: true,
    trustedProxies: ['127.0.0.1'],
  })
  onTestFinished(() => server.close())
  const ask = (token: string, client: string) =>
    fetch(`${server.url}/v1/units`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': `${rootToken}, ${client}` },
    })

  for (let i = 0; i < 20; i++) expect((await ask(`guess-${i}`, '2001:db8::1')).status).toBe(401)
  const refused = await ask(rootToken, '2001:db8::2')
  const letIn = await ask(rootToken, '2001:db8:0:1::1')

  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
  expect(letIn.status).toBe(200)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toContain('opentaco_refused_credentials_total{reason="wrong"} 20')
  expect(metrics).toContain('opentaco_refused_credentials_total{reason="limited"} 1')
  const logged = stderr.mock.calls.map(([text]) => String(text)).join('')
  expect(logged).toContain('the root token is weak')
  expect(logged.match(/too many wrong tokens.*/g)).toEqual([expect.stringContaining('2001:db8::1')])
  expect(logged).not.toContain(rootToken)
})

function over(
  connection: ReturnType<Awaited<ReturnType<typeof openEmbedded>>['connect']>,
  method: string,
  path: string,
  body = '',
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        method,
        path,
        host: 'taco.internal',
        headers: { 'content-type': 'application/json' },
        createConnection: () => connection,
      },
      (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (part: string) => (text += part))
        reply.on('end', () => resolve({ status: reply.statusCode, text }))
      },
    )
    call.on('error', reject)
    call.setTimeout(10_000)
    call.end(body)
  })
}

test('if the access records cannot be read, everything is denied, and /readyz says so', async () => {
  const bucket = await folder()
  process.env['TACO_SECRET_KEY'] = newKeyText().text
  onTestFinished(() => void delete process.env['TACO_SECRET_KEY'])
  await mkdir(join(bucket, '.taco/access'), { recursive: true })
  await writeFile(join(bucket, '.taco/access/server.json@1'), '{"v":1')
  const rootToken = 'f3b1c2d4e5f60718293a4b5c6d7e8f90'
  const publicUrl = 'https://taco.example.com'
  const server = await serve({ ...quiet, bucket, auth: 'sso', rootToken, publicUrl })
  onTestFinished(() => server.close())

  const ready = await fetch(`${server.url}/readyz`)
  const units = await fetch(`${server.url}/v1/units`, { headers: { authorization: `Bearer ${rootToken}` } })

  expect([ready.status, await ready.text()]).toEqual([500, expect.stringContaining('everything is denied')])
  expect(units.ok).toBe(false)
})
