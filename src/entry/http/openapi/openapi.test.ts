import { expect, test } from 'vitest'
import { testDeps } from '../../../../test/rig/http-face.ts'
import { createApp } from '../app.ts'
import { OPERATION_IDS } from './operation-ids.ts'

interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: unknown }[]
  readonly requestBody?: { content: Record<string, { schema: unknown }> }
  readonly responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>
}

interface Document {
  readonly openapi: string
  readonly components: { schemas: Record<string, unknown>; securitySchemes: object }
  readonly paths: Record<string, Record<string, Operation>>
}

async function documented() {
  const app = createApp(await testDeps())
  const exchange = { requestId: 'r', caller: { by: 'x' }, signal: new AbortController().signal, route: '' }
  const reply = await app.request('/v1/openapi.json', {}, { exchange })
  return { app, document: (await reply.json()) as Document }
}

function additional(item: Record<string, unknown>): Record<string, Operation> {
  return (item['x-additionalOperations'] ?? {}) as Record<string, Operation>
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch']

test('every route of the application is in the document, and the raw ones too', async () => {
  const { app, document } = await documented()
  const inDocument = Object.entries(document.paths).flatMap(([path, item]) => [
    ...METHODS.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
    ...Object.keys(additional(item)).map((method) => `${method} ${path}`),
  ])
  const inApp = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)

  expect(inDocument).toEqual(expect.arrayContaining([...new Set(inApp)]))
  expect(inDocument).toEqual(
    expect.arrayContaining([
      ...['GET', 'POST', 'PUT', 'DELETE', 'LOCK', 'UNLOCK'].map(
        (method) => `${method} /v1/backend/{org}/{unit}`,
      ),
      ...['GET', 'PUT', 'DELETE'].map((method) => `${method} /v1/units/{unit}/state`),
      'GET /v1/units/{unit}/versions/{version}/state',
    ]),
  )
})

test('the document is OpenAPI 3.1: path items, parameters, references and schemas are what they must be', async () => {
  const { document } = await documented()

  expect(document.openapi).toBe('3.1.0')
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of [...Object.entries(item), ...Object.entries(additional(item))]) {
      if (method.startsWith('x-') || method === 'description') continue
      expect(METHODS.concat('LOCK', 'UNLOCK')).toContain(method)
      const named = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
      const given = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(given.map(({ name }) => name).toSorted()).toEqual(named.map(String).toSorted())
      for (const parameter of given) expect(parameter.required).toBe(true)
      for (const parameter of operation.parameters ?? []) checkSchema(parameter.schema, document)
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        checkSchema(schema, document)
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0)
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^([1-5]\d\d|default)$/)
        expect(answer.description).not.toBe('')
        for (const { schema } of Object.values(answer.content ?? {})) checkSchema(schema, document)
      }
    }
  }
  for (const schema of Object.values(document.components.schemas)) checkSchema(schema, document)
})

test('every operation has a name of its own, and every name has an operation', async () => {
  const { document } = await documented()
  const ids = Object.entries(document.paths).flatMap(([path, item]) =>
    [
      ...METHODS.map((method) => [method, item[method]] as const),
      ...Object.entries(additional(item)),
    ].flatMap(([method, operation]) =>
      operation === undefined ? [] : [[`${method.toUpperCase()} ${path}`, operation.operationId]],
    ),
  )

  expect(Object.fromEntries(ids)).toEqual(OPERATION_IDS)
  expect(new Set(Object.values(OPERATION_IDS)).size).toBe(ids.length)
})

test('no schema is of a kind that generators drop', async () => {
  const { document } = await documented()

  expect(JSON.stringify(document)).not.toMatch(/"enum":\[(true|false)\]/)
  for (const schema of Object.values(document.components.schemas)) {
    const { oneOf = [], anyOf = [] } = schema as { oneOf?: object[]; anyOf?: object[] }
    for (const choice of [...oneOf, ...anyOf]) expect(choice).toHaveProperty('$ref')
  }
})

test('the things that people talk about have names', async () => {
  const { document } = await documented()

  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      'Problem',
      'Unit',
      'Version',
      'Lock',
      'Organization',
      'Event',
      'GcReport',
      'StateDiff',
    ]),
  )
  expect(document.components.schemas['Unit']).toMatchObject({
    type: 'object',
    properties: { lock: { type: ['object', 'null'] } },
  })
})

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

function checkSchema(schema: unknown, document: Document): void {
  expect(schema).toBeTypeOf('object')
  const { $ref, type, properties, items, anyOf, oneOf, allOf, additionalProperties, required } =
    schema as Record<string, unknown>
  if (typeof $ref === 'string') {
    expect($ref).toMatch(/^#\/components\/schemas\//)
    expect(document.components.schemas).toHaveProperty([$ref.slice('#/components/schemas/'.length)])
  }
  for (const one of [type].flat()) if (one !== undefined) expect(TYPES).toContain(one)
  for (const inner of Object.values(properties ?? {})) checkSchema(inner, document)
  for (const name of (required ?? []) as string[]) expect(properties).toHaveProperty([name])
  for (const inner of [items, ...((anyOf ?? oneOf ?? allOf ?? []) as unknown[])])
    if (inner !== undefined) checkSchema(inner, document)
  if (typeof additionalProperties === 'object') checkSchema(additionalProperties, document)
}

test('what the backend refuses is a lock info or a problem, and the document says both', async () => {
  const { document } = await documented()
  const { delete: remove } = document.paths['/v1/backend/{org}/{unit}'] ?? {}

  expect(Object.keys(remove?.responses['409']?.content ?? {})).toEqual([
    'application/json',
    'application/problem+json',
  ])
})
