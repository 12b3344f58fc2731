import type { Socket } from 'node:net'
import { TacoError } from '../../../../base/errors.ts'
import type { HttpDeps } from '../../deps.ts'
import { Exchange } from '../exchange.ts'
import { renderProblem } from '../response/problem.ts'
import { cutOff } from './receive.ts'
import { SECURITY_HEADERS, sendProblem } from '../response/respond.ts'

/** The parser gave up. Where a request was under way, that is answered; else there is nothing but a socket. */
export function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Socket,
  underWay: unknown,
  deps: Pick<HttpDeps, 'log' | 'limits'> & { readonly newRequestId: () => string },
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  if (underWay instanceof Exchange && !underWay.req.complete && !underWay.res.headersSent) {
    const headers = { connection: 'close' }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
      sendProblem(underWay, late(error), deps, { status: 408, headers })
    else sendProblem(underWay, cutOff(error), deps, { headers })
    return
  }
  if (underWay instanceof Exchange && underWay.req.complete && !underWay.res.writableFinished) {
    // What came whole before is answered first; this would be taken for its answer.
    underWay.res.once('finish', () => {
      if (socket.writable) refuseMalformed(error, socket, undefined, deps)
    })
    return
  }
  const [status, detail, hint] = WORDS[error.code ?? ''] ?? [
    '400 Bad Request',
    'the request is not valid HTTP, or ended early',
    'Send it again; if a proxy stands between, look at its log.',
  ]
  const requestId = deps.newRequestId()
  const { problem } = renderProblem(
    new TacoError('BAD_REQUEST', detail, { hint, facts: { field: 'request' } }),
    requestId,
    { status: Number(status.slice(0, 3)) },
  )
  const body = JSON.stringify(problem)
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  })
  deps.log.info('request refused', { requestId, status: problem.status, address: socket.remoteAddress })
  socket.end(
    `HTTP/1.1 ${status}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

function late(cause: Error): TacoError {
  return new TacoError('STATE_TRUNCATED', 'the body did not come in time', {
    facts: { field: 'body' },
    hint: 'Nothing was written; send it again, over a faster connection.',
    cause,
  })
}

const WORDS: Readonly<Record<string, readonly [string, string, string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'the headers are too large',
    'Send fewer or shorter headers: 16 kB is the limit.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'the request did not come in time',
    'Send it again, over a faster connection.',
  ],
}
