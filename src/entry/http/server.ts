import { type IncomingMessage, type Server, ServerResponse, createServer } from 'node:http'
import type { Socket } from 'node:net'
import { principalText } from '../../access/index.ts'
import { clientAddress } from './auth/client-address.ts'
import { knowingNames } from './auth/known-names.ts'
import type { HttpDeps } from './deps.ts'
import { Connection } from './kit/connection.ts'
import { Exchange } from './kit/exchange.ts'
import { refuseMalformed } from './kit/request/malformed.ts'
import { createRequestIds } from './kit/request/request-id.ts'
import { createSlowBodies } from './kit/request/slow-bodies.ts'
import { sendError } from './kit/response/respond.ts'
import { createDispatcher } from './kit/routes/dispatch.ts'
import { withOrgIds } from './kit/routes/org-ids.ts'
import { createLongAnswers } from './kit/long-answers.ts'
import { createV1Face } from './v1/face.ts'

export interface HttpFace {
  readonly server: Server
  /**
   * Milliseconds since the epoch of the last request that was begun or ended; for work that waits for quiet. Probes do
   * not count: they come every few seconds for ever.
   */
  lastActiveAt(): number
  /** Lets requests under way end, for at most so long. */
  close(graceMs: number): Promise<void>
}

/**
 * One node:http server for all faces. It knows connections, limits, metrics and the log; which route answers a request,
 * and who may call it, the dispatcher knows.
 */
export function createHttpFace(deps: HttpDeps): HttpFace {
  const { limits, metrics, log } = deps
  const requestIdOf = createRequestIds(deps.ids.id('req'))
  const { streams, stopping } = deps.longAnswers ?? createLongAnswers(limits)
  const connections = new WeakMap<object, Connection>()
  const v1 = createV1Face({ ...deps, streams, stopping: stopping.signal })
  const { orgNames } = deps.control
  const faces = [v1, ...(deps.faces ?? []), ...(deps.moreFaces?.(deps) ?? [])].map((face) =>
    withOrgIds(face, orgNames.idOf),
  )
  const dispatcher = createDispatcher(faces, {
    ...deps,
    guard: knowingNames(deps.guard, orgNames, deps.clock),
  })
  // They are answered even if the bucket is not.
  const probes = createDispatcher(faces, deps)
  const slowBodies = createSlowBodies(limits, (x) => {
    const error = Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, x.req.socket)
  })
  let lastActiveAt = deps.clock.now()

  function begin(req: IncomingMessage, res: Answering, awaitsContinue: boolean): void {
    const connection = connections.get(req.socket) ?? new Connection()
    const requestId = requestIdOf(req.headers['x-request-id'])
    const address = clientAddress(req, deps.trustedProxies)
    const { style } = v1
    const x = new Exchange(req, res, { requestId, address, awaitsContinue, connection, style })
    connection.current = x
    res.exchange = x
    slowBodies.watch(x)
    metrics.inFlight++
    const found = dispatcher.find(x)
    res.isProbe = found.isProbe
    if (!found.isProbe) lastActiveAt = deps.clock.now()
    res.on('close', end)
    try {
      const { answer } = found.isProbe ? probes : dispatcher
      answer(x, found)?.catch((error: unknown) => sendError(x, error, deps))
    } catch (error) {
      sendError(x, error, deps)
    }
  }

  function end(this: Answering): void {
    const x = this.exchange
    if (x === undefined) return
    metrics.inFlight--
    const { isProbe } = this
    if (!isProbe) lastActiveAt = deps.clock.now()
    if (stopping.signal.aborted) setImmediate(() => server.closeIdleConnections())
    const ms = performance.now() - x.startedAt
    // The status that a well-known proxy logs for a client that went away.
    const status = x.res.writableFinished ? x.res.statusCode : 499
    metrics.request(x.route, x.method, status, ms)
    const write = status >= 500 ? log.warn : isProbe ? log.debug : log.info
    write('request', {
      requestId: x.requestId,
      method: x.method,
      path: x.hasSecretPath ? x.route : x.path,
      status,
      ms: Math.round(ms * 10) / 10,
      by: principalText(x.principal),
      address: x.address,
    })
  }

  const server = (deps.createTlsServer ?? createServer)({
    ServerResponse: Answering,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    // By itself Node looks for what is over time only twice a minute.
    connectionsCheckingInterval: limits.checkEveryMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
  })
  // Node would drop what is beyond its limit without a word: checkHeaderCount refuses it instead.
  server.maxHeadersCount = 0
  server.timeout = limits.idleTimeoutMs
  // With TLS, the socket of a request is not the one that was accepted.
  server.on(deps.createTlsServer === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    const connection = new Connection()
    connections.set(socket, connection)
    socket.once('close', () => connection.close())
  })
  server.on('request', (req: IncomingMessage, res: Answering) => begin(req, res, false))
  server.on('checkContinue', (req: IncomingMessage, res: Answering) => begin(req, res, true))
  server.on('timeout', (socket: Socket) => {
    if (connections.get(socket)?.isClientsTurn !== false) socket.destroy()
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const underWay = connections.get(socket)?.current
    refuseMalformed(error, socket, underWay, {
      log,
      limits,
      style: v1.style,
      newRequestId: () => requestIdOf(undefined),
    })
  })

  return {
    server,
    lastActiveAt: () => lastActiveAt,
    async close(graceMs) {
      stopping.abort()
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await new Promise<void>((resolve) => {
        // Not listening is not a failure: it is how an embedded server lives.
        server.close(() => resolve())
        server.closeIdleConnections()
      })
      clearTimeout(cut)
    },
  }
}

/** Knows its exchange, so that no request needs a listener of its own. */
class Answering<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  exchange: Exchange | undefined
  isProbe = false
}
