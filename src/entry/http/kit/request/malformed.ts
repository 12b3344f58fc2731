import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../../../../base/log.ts'
import { Exchange, type FaceStyle } from '../exchange.ts'
import type { Limits } from '../limits.ts'
import { cutOff } from './receive.ts'
import { HttpError } from '../response/http-error.ts'
import { sendError } from '../response/respond.ts'

interface Deps {
  readonly log: Log
  readonly limits: Limits
  /** Of the face that answers what never became a request. */
  readonly style: FaceStyle
  newRequestId(): string
}

/** The parser gave up. Where a request was under way, that is answered; else there is nothing but a socket. */
export function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: Socket,
  underWay: unknown,
  deps: Deps,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  if (underWay instanceof Exchange && !underWay.req.complete && !underWay.res.headersSent) {
    sendError(underWay, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? late(error) : cutOff(error), deps)
    return
  }
  // The connection ends with the answer that is on its way: nothing may follow it.
  if (underWay instanceof Exchange && underWay.res.headersSent && !underWay.res.shouldKeepAlive) return
  if (underWay instanceof Exchange && underWay.req.complete && !underWay.res.writableFinished) {
    // What came whole before is answered first; this would be taken for its answer.
    underWay.res.once('finish', () => {
      if (socket.writable) refuseMalformed(error, socket, undefined, deps)
    })
    return
  }
  const requestId = deps.newRequestId()
  const { status, headers, body } = deps.style.errors(refusalOf(error), requestId)
  const head = Object.entries({
    ...deps.style.headers,
    ...headers,
    'x-request-id': requestId,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  })
  deps.log.info('request refused', { requestId, status, address: socket.remoteAddress })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

function late(cause: Error): HttpError {
  return new HttpError(408, 'STATE_TRUNCATED', 'the body did not come in time', {
    facts: { field: 'body' },
    hint: 'Nothing was written. Send it again over a faster connection.',
    cause,
    headers: { connection: 'close' },
  })
}

function refusalOf({ code }: NodeJS.ErrnoException): HttpError {
  const facts = { field: 'request' }
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HttpError(431, 'BAD_REQUEST', 'the headers are too large', {
        facts,
        hint: 'Send fewer or shorter headers. The limit is 16 kB.',
      })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError(408, 'BAD_REQUEST', 'the request did not come in time', {
        facts,
        hint: 'Send it again over a faster connection.',
      })
    default:
      return new HttpError(400, 'BAD_REQUEST', 'the request is not valid HTTP, or ended early', {
        facts,
        hint: 'Send it again. If there is a proxy in between, check its log.',
      })
  }
}
