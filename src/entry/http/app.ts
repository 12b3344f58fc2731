import { routePath } from 'hono/route'
import { principalText } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import { addAbout } from './v1/about.ts'
import { type Api, conditionsOf, createApi, translated } from './openapi/api.ts'
import { compressed, mayCompress } from './kit/response/compress.ts'
import { addDependencies } from './v1/dependencies.ts'
import type { HttpDeps } from './deps.ts'
import { refuseConditions } from './kit/response/etag.ts'
import { addEvents } from './v1/events/events.ts'
import { addGraph } from './v1/graph.ts'
import { keyedRequest } from './v1/idempotency.ts'
import { addInputs } from './v1/inputs.ts'
import { checkJsonType } from './kit/request/json-type.ts'
import { addLocks } from './v1/locks.ts'
import { addDocument } from './openapi/openapi.ts'
import { addOrgs } from './v1/orgs.ts'
import { addOutputs } from './v1/outputs.ts'
import { renderProblem } from './kit/response/problem.ts'
import { tooLarge } from './kit/request/receive.ts'
import { logFailure } from './kit/response/respond.ts'
import { addRollouts } from './v1/rollouts.ts'
import { addRunTokens } from './v1/run-tokens.ts'
import { checkJson } from './kit/request/strict-json.ts'
import { addSync } from './v1/sync.ts'
import { addUnits } from './v1/units.ts'
import { addUpkeep } from './v1/upkeep.ts'
import { addVersions } from './v1/versions.ts'
import { WrongMethod, asProblem, methodsAt } from './kit/response/wrong-method.ts'

/** The pattern of requests that only this file's own steps see. */
const UNROUTED = '/*'

/** The native API, save for the routes that carry states. Testable without a socket by `app.request()`. */
export function createApp(deps: HttpDeps): Api {
  const { control, graph, log, limits } = deps
  const api = createApi()

  api.use(async (c, next) => {
    await next()
    if (!mayCompress(c.req.method, c.env.exchange.route, c.res)) return
    const answer = await compressed(c.res, c.req.header('accept-encoding'))
    if (answer === c.res) return
    // Else the framework adds the headers of the old answer to those of the new one.
    c.res = undefined
    c.res = answer
  })
  api.use(async (c, next) => {
    const pattern = routePath(c, -1)
    c.env.exchange.route = pattern.replace(/:(\w+)/g, '{$1}')
    if (pattern === UNROUTED) {
      const allowed = methodsAt(c.req.path, api.routes)
      if (allowed !== undefined) throw new WrongMethod(allowed)
    }
    if (hasBody(c.req) || c.req.method === 'POST') checkJsonType(c.req.header('content-type'))
    await next()
  })
  api.use((c, next) => {
    if ((declaredBytes(c.req) ?? 0) > limits.maxJsonBytes) throw tooLarge(limits.maxJsonBytes)
    return next()
  })
  api.use(async (c, next) => {
    // The framework keeps the text, and parses it for the handler.
    if (hasBody(c.req)) checkJson(await c.req.text())
    return next()
  })
  const idempotent = new Set<string>()
  api.use(async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key !== undefined && idempotent.has(`${c.req.method} ${c.env.exchange.route}`)) {
      const { pathname, search } = new URL(c.req.url)
      const body = hasBody(c.req) ? await c.req.text() : ''
      const says = [c.req.method, pathname, search, body]
      c.env.exchange.keyed = keyedRequest(key, principalText(c.env.exchange.principal), says)
    }
    return next()
  })
  const conditional = new Set<string>()
  api.use((c, next) => {
    const { method } = c.req
    const isSafe = method === 'GET' || method === 'HEAD'
    if (!isSafe && !conditional.has(`${method} ${c.env.exchange.route}`))
      refuseConditions(conditionsOf(c.req))
    return next()
  })
  api.onError((raised, c) => {
    const { error, options } = asProblem(translated(raised))
    logFailure(error, c.env.exchange, log)
    const { problem, headers } = renderProblem(error, c.env.exchange.requestId, options)
    const response = Response.json(problem, {
      status: problem.status,
      headers: { 'content-type': 'application/problem+json' },
    })
    for (const [name, values] of Object.entries(headers)) {
      for (const value of [values].flat()) response.headers.append(name, value)
    }
    return response
  })
  api.notFound((c) => {
    const error = new TacoError('NOT_FOUND', `there is nothing at ${c.req.method} ${c.req.path}`, {
      hint: '/v1/openapi.json lists what there is.',
    })
    const { problem } = renderProblem(error, c.env.exchange.requestId)
    return Response.json(problem, { status: 404, headers: { 'content-type': 'application/problem+json' } })
  })

  addAbout(api, deps)
  addOrgs(api, control.orgs)
  addUnits(api, control.units, graph.dependencies)
  addLocks(api, control.locks, { clock: deps.clock, ids: deps.ids, version: deps.about.version })
  addVersions(api, control.versions)
  addOutputs(api, control.outputs)
  addGraph(api, graph, deps.clock)
  addDependencies(api, graph.dependencies)
  addInputs(api, deps.inputs)
  addSync(api, deps.sync)
  addRollouts(api, deps.rollouts)
  addRunTokens(api, control)
  addEvents(api, control.journal)
  addUpkeep(api, control.upkeep, { rollouts: deps.rollouts, log, bucketKind: deps.about.bucket.kind })
  addDocument(api, deps.about.version)
  for (const route of routesTaking('if-match', api)) conditional.add(route)
  for (const route of routesTaking('idempotency-key', api)) idempotent.add(route)
  return api
}

/** `PATCH /v1/units/{unit}`: those that say in the document that they take this header. */
function routesTaking(header: string, api: Api): readonly string[] {
  return api.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return []
    const { method, path, request } = definition.route
    const headers = request?.headers
    const takes = headers !== undefined && 'shape' in headers && header in headers.shape
    return takes ? [`${method.toUpperCase()} ${path}`] : []
  })
}

/** No DELETE here takes a body, and one that is left out cannot be told from one that is there. */
function hasBody(request: { readonly method: string; header(name: string): string | undefined }): boolean {
  if (['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(request.method)) return false
  return (declaredBytes(request) ?? (request.header('transfer-encoding') === undefined ? 0 : 1)) > 0
}

/**
 * The size that the request declares; node holds clients to it. Asking for the body itself would make the framework
 * build a whole web request, which takes longer than most answers.
 */
function declaredBytes(request: { header(name: string): string | undefined }): number | undefined {
  const length = request.header('content-length')
  return length === undefined || request.header('transfer-encoding') !== undefined
    ? undefined
    : Number(length)
}
