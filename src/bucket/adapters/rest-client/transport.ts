import http from 'node:http'
import https from 'node:https'
import type { Body } from '../../bucket.ts'

export interface HttpAddress {
  readonly secure: boolean
  readonly hostname: string
  readonly port: number
}

export function addressOf(url: URL): HttpAddress {
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  return { secure, hostname: url.hostname.replace(/^\[|\]$/g, ''), port }
}

export interface Outgoing {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Record<string, string>
  readonly body?: Body | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Transport {
  /** Resolves with the head of the answer. The caller must read or destroy it. */
  send(request: Outgoing): Promise<http.IncomingMessage>
  close(): void
}

/** What the maker of a body threw: never the store's fault, so never retried. */
export class BodyFailure extends Error {}

const SOCKETS = 128

/** node:http and kept-alive sockets: about twice as fast as the SDK's way. */
export function openTransport(address: HttpAddress, idleTimeoutMs: number): Transport {
  const options = { keepAlive: true, maxSockets: SOCKETS, maxFreeSockets: SOCKETS, timeout: idleTimeoutMs }
  const agent = address.secure ? new https.Agent(options) : new http.Agent(options)
  const request = address.secure ? https.request : http.request
  const { hostname, port } = address

  function send({ method, target, headers, body, signal }: Outgoing): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const call = request({ agent, hostname, port, method, path: target, headers })
      const abort = () => call.destroy(new Error('aborted'))
      signal?.addEventListener('abort', abort, { once: true })
      call.on('close', () => signal?.removeEventListener('abort', abort))
      call.on('timeout', () => call.destroy(timedOut(idleTimeoutMs)))
      call.on('error', reject)
      call.on('response', resolve)
      if (body === undefined) call.end()
      else if (body.bytes !== undefined) call.end(body.bytes)
      else {
        sendStream(call, body).catch((error: unknown) => {
          reject(error instanceof Error ? error : new Error(String(error)))
          call.destroy()
        })
      }
    })
  }

  return { send, close: () => agent.destroy() }
}

/** Stops when the store has answered or hung up: the answer, or the error, arrives by its own event. */
async function sendStream(call: http.ClientRequest, body: Body): Promise<void> {
  let left = body.size
  let over = false
  call.once('response', (answer) => {
    over = true
    // The rest of the body will not be sent, so the socket is of no further use.
    if (!call.writableEnded) answer.once('end', () => call.destroy())
  })
  const gone = happens(call, 'close').then(() => (over = true))
  const parts = body.stream()[Symbol.asyncIterator]()
  try {
    for (;;) {
      const part = await nextPart(parts, gone)
      if (over) return
      if (part === undefined) break
      left -= part.byteLength
      if (left < 0) throw new BodyFailure(`the body is longer than the ${body.size} bytes announced`)
      if (!call.write(part)) await Promise.race([happens(call, 'drain'), gone])
    }
    if (left > 0) throw new BodyFailure(`the body ended ${left} bytes short of the ${body.size} announced`)
    call.end()
  } finally {
    // The outcome of the call is decided; a source that cannot even be closed must not change it.
    if (left > 0) void parts.return?.(undefined)?.catch(() => undefined)
  }
}

/** A body that hangs must not hold up a call that has already ended. */
async function nextPart(
  parts: AsyncIterator<Uint8Array>,
  gone: Promise<unknown>,
): Promise<Uint8Array | undefined> {
  const next = parts.next().catch((error: unknown) => {
    throw new BodyFailure('the body could not be read', { cause: error })
  })
  const result = await Promise.race([next, gone.then(() => undefined)])
  // The call has ended, and its own event gives the reason. The rest of the body no longer matters.
  if (result === undefined) next.catch(() => undefined)
  return result === undefined || result.done === true ? undefined : result.value
}

/** Unlike events.once, errors do not reject it: they have their own way. */
function happens(call: http.ClientRequest, event: 'close' | 'drain'): Promise<void> {
  return new Promise((resolve) => call.once(event, () => resolve()))
}

function timedOut(ms: number): Error {
  return Object.assign(new Error(`no data arrived for ${ms / 1000} s`), { code: 'ETIMEDOUT' })
}
