import type { OutgoingHttpHeaders } from 'node:http'
import { isTacoError } from '../../../../base/errors.ts'
import type { Log } from '../../../../base/log.ts'
import type { Exchange } from '../exchange.ts'
import type { Limits } from '../limits.ts'
import { type ProblemOptions, renderProblem } from './problem.ts'

/** States are secrets and answers are for programs: nothing is cached, framed, sniffed or shared. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Headers are given all at once: setting them one by one halves the throughput. */
export function writeHead(x: Exchange, status: number, headers: OutgoingHttpHeaders): void {
  x.res.writeHead(status, { ...SECURITY_HEADERS, 'x-request-id': x.requestId, ...headers })
}

export function sendJson(
  x: Exchange,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  send(x, status, Buffer.from(JSON.stringify(value)), { 'content-type': 'application/json', ...headers })
}

export function send(x: Exchange, status: number, body: Uint8Array, headers: OutgoingHttpHeaders): void {
  writeHead(x, status, { ...headers, 'content-length': body.byteLength })
  if (x.method === 'HEAD') x.res.end()
  else x.res.end(body)
}

export function sendProblem(
  x: Exchange,
  error: unknown,
  to: { log: Log; limits: Limits },
  options: ProblemOptions = {},
): void {
  logFailure(error, x, to.log)
  if (x.res.headersSent) {
    // Part of another answer is out: only a broken connection tells the client that it is not whole.
    x.res.destroy()
    return
  }
  const { problem, headers } = renderProblem(error, x.requestId, options)
  sendRefusal(
    x,
    problem.status,
    problem,
    { ...headers, 'content-type': 'application/problem+json' },
    to.limits,
  )
}

/** Like sendJson, for requests whose body may still be on its way. */
export function sendRefusal(
  x: Exchange,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders,
  limits: Limits,
): void {
  if (x.isAwaitingContinue) {
    // The client may or may not send its body now, so the connection cannot carry another request.
    sendJson(x, status, value, { ...headers, connection: 'close' })
    return
  }
  sendJson(x, status, value, headers)
  if (!x.req.complete) drain(x, limits)
}

/**
 * Reads on what nobody wants: a client that is still sending would meet a reset connection instead of the answer.
 * Not for ever: whoever goes on sending after that is cut off.
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
      'BUCKET_UNAVAILABLE',
      'BUCKET_REFUSED',
      'BUCKET_UNFIT',
    )
  )
    return
  const write = isTacoError(error, 'BUCKET_UNAVAILABLE') ? log.warn : log.error
  write('request failed', { requestId: x.requestId, error })
}
