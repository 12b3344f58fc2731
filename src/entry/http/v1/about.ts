import { z } from 'zod'
import { isoTime } from '../../../base/clock.ts'
import { forStranger } from '../kit/response/stranger-error.ts'
import { NoQuery, jsonAnswer } from '../openapi/api.ts'
import { ofServer, route } from './define.ts'

const tags = ['server']
const Ok = z.object({ status: z.literal('ok') })
const Server = z.object({
  name: z.literal('opentaco'),
  version: z.string(),
  bucket: z.object({ kind: z.string(), label: z.string() }),
  auth: z.enum(['none', 'token', 'sso']),
  time: z.iso.datetime(),
})

// What watches a server asks with parameters of its own, to get past caches or because it always does: the first three
// take any.
export const aboutRoutes = [
  route({
    method: 'GET',
    path: '/healthz',
    id: 'getHealth',
    action: 'server:health',
    openness: 'everybody',
    tags,
    summary: 'Liveness',
    target: ofServer,
    answers: { 200: jsonAnswer(Ok, 'OK') },
    isProbe: true,
    handle: (_) => ({ status: 200, json: { status: 'ok' } }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    id: 'getReadiness',
    action: 'server:health',
    openness: 'everybody',
    tags,
    summary: 'Readiness: the bucket answers',
    target: ofServer,
    answers: { 200: jsonAnswer(Ok, 'OK') },
    isProbe: true,
    async handle({ x: { principal } }, { ready }) {
      const isStranger = principal.kind === 'anonymous' && !principal.isOpenServer
      await ready().catch((error: unknown) => {
        throw isStranger ? forStranger(error) : error
      })
      return { status: 200, json: { status: 'ok' } }
    },
  }),
  route({
    method: 'GET',
    path: '/metrics',
    id: 'getMetrics',
    action: 'server:metrics',
    openness: 'metrics',
    tags,
    summary: 'Prometheus metrics',
    target: ofServer,
    answers: { 200: { description: 'Text format 0.0.4', content: { 'text/plain': { schema: z.string() } } } },
    isProbe: true,
    handle: async (_, { metrics, metricsText }) => ({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      text: (await metricsText?.()) ?? metrics.text(),
    }),
  }),
  route({
    method: 'GET',
    path: '/v1/server',
    id: 'getServer',
    action: 'server:read',
    tags,
    summary: 'Show the server',
    query: NoQuery,
    target: ofServer,
    answers: { 200: jsonAnswer(Server, 'The server') },
    handle: (_, { about, guard, clock }) => ({
      status: 200,
      json: { name: 'opentaco', ...about, auth: guard.kind, time: isoTime(clock.now()) },
    }),
  }),
]
