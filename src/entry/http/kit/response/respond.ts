import type { OutgoingHttpHeaders } from 'node:http'
import { isTacoError } from '../../../../base/errors.ts'
import type { Log } from '../../../../base/log.ts'
import type { Exchange } from '../exchange.ts'
import type { Limits } from '../limits.ts'
import type { RenderedError } from './http-error.ts'

/** Headers are given all at once: setting them one by one halves the throughput. */
export function writeHead(x: Exchange, status: number, headers: OutgoingHttpHeaders): void {
  const all: OutgoingHttpHeaders = { ...x.style.headers, 'x-request-id': x.requestId, ...headers }
  if (x.cookies !== undefined) all['set-cookie'] = x.cookies
  x.res.writeHead(status, all)
}

export function sendJson(x: Exchange, status: number, value: unknown, limits: Limits): void {
  send(x, status, Buffer.from(JSON.stringify(value)), { 'content-type': 'application/json' }, limits)
}

/** Answers a request whose body may still be on its way. */
export function send(
  x: Exchange,
  status: number,
  body: Uint8Array | undefined,
  headers: OutgoingHttpHeaders,
  limits: Limits,
): void {
  writeHead(x, status, {
    ...headers,
    ...(body === undefined ? {} : { 'content-length': body.byteLength }),
    // The client may or may not send its body now, so the connection cannot carry another request.
    ...(x.isAwaitingContinue ? { connection: 'close' } : {}),
  })
  if (x.method === 'HEAD' || body === undefined) x.res.end()
  else x.res.end(body)
  if (!x.isAwaitingContinue && !x.req.complete) drain(x, limits)
}

export function sendError(
  x: Exchange,
  error: unknown,
  { log, limits }: { readonly log: Log; readonly limits: Limits },
): void {
  logFailure(error, x, log)
  if (x.res.writableEnded) return
  if (x.res.headersSent) {
    // Part of another answer is out: only a broken connection shows the client that it is incomplete.
    x.res.destroy()
    return
  }
  const { errors, errorPage } = x.style
  const answer = ({ status, headers, body }: RenderedError) => {
    if (!x.res.headersSent) send(x, status, Buffer.from(body), headers, limits)
  }
  const plain = () => errors(error, x.requestId, x)
  if (errorPage === undefined) answer(plain())
  else void errorPage(error, x.requestId, x).catch(plain).then(answer)
}

/**
 * Reads and discards the rest: a client that is still sending would meet a reset connection instead of the answer. Not
 * forever: a client that keeps sending is cut off.
 */
function drain(x: Exchange, limits: Limits): void {
  const { req } = x
  let left = limits.drainBytes
  const timer = setTimeout(() => req.destroy(), limits.drainMs)
  timer.unref()
  req.on('data', (chunk: Uint8Array) => {
    left -= chunk.byteLength
    if (left < 0) req.destroy()
  })
  req.once('close', () => clearTimeout(timer))
  req.on('error', () => {})
  req.resume()
}

export function logFailure(error: unknown, x: { readonly requestId: string }, log: Log): void {
  if (
    isTacoError(error) &&
    !isTacoError(
      error,
      'UNEXPECTED',
      'BUCKET_CORRUPT',
      'BUCKET_NEWER',
      'SECRET_UNREADABLE',
      'BUCKET_UNAVAILABLE',
      'BUCKET_REFUSED',
      'BUCKET_UNFIT',
      'PROVIDER_UNAVAILABLE',
      'PROVIDER_REFUSED',
      'UPSTREAM_FAILED',
    )
  )
    return
  const write = isTacoError(error, 'BUCKET_UNAVAILABLE', 'PROVIDER_UNAVAILABLE', 'UPSTREAM_FAILED')
    ? log.warn
    : log.error
  write('request failed', { requestId: x.requestId, error })
}
