import { existsSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../peers/free-port.ts'
import { startServer, type Server } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { eventually } from '../rig/wait.ts'

const open = ['--auth', 'none', '--workers', '2', '--log-format', 'json', '--log-level', 'info']

interface LogLine {
  readonly message: string
  readonly worker?: number
  readonly pid?: number
  readonly path?: string
}

function logOf(server: Server): readonly LogLine[] {
  return server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
}

/** The last process that took the place of each worker. */
function pidsOf(server: Server): ReadonlyMap<number, number> {
  const started = logOf(server).filter(({ message }) => message === 'worker started')
  return new Map(started.map(({ worker = 0, pid = 0 }) => [worker, pid]))
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}`)

function gone(pids: Iterable<number>): Promise<true> {
  return eventually('the workers to be gone', () => [...pids].every((pid) => !isAlive(pid)) || undefined)
}

function state(serial: number): string {
  return JSON.stringify({
    version: 4,
    serial,
    lineage: 'one',
    terraform_version: '1.11.4',
    outputs: {},
    resources: [],
  })
}

/** One request on a connection of its own, which any worker may take. */
function ask(
  url: string,
  { method = 'GET', body = '', headers = {} as Readonly<Record<string, string>> } = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method,
        agent: new Agent({ keepAlive: false }),
        headers: { 'content-length': Buffer.byteLength(body), ...headers },
      },
      (reply) => {
        let text = ''
        reply.setEncoding('utf8').on('data', (part: string) => (text += part))
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }))
        reply.on('error', reject)
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

async function metricOf(server: Server, series: string): Promise<number> {
  const { text } = await ask(`${server.url}/metrics`)
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? Number.NaN)
}

test('all workers answer requests, metrics are those of all, and events reach every follower', async () => {
  const server = await startServer({ args: open })
  const feed = await fetch(`${server.url}/v1/events`, { headers: { accept: 'text/event-stream' } })
  const names = Array.from({ length: 6 }, (_, i) => `app-${i}`)
  for (const name of names) {
    const answer = await ask(`${server.url}/v1/backend/default/${name}`, { method: 'POST', body: state(1) })
    expect(answer.status).toBe(200)
  }
  for (const name of names)
    expect((await ask(`${server.url}/v1/backend/default/${name}`)).text).toBe(state(1))
  await eventually('requests in the log of both workers', async () => {
    await Promise.all(names.map((name) => ask(`${server.url}/v1/backend/default/${name}`)))
    const lines = logOf(server).filter(({ path }) => path?.startsWith('/v1/backend/'))
    return lines.some(({ worker }) => worker === 1) && lines.some(({ worker }) => worker === 2)
  })

  const series = 'opentaco_http_requests_total{route="/v1/backend/{org}/{unit}",method="POST",status="200"}'
  expect([await metricOf(server, series), await metricOf(server, series)]).toEqual([6, 6])
  expect(await metricOf(server, 'opentaco_workers')).toBe(2)
  expect(await metricOf(server, 'opentaco_build_info{version="0.1.0"}')).toBe(1)
  let followed = ''
  const reader = (feed.body ?? new ReadableStream<Uint8Array>())
    .pipeThrough(new TextDecoderStream())
    .getReader()
  while (!names.every((name) => followed.includes(`"${name}"`))) followed += (await reader.read()).value ?? ''
  await reader.cancel()
  expect(await server.stop()).toBe(0)
})

test('a worker that is killed under load is replaced, and no acknowledged write is lost', async () => {
  const server = await startServer({ args: open })
  const lanes = ['a', 'b', 'c', 'd']
  const acknowledged = new Map(lanes.map((lane) => [lane, 0]))
  let isOver = false
  let lost = 0

  /** As engines do: what got no answer is asked again. */
  async function patiently(url: string, options: Parameters<typeof ask>[1]): Promise<number> {
    for (;;) {
      try {
        return (await ask(url, options)).status
      } catch {
        lost++
      }
    }
  }

  async function cycles(lane: string): Promise<void> {
    const url = `${server.url}/v1/backend/default/${lane}`
    for (let serial = 1; !isOver; serial++) {
      const ID = `00000000-0000-4000-8000-${lane}${String(serial).padStart(11, '0')}`
      const info = JSON.stringify({ ID, Operation: 'apply', Who: 'me@here', Created: '2026-01-02T03:04:05Z' })
      expect(await patiently(url, { method: 'LOCK', body: info })).toBe(200)
      expect(await patiently(`${url}?ID=${ID}`, { method: 'POST', body: state(serial) })).toBe(200)
      acknowledged.set(lane, serial)
      // The answer to the first attempt may have been lost.
      expect([200, 409]).toContain(await patiently(url, { method: 'UNLOCK', body: info }))
    }
  }

  let failure: unknown
  const working = Promise.all(lanes.map(cycles)).catch((error: unknown) => (failure = error))
  /** Of the slowest: a request that is never answered ends the test. */
  const progress = () => Math.min(...acknowledged.values())
  for (const worker of [1, 2, 1]) {
    const before = progress()
    await eventually('some cycles', () => progress() > before + 3 || undefined)
    const pid = pidsOf(server).get(worker) ?? 0
    process.kill(pid, 'SIGKILL')
    await eventually('a replacement', () => pidsOf(server).get(worker) !== pid || undefined)
  }
  const before = progress()
  await eventually('some more cycles', () => progress() > before + 3 || undefined)
  isOver = true
  await working
  expect(failure).toBeUndefined()

  for (const [lane, serial] of acknowledged) {
    expect((await ask(`${server.url}/v1/backend/default/${lane}`)).text).toBe(state(serial))
    const { text } = await ask(`${server.url}/v1/units/${lane}/versions?limit=1000`)
    const { items } = JSON.parse(text) as { items: readonly { serial: number }[] }
    expect(items.map((item) => item.serial)).toEqual(
      Array.from({ length: serial }, (_, i) => serial - i).slice(0, items.length),
    )
  }
  const replaced = logOf(server).filter(({ message }) => message === 'a worker ended and is replaced')
  expect(replaced.map(({ worker }) => worker)).toEqual([1, 2, 1])
  expect(await metricOf(server, 'opentaco_workers_replaced_total')).toBe(3)
  expect(await metricOf(server, 'opentaco_workers')).toBe(2)
  expect(lost).toBeLessThan(acknowledged.size * 3 * 10)
  expect(await server.stop()).toBe(0)
})

/** A request that is under way until its body ends. */
async function upload(server: Server): Promise<{ end(): Promise<number> }> {
  const body = state(1)
  const call = request(`${server.url}/v1/backend/default/slow`, {
    method: 'POST',
    headers: { 'content-length': body.length },
  })
  const answered = new Promise<number>((resolve, reject) => {
    call.on('response', (reply) => resolve(reply.resume().statusCode ?? 0))
    call.on('error', reject)
  })
  answered.catch(() => undefined)
  call.write(body.slice(0, 10))
  await eventually('the request to be under way', async () =>
    (await metricOf(server, 'opentaco_http_requests_in_flight')) === 2 ? true : undefined,
  )
  return {
    end() {
      call.end(body.slice(10))
      return answered
    },
  }
}

test('a signal to the parent lets requests under way end', async () => {
  const server = await startServer({ args: open })
  const pids = [...pidsOf(server).values()]
  const slow = await upload(server)

  process.kill(server.pid, 'SIGTERM')
  await eventually('the address to be closed', () =>
    ask(`${server.url}/healthz`).then(
      () => undefined,
      () => true,
    ),
  )

  expect(await slow.end()).toBe(200)
  await gone([server.pid, ...pids])
  expect(logOf(server).filter(({ message }) => message === 'stopped')).toHaveLength(3)
})

test('a second signal ends at once', async () => {
  const server = await startServer({ args: open })
  const pids = [...pidsOf(server).values()]
  const slow = await upload(server)

  process.kill(server.pid, 'SIGTERM')
  await eventually('the address to be closed', () =>
    ask(`${server.url}/healthz`).then(
      () => undefined,
      () => true,
    ),
  )
  process.kill(server.pid, 'SIGTERM')

  await gone([server.pid, ...pids])
  await expect(slow.end()).rejects.toThrow()
})

test('a parent that is killed leaves no worker behind', async () => {
  const server = await startServer({ args: open })
  const pids = [...pidsOf(server).values()]

  process.kill(server.pid, 'SIGKILL')

  expect(await gone([server.pid, ...pids])).toBe(true)
})

test('a start that fails is reported once, as by a single process', async () => {
  const server = await startServer({ args: open })
  const folder = await tempFolder()
  const serve = (workers: string, ...args: string[]) =>
    runTaco(['serve', '--auth', 'none', '--workers', workers, ...args], { cwd: folder })

  const free = String(await freePort())
  for (const args of [
    ['--listen', String(server.port), '--bucket', join(folder, 'bucket')],
    [
      '--listen',
      free,
      '--bucket',
      's3://states?endpoint=http%3A%2F%2F127.0.0.1%3A1&region=r',
      '--bucket-timeout',
      '1s',
    ],
    ['--listen', '0.0.0.0:0', '--bucket', join(folder, 'bucket')],
  ]) {
    const [one, two] = [await serve('1', ...args), await serve('2', ...args)]
    expect(one.code).toBeGreaterThan(0)
    expect([two.code, two.stderr.replace(/\{.*\n/g, '')]).toEqual([
      one.code,
      one.stderr.replace(/\{.*\n/g, ''),
    ])
  }
  expect((await serve('many')).code).toBe(2)
})

test('wrong tokens are counted by all workers together', async () => {
  const token = 'an-example-of-a-root-token-0123456789'
  const server = await startServer({
    args: ['--auth', 'token', '--workers', '2', '--metrics-open'],
    env: { TACO_ROOT_TOKEN: token },
  })
  const status = async (given: string) =>
    (await ask(`${server.url}/v1/units`, { headers: { authorization: `Bearer ${given}` } })).status

  const statuses: number[] = []
  while (!statuses.includes(429) && statuses.length < 60) statuses.push(await status('wrong'))

  // One more comes free every three seconds, and workers hear of each other a moment later.
  expect(statuses.length).toBeLessThan(30)
  await eventually('both workers to refuse the right token too', async () => {
    const both = [await status(token), await status(token)]
    return both.every((one) => one === 429) || undefined
  })
})
