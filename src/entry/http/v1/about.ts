import { isoTime } from '../../../base/clock.ts'
import { type Api, NoQuery, PROBLEMS, createRoute, jsonAnswer, z } from '../openapi/api.ts'
import type { HttpDeps } from '../deps.ts'
import { createReadiness } from '../readiness.ts'
import { forStranger } from '../kit/response/stranger-error.ts'

const tags = ['server']
const Ok = z.object({ status: z.literal('ok') })
const Server = z.object({
  name: z.literal('opentaco'),
  version: z.string(),
  bucket: z.object({ kind: z.string(), label: z.string() }),
  auth: z.enum(['none', 'token']),
  time: z.iso.datetime(),
})

// What watches a server asks with parameters of its own, to get past caches or because it always does: those three
// take any.

const health = createRoute({
  method: 'get',
  path: '/healthz',
  tags,
  summary: 'The process lives',
  security: [],
  responses: { 200: jsonAnswer(Ok, 'It does') },
})

const readiness = createRoute({
  method: 'get',
  path: '/readyz',
  tags,
  summary: 'The bucket can be reached',
  security: [],
  responses: { 200: jsonAnswer(Ok, 'It can'), ...PROBLEMS },
})

const metricsText = createRoute({
  method: 'get',
  path: '/metrics',
  tags,
  summary: 'Metrics for Prometheus',
  responses: {
    200: { description: 'Text format 0.0.4', content: { 'text/plain': { schema: z.string() } } },
    ...PROBLEMS,
  },
})

const server = createRoute({
  method: 'get',
  path: '/v1/server',
  tags,
  summary: 'What this server is',
  request: { query: NoQuery },
  responses: { 200: jsonAnswer(Server, 'The server'), ...PROBLEMS },
})

export function addAbout(
  api: Api,
  deps: Pick<HttpDeps, 'about' | 'clock' | 'guard' | 'metrics' | 'ready'>,
): void {
  api.openapi(health, (c) => c.json({ status: 'ok' } as const, 200))
  const ready = createReadiness(deps.ready, deps.clock)
  api.openapi(readiness, async (c) => {
    const { principal } = c.env.exchange
    const isStranger = principal.kind === 'anonymous' && !principal.isOpenServer
    await ready().catch((error: unknown) => {
      throw isStranger ? forStranger(error) : error
    })
    return c.json({ status: 'ok' } as const, 200)
  })
  api.openapi(metricsText, (c) =>
    c.text(deps.metrics.text(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }),
  )
  api.openapi(server, (c) =>
    c.json(
      { name: 'opentaco', ...deps.about, auth: deps.guard.kind, time: isoTime(deps.clock.now()) } as const,
      200,
    ),
  )
}
