import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerRequests } from '../answering.ts'

/** The ceiling: node:http that answers everything from one constant buffer, `/<bytes>` long. */
const buffers = new Map<string, Buffer>()

const server = createServer((request, response) => {
  const path = request.url ?? ''
  let body = buffers.get(path)
  if (body === undefined) buffers.set(path, (body = Buffer.alloc(Number(path.slice(1)), 'x')))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength })
  response.end(body)
})

// The gap between two slices is longer than the usual five seconds.
server.keepAliveTimeout = 600_000

const handlers = {
  listen: (_: null): Promise<number> =>
    new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    ),
}
export type BareHandlers = typeof handlers
answerRequests(handlers)
