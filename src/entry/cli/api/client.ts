import { randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http'
import type { Duplex, Readable } from 'node:stream'
import { TacoError, messageOf } from '../../../base/errors.ts'
import { unreachable } from '../terminal/exit-codes.ts'
import { noAnswer } from './connection-error.ts'
import { problemOf } from './server-error.ts'

/** The documented HTTP API, spoken over a socket or over a connection inside this process. */
export interface Client {
  /** For messages. */
  readonly label: string
  /** Any answer but 2xx (and 304) is thrown as the TacoError that the server described. Read the body, or destroy it. */
  send(method: string, path: string, options?: SendOptions): Promise<IncomingMessage>
  /** The answer's JSON, unchecked; undefined for an empty one. */
  json(method: string, path: string, options?: SendOptions): Promise<unknown>
  /** What time it was for the server when it last answered, to the second. */
  serverTime(): number | undefined
  close(): void
}

export interface SendOptions {
  /** The organization goes along unless this says otherwise. */
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly json?: unknown
  /** Sent as a form, which is what OAuth endpoints take. */
  readonly form?: Readonly<Record<string, string>>
  readonly upload?: Upload
  readonly accept?: string
  /** Instead of the caller's own. */
  readonly token?: string | undefined
  /** Gives up when nothing moves for this long; 0 waits for ever. */
  readonly idleMs?: number
  readonly signal?: AbortSignal
}

/** What is about the whole server refuses to be asked about a part of it. */
export const ofWholeServer = { org: undefined }

type QueryValue = string | number | boolean | readonly string[] | undefined

export interface Upload {
  readonly size: number
  /** Base64, so that the server can tell damaged bytes. */
  readonly md5: string
  readonly content: Readable | Buffer
}

export interface ClientOptions {
  readonly base: string
  readonly org: string | undefined
  readonly label: string
  readonly token: string | undefined
  /** The certificate authorities (PEM) to trust, if not those that Node trusts by itself. */
  readonly authority?: string | undefined
  readonly userAgent: string
  /** In-memory connections instead of sockets. */
  readonly connect?: () => Duplex
  readonly trace?: (text: string) => void
}

export function openClient(options: ClientOptions): Client {
  const base = new URL(options.base)
  const root = base.pathname.replace(/\/+$/, '')
  let agent: Agent | undefined
  let last: IncomingHttpHeaders | undefined

  async function sendOnce(
    method: string,
    path: string,
    what: SendOptions,
    key: string | undefined,
  ): Promise<IncomingMessage> {
    const secure = base.protocol === 'https:'
    // Loaded only when used: TLS costs as much to load as the rest of the command.
    const https = secure ? await import('node:https') : undefined
    const { connect, authority: ca } = options
    if (connect === undefined)
      agent ??= new (https?.Agent ?? Agent)({ keepAlive: true, ...(ca === undefined ? {} : { ca }) })
    const body = bodyOf(what)
    const token = what.token ?? options.token
    const target = `${root}${path}${queryOf({ org: options.org, ...what.query })}`
    const setup: RequestOptions = {
      // A connection inside the process is no socket: neither kept by an agent nor timed.
      ...(connect === undefined ? { agent } : { createConnection: connect }),
      method,
      host: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port === '' ? (secure ? 443 : 80) : Number(base.port),
      path: target,
      headers: {
        accept: what.accept ?? 'application/json',
        'user-agent': options.userAgent,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...contentHeaders(method, body, what),
      },
      ...(what.signal === undefined ? {} : { signal: what.signal }),
    }
    const started = Date.now()
    const idleMs = connect === undefined ? (what.idleMs ?? 60_000) : 0
    const reply = await exchange(
      https?.request ?? httpRequest,
      setup,
      body ?? what.upload?.content,
      idleMs,
    ).catch((error: unknown) => {
      throw what.signal?.aborted ? error : noAnswer(error, options.label, last === undefined)
    })
    last = reply.headers
    const status = reply.statusCode ?? 0
    options.trace?.(`${method} ${target} ${status} in ${Date.now() - started} ms`)
    if (status >= 200 && status < 300) return reply
    if (status >= 300 && status < 400) {
      reply.destroy()
      throw new TacoError(
        'UNEXPECTED',
        `The server redirects to ${reply.headers.location ?? String(status)}.`,
        {
          hint: 'Use that address with --server or `taco use`.',
        },
      )
    }
    throw await problemOf(reply, options.label)
  }

  async function jsonOnce(method: string, path: string, what: SendOptions, key: string | undefined) {
    const reply = await sendOnce(method, path, what, key)
    const text = await textOf(reply).catch((error: unknown) => {
      throw what.signal?.aborted ? error : noAnswer(error, options.label)
    })
    return text === '' ? undefined : parsed(text)
  }

  return {
    label: options.label,
    send: (method, path, what = {}) => sendOnce(method, path, what, keyFor(method)),
    async json(method, path, what = {}) {
      const key = keyFor(method)
      try {
        return await jsonOnce(method, path, what, key)
      } catch (error) {
        // The answer was lost, not the request: with its key it can be repeated, and is carried out once.
        if (key === undefined || what.upload !== undefined || !isAnswerLost(error)) throw error
        options.trace?.(`${method} ${path} again: ${messageOf(error)}`)
        return jsonOnce(method, path, what, key)
      }
    },
    serverTime: () => {
      const time = Date.parse(last?.date ?? '')
      return Number.isNaN(time) ? undefined : time
    },
    close: () => agent?.destroy(),
  }
}

function keyFor(method: string): string | undefined {
  return method === 'GET' ? undefined : randomUUID()
}

/** The connection was there and broke. One that could not be made says so at once. */
function isAnswerLost(error: unknown): boolean {
  const { cause } = error instanceof TacoError ? error : {}
  return cause instanceof Error && 'code' in cause && (cause.code === 'ECONNRESET' || cause.code === 'EPIPE')
}

function bodyOf({ json, form }: SendOptions): Buffer | undefined {
  if (form !== undefined) return Buffer.from(new URLSearchParams(form).toString())
  return json === undefined ? undefined : Buffer.from(JSON.stringify(json))
}

function contentHeaders(
  method: string,
  body: Buffer | undefined,
  { upload, form }: SendOptions,
): OutgoingHttpHeaders {
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  if (body !== undefined) return { 'content-type': type, 'content-length': body.length }
  if (upload !== undefined) {
    return { 'content-type': 'application/json', 'content-length': upload.size, 'content-md5': upload.md5 }
  }
  return method === 'GET' ? {} : { 'content-type': 'application/json', 'content-length': 0 }
}

/** A server may refuse before it has read the whole upload: its answer counts, not the broken pipe. */
function exchange(
  request: typeof httpRequest,
  setup: RequestOptions,
  body: Readable | Buffer | undefined,
  idleMs: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(setup)
    let answered = false
    sent.on('response', (reply) => {
      answered = true
      resolve(reply)
    })
    sent.on('error', (error) => {
      if (!answered) reject(error)
    })
    if (idleMs > 0) {
      sent.setTimeout(idleMs, () =>
        sent.destroy(
          Object.assign(new Error(`no data arrived for ${idleMs / 1000} s`), { code: 'ETIMEDOUT' }),
        ),
      )
    }
    if (body === undefined || Buffer.isBuffer(body)) {
      sent.end(body)
      return
    }
    body.on('error', (error) => sent.destroy(error))
    body.pipe(sent)
    sent.on('close', () => body.destroy())
  })
}

