import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type RouteConfig,
  extendZodWithOpenApi,
} from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import type { Route } from '../kit/routes/route.ts'
import { PROBLEMS } from './api.ts'

extendZodWithOpenApi(z)

/** OpenAPI 3.1 for these routes. */
export function makeDocument(routes: readonly Route[], version: string): Record<string, unknown> {
  const registry = new OpenAPIRegistry()
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' })
  registry.registerComponent('securitySchemes', 'basic', {
    type: 'http',
    scheme: 'basic',
    description: 'Any user name; the token is the password.',
  })
  for (const route of routes) registry.registerPath(described(route))
  const {
    webhooks: _,
    paths = {},
    ...made
  } = new OpenApiGeneratorV31(registry.definitions).generateDocument({
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
  const usual = Object.entries(paths).map(([path, item]) => [path, withoutForeignMethods(item as object)])
  return readable({ ...made, paths: Object.fromEntries(usual) }) as Record<string, unknown>
}

const FOREIGN_METHODS =
  'For `backend "http"` of the engines. Two operations have methods that OpenAPI 3.1 and most generators do not know: `LOCK` acquires the lock and `UNLOCK` releases it, at the same address, with an EngineLock as JSON body. They are described under `x-additionalOperations`. Programs without those methods use lockUnit and unlockUnit.'

function described(route: Route): RouteConfig {
  const { id, tags, summary, description, params, query, headers, body, answers, openness } = route
  const content = body === undefined ? undefined : { 'application/json': { schema: body.schema } }
  const parts = {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(headers === undefined ? {} : { headers }),
    ...(content === undefined || body === undefined
      ? {}
      : { body: { content, ...(body.isRequired === false ? {} : { required: true }) } }),
  }
  return {
    operationId: id,
    // The generator knows no LOCK and UNLOCK and passes them on; they are moved aside below.
    method: route.method.toLowerCase() as RouteConfig['method'],
    path: route.pattern,
    tags: [...tags],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(openness === 'everybody' ? { security: [] } : {}),
    ...(Object.keys(parts).length === 0 ? {} : { request: parts as RouteConfig['request'] & object }),
    responses: { ...(answers as RouteConfig['responses']), ...PROBLEMS },
  }
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
