import { type Api, NoQuery, PROBLEMS, createRoute, jsonAnswer, z } from './api.ts'
import { OPERATION_IDS } from './operation-ids.ts'
import { documentRawRoutes } from './openapi-raw.ts'

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
    tags: [{ name: 'http backend', description: FOREIGN_METHODS }],
  })
  const described = {
    ...made,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [path, withoutForeignMethods(named(path, item))]),
    ),
  }
  return readable(described) as Record<string, unknown>
}

const FOREIGN_METHODS =
  'For `backend "http"` of the engines. Two operations have methods that OpenAPI 3.1 and most generators do not know: `LOCK` takes the lock and `UNLOCK` lets it go, at the same address, with an EngineLock as JSON body. They are described under `x-additionalOperations`. Programs without those methods use lockUnit and unlockUnit.'

function named(path: string, item: object): object {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      { operationId: OPERATION_IDS[`${method.toUpperCase()} ${path}`], ...(operation as object) },
    ]),
  )
}

/** Generators drop what they do not understand: an `enum` of booleans, for which `const` says the same. */
function readable(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(readable)
  if (typeof part !== 'object' || part === null) return part
  const { enum: values, ...rest } = part as { enum?: unknown }
  const isFixed = Array.isArray(values) && values.length === 1 && typeof values[0] === 'boolean'
  const said = isFixed ? { ...rest, const: values[0] as boolean } : part
  return Object.fromEntries(Object.entries(said).map(([name, inner]) => [name, readable(inner)]))
}

/** OpenAPI 3.2 has `additionalOperations` for methods such as LOCK; 3.1 has extensions. */
function withoutForeignMethods(item: object): object {
  const { lock, unlock, ...rest } = item as { lock?: object; unlock?: object }
  if (lock === undefined && unlock === undefined) return rest
  return {
    description: FOREIGN_METHODS,
    ...rest,
    'x-additionalOperations': { LOCK: lock, UNLOCK: unlock },
  }
}