export async function textOf(reply: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of reply as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** Newline-separated JSON values, as they come. A connection that ends early is an error, never a shorter list. */
export async function* jsonLines(reply: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  const lines = linesOf(reply)
  for (;;) {
    const next = await lines.next().catch((error: unknown) => {
      throw unreachable(
        'The connection closed in the middle of the answer.',
        'Run the same command again.',
        error,
      )
    })
    if (next.done === true) return
    if (next.value.trim() !== '') yield parsed(next.value)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notOurs(error)
  }
}

export async function* linesOf(reply: AsyncIterable<unknown>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const part of reply as AsyncIterable<Buffer>) {
    rest += decoder.decode(part, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** The unit's name as one path segment. */
export function unitPath(unit: string, rest = ''): string {
  if (unit === '' || unit === '.' || unit === '..') {
    throw new TacoError('BAD_REQUEST', `${JSON.stringify(unit)} is not a unit name.`, {
      hint: 'List the units with `taco unit ls`.',
    })
  }
  return `/v1/units/${encodeURIComponent(unit.replaceAll('/', '--'))}${rest}`
}

function queryOf(query: NonNullable<SendOptions['query']>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (typeof value === 'object') for (const one of value) search.append(name, one)
    else search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

function notOurs(cause: unknown): TacoError {
  return new TacoError('UNEXPECTED', 'The answer of the server is not JSON.', {
    hint: 'Check that this is the address of an OpenTaco server. `taco doctor` tests the connection.',
    cause,
  })
}
