import { type Api, NoQuery, PROBLEMS, createRoute, jsonAnswer, z } from './api.ts'
import { documentRawRoutes } from './raw-routes.ts'

const document = createRoute({
  method: 'get',
  path: '/v1/openapi.json',
  tags: ['server'],
  summary: 'This document',
  request: { query: NoQuery },
  responses: { 200: jsonAnswer(z.record(z.string(), z.unknown()), 'OpenAPI 3.1'), ...PROBLEMS },
})

/** Call it last: the document has the routes that are there. */
export function addDocument(api: Api, version: string): void {
  documentRawRoutes(api)
  let made: Record<string, unknown> | undefined
  api.openapi(document, (c) => c.json((made ??= makeDocument(api, version)), 200))
}

function makeDocument(api: Api, version: string): Record<string, unknown> {
  const schemes = api.openAPIRegistry
  schemes.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  schemes.registerComponent('securitySchemes', 'basic', {
    type: 'http',
    scheme: 'basic',
    description: 'Any user; the token is the password.',
  })
  const {
    webhooks: _,
    paths = {},
    ...made
  } = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'OpenTaco',
      version,
      description: 'State control for OpenTofu and Terraform on a bucket.',
      license: { name: 'Apache-2.0' },
    },
    security: [{ bearer: [] }, { basic: [] }],
  })
  return {
    ...made,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [path, withoutForeignMethods(item)]),
    ),
  }
}

/** OpenAPI 3.2 has `additionalOperations` for methods such as LOCK; 3.1 has extensions. */
function withoutForeignMethods(item: object): object {
  const { lock, unlock, ...rest } = item as { lock?: object; unlock?: object }
  if (lock === undefined && unlock === undefined) return rest
  return { ...rest, 'x-additionalOperations': { LOCK: lock, UNLOCK: unlock } }
}
