import { type IncomingMessage, type Server, ServerResponse, createServer } from 'node:http'
import type { Socket } from 'node:net'
import { type Principal, principalText } from '../../access/index.ts'
import { BACKEND_METHODS, answerBackend } from './v1/backend/backend.ts'
import { callerNetwork, clientAddress } from './auth/client-address.ts'
import { Connection } from './kit/connection.ts'
import { checkSameOrigin } from './auth/cross-site.ts'
import type { HttpDeps } from './deps.ts'
import { answerEventStream, wantsEventStream } from './v1/events/event-stream.ts'
import { Exchange } from './kit/exchange.ts'
import { refuseMalformed } from './kit/request/malformed.ts'
import { createRequestIds } from './kit/request/request-id.ts'
import { checkHeaderCount, checkTarget } from './kit/request/request-target.ts'
import { sendProblem } from './kit/response/respond.ts'
import { backendTargetFor, forbidden } from './auth/run-access.ts'
import { createSlowBodies } from './kit/request/slow-bodies.ts'
import { STATE_METHODS, answerState, readVersion, stateTarget } from './v1/backend/state-bytes.ts'
import { createStreamSlots } from './kit/stream-slots.ts'
import { backendTarget, checkPath } from './kit/unit-path.ts'
import { WrongMethod, asProblem } from './kit/response/wrong-method.ts'

/** What those ask who watch a server, and not those who use it. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/** Everything that is no state on its way: answered by the application, which is loaded when first needed. */
export type RestListener = (x: Exchange) => Promise<void>

export interface HttpFace {
  readonly server: Server
  /**
   * Milliseconds since the epoch of the last request that was begun or ended; for work that waits for quiet. Probes do
   * not count: they come every few seconds for ever.
   */
  lastActiveAt(): number
  /** Loads the application now instead of with the first request that needs it. */
  warmUp(): Promise<void>
  /** Lets requests under way end, for at most so long. */
  close(graceMs: number): Promise<void>
}

/**
 * One node:http server. States go straight between the socket and the services; all the rest goes through Hono.
 * Both share what comes before (request id, path check, admission) and after (problem document, metrics, log line).
 */
export function createHttpFace(deps: HttpDeps): HttpFace {
  const { limits, metrics, log } = deps
  const requestIdOf = createRequestIds(deps.ids.id('req'))
  const stopping = new AbortController()
  const connections = new WeakMap<object, Connection>()
  const streams = createStreamSlots(limits)
  const slowBodies = createSlowBodies(limits, (x) => {
    const error = Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', error, x.req.socket)
  })
  let rest: Promise<RestListener> | undefined
  let lastActiveAt = deps.clock.now()

  function loadRest(): Promise<RestListener> {
    rest ??= import('./hono-listener.ts').then(({ createRestListener }) => createRestListener(deps))
    return rest
  }

  /** Nothing to wait for: answered already. */
  function route(x: Exchange): Promise<void> | undefined {
    checkHeaderCount(x.req, limits.maxHeaders)
    checkTarget(x.req)
    checkPath(x.path)
    checkSameOrigin(x.req.headers)
    x.claim = deps.guard.claim
    const identified = deps.guard.identify({
      headers: x.req.headers,
      address: x.address,
      path: x.path,
      method: x.method,
    })
    if (identified instanceof Promise) return identified.then((principal) => dispatch(x, principal))
    return dispatch(x, identified)
  }

  function dispatch(x: Exchange, principal: Principal): Promise<void> | undefined {
    x.principal = principal
    if (x.path.startsWith('/v1/backend/')) {
      x.route = '/v1/backend/{org}/{unit}'
      checkMethod(x, BACKEND_METHODS)
      const target = backendTarget(x.path)
      return answerBackend(x, backendTargetFor(principal, x.method, target), deps)
    }
    // Whatever is added below is closed to run tokens.
    if (principal.kind === 'run') throw forbidden(principal)
    if (x.path.startsWith('/v1/units/') && x.path.endsWith('/state')) {
      const target = stateTarget(x)
      if (target?.version !== undefined) {
        x.route = '/v1/units/{unit}/versions/{version}/state'
        checkMethod(x, ['GET', 'HEAD'])
        return readVersion(x, { unit: target.unit, version: target.version }, deps)
      }
      if (target !== undefined) {
        x.route = '/v1/units/{unit}/state'
        checkMethod(x, STATE_METHODS)
        return answerState(x, target.unit, deps)
      }
    }
    if (wantsEventStream(x)) {
      x.route = '/v1/events'
      x.res.once('close', streams.take(callerNetwork(x.address)))
      const { clock, eventsEveryMs: everyMs } = deps
      return answerEventStream(x, {
        journal: deps.control.journal,
        clock,
        everyMs,
        stopping: stopping.signal,
      })
    }
    return answerRest(x)
  }

  async function answerRest(x: Exchange): Promise<void> {
    x.invite()
    const listener = await loadRest()
    // The parser gave up on what came behind the headers, and that has been answered.
    if (x.res.headersSent) return
    await listener(x)
  }

  function begin(req: IncomingMessage, res: Answering, awaitsContinue: boolean): void {
    const connection = connections.get(req.socket) ?? new Connection()
    const requestId = requestIdOf(req.headers['x-request-id'])
    const address = clientAddress(req, deps.trustedProxies)
    const x = new Exchange(req, res, { requestId, address, awaitsContinue, connection })
    connection.current = x
    res.exchange = x
    slowBodies.watch(x)
    metrics.inFlight++
    if (!PROBES.has(x.path)) lastActiveAt = deps.clock.now()
    res.on('close', end)
    try {
      route(x)?.catch((error: unknown) => refuse(x, error))
    } catch (error) {
      refuse(x, error)
    }
  }

  function refuse(x: Exchange, error: unknown): void {
    const { error: shown, options } = asProblem(error)
    sendProblem(x, shown, deps, options)
  }

  function end(this: Answering): void {
    const x = this.exchange
    if (x === undefined) return
    metrics.inFlight--
    const isProbe = PROBES.has(x.path)
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
      path: x.path,
      status,
      ms: Math.round(ms * 10) / 10,
      by: principalText(x.principal),
      address: x.address,
    })
  }

  const server = createServer({
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
  server.on('connection', (socket) => {
    const connection = new Connection()
    connections.set(socket, connection)
    socket.once('close', () => connection.close())
  })
  server.on('request', (req, res) => begin(req, res, false))
  server.on('checkContinue', (req: IncomingMessage, res: Answering) => begin(req, res, true))
  server.on('timeout', (socket: Socket) => {
    if (connections.get(socket)?.isClientsTurn !== false) socket.destroy()
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const underWay = connections.get(socket)?.current
    refuseMalformed(error, socket, underWay, { log, limits, newRequestId: () => requestIdOf(undefined) })
  })

  return {
    server,
    lastActiveAt: () => lastActiveAt,
    async warmUp() {
      await loadRest()
    },
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
}

function checkMethod(x: Exchange, allowed: readonly string[]): void {
  if (!allowed.includes(x.method)) throw new WrongMethod(allowed)
}
