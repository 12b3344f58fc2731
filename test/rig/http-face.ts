import { type IncomingHttpHeaders, request } from 'node:http'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { type Log, silentLog } from '../../src/base/log.ts'
import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import type { Bucket } from '../../src/bucket/index.ts'
import { type StateControl, createStateControl } from '../../src/state/index.ts'
import { createKeyRing } from '../../src/access/secrets/key-ring.ts'
import { guardOf } from '../../src/wire/guard.ts'
import { testKey } from '../support/tokens.ts'
import { createServices } from '../../src/wire/services.ts'
import { openSpool } from '../../src/wire/spool.ts'
import { type Guard, openGuard } from '../../src/entry/http/auth/auth.ts'
import type { HttpDeps } from '../../src/entry/http/deps.ts'
import { type Limits, defaultLimits } from '../../src/entry/http/kit/limits.ts'
import { createLongAnswers } from '../../src/entry/http/kit/long-answers.ts'
import { createMetrics } from '../../src/entry/http/kit/metrics.ts'
import { createHttpFace } from '../../src/entry/http/server.ts'
import { atEnd } from './at-end.ts'

type TestDeps = HttpDeps & Required<Pick<HttpDeps, 'longAnswers'>>

export interface FaceOptions {
  readonly control?: StateControl
  /** A new one in memory by default. */
  readonly bucket?: Bucket
  readonly clock?: Clock
  readonly guard?: Guard
  readonly faces?: HttpDeps['faces']
  /** Given: people can sign in, and this is the root token. */
  readonly ssoRootToken?: string
  readonly isMetricsOpen?: boolean
  readonly limits?: Partial<Limits>
  readonly log?: Log
  readonly ready?: () => Promise<void>
  /** What is built from the rest. */
  readonly complete?: (deps: TestDeps) => Promise<Partial<HttpDeps>>
}

/** State control over a new bucket in memory. */
export function memoryControl(
  bucket: Bucket = openMemoryBucket(),
  clock: Clock = systemClock,
): Promise<StateControl> {
  return createStateControl({
    bucket,
    clock,
    ids: randomIds,
    log: silentLog,
    spool: openSpool(),
    settings: { followEveryMs: 10 },
  })
}

export async function testDeps(options: FaceOptions = {}): Promise<TestDeps> {
  const bucket = options.bucket ?? openMemoryBucket()
  const { clock = systemClock } = options
  const control = options.control ?? (await memoryControl(bucket, clock))
  const rootToken = options.ssoRootToken
  const keys = rootToken === undefined ? undefined : createKeyRing([testKey('k1')])
  const services = createServices({ bucket, clock, ids: randomIds, control, keys })
  const ssoGuard = () =>
    guardOf({ auth: 'sso', rootToken }, '127.0.0.1')(
      { ...control, ...services },
      { refused() {}, limited() {} },
    )
  return {
    control,
    ...services,
    guard: options.guard ?? (rootToken === undefined ? openGuard() : ssoGuard()),
    ...(options.faces === undefined ? {} : { faces: options.faces }),
    isMetricsOpen: options.isMetricsOpen ?? false,
    limits: { ...defaultLimits, ...options.limits },
    metrics: createMetrics('test'),
    log: options.log ?? silentLog,
    clock,
    ids: randomIds,
    longAnswers: createLongAnswers({ ...defaultLimits, ...options.limits }),
    about: { version: 'test', bucket: { kind: 'memory', label: 'memory:' } },
    ready: options.ready ?? (() => Promise.resolve()),
  }
}

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  json(): Record<string, unknown>
}

export interface TestFace {
  readonly port: number
  readonly deps: HttpDeps
  send(path: string, sent?: Sent): Promise<Answer>
}

/** The face on a loopback port, closed with the test. */
export async function startFace(options: FaceOptions = {}): Promise<TestFace> {
  const plain = await testDeps(options)
  const deps = { ...plain, ...(await options.complete?.(plain)) }
  const face = createHttpFace(deps)
  await new Promise<void>((resolve) => face.server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    await face.close(0)
    await deps.health.checks.stop()
    await deps.control.close()
  })
  const address = face.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { port, deps, send: (path, sent) => send(port, path, sent) }
}

/** By hand: fetch would tidy up the path and knows no LOCK. */
export function send(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Node frames no body of a DELETE by itself.
    const framed =
      method === 'DELETE' && body !== undefined
        ? { 'content-length': String(Buffer.byteLength(body)), ...headers }
        : headers
    const call = request(
      { host: '127.0.0.1', port, path, method, headers: framed, agent: false },
      (reply) => {
        const parts: Buffer[] = []
        reply.on('data', (part: Buffer) => parts.push(part))
        reply.on('error', reject)
        reply.on('end', () => {
          const bytes = Buffer.concat(parts)
          const text = bytes.toString()
          resolve({
            status: reply.statusCode ?? 0,
            headers: reply.headers,
            bytes,
            text,
            json: () => JSON.parse(text) as Record<string, unknown>,
          })
        })
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}
