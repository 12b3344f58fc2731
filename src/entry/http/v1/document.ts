import { z } from 'zod'
import type { Route } from '../kit/routes/route.ts'
import { NoQuery, jsonAnswer } from '../openapi/api.ts'
import { ofServer, route } from './define.ts'

/** The OpenAPI document of these routes, and of the one that serves it. */
export function documentRoutes(others: readonly Route[]): readonly Route[] {
  let made: Promise<Record<string, unknown>> | undefined
  const own: Route = route({
    method: 'GET',
    path: '/v1/openapi.json',
    id: 'getDocument',
    action: 'server:read',
    tags: ['server'],
    summary: 'This document',
    query: NoQuery,
    target: ofServer,
    answers: { 200: jsonAnswer(z.record(z.string(), z.unknown()), 'OpenAPI 3.1') },
    async handle(_, { about }) {
      // Few ask for it, and what makes it takes longer to load than all the rest.
      made ??= import('../openapi/openapi.ts').then(({ makeDocument }) =>
        makeDocument([...others, own], about.version),
      )
      return { status: 200, json: await made }
    },
  })
  return [own]
}
