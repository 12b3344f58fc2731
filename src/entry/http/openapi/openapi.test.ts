import { expect, test } from 'vitest'
import { v1Routes } from '../v1/face.ts'
import { makeDocument } from './openapi.ts'

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

function documented() {
  return { document: makeDocument(v1Routes, '0') as unknown as Document }
}

function additional(item: Record<string, unknown>): Record<string, Operation> {
  return (item['x-additionalOperations'] ?? {}) as Record<string, Operation>
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch']

test('the document is OpenAPI 3.1: path items, parameters, references and schemas are what they must be', () => {
  const { document } = documented()

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

test('every route is in the document under its name, and the two foreign methods beside', () => {
  const { document } = documented()
  const found = Object.entries(document.paths).flatMap(([path, item]) =>
    [
      ...METHODS.map((method) => [method, item[method]] as const),
      ...Object.entries(additional(item)),
    ].flatMap(([method, operation]) =>
      operation === undefined ? [] : [`${method.toUpperCase()} ${path} ${operation.operationId}`],
    ),
  )

  const routes = v1Routes.map(({ method, pattern, id }) => `${method} ${pattern} ${id}`)
  expect(found.toSorted()).toEqual(routes.toSorted())
  expect(new Set(v1Routes.map(({ id }) => id)).size).toBe(found.length)
})

test('no schema is of a kind that generators drop', () => {
  const { document } = documented()

  expect(JSON.stringify(document)).not.toMatch(/"enum":\[(true|false)\]/)
  for (const schema of Object.values(document.components.schemas)) {
    const { oneOf = [], anyOf = [] } = schema as { oneOf?: object[]; anyOf?: object[] }
    for (const choice of [...oneOf, ...anyOf]) expect(choice).toHaveProperty('$ref')
  }
})

test('the things that people talk about have names', () => {
  const { document } = documented()

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

test('what the backend refuses is a lock info or a problem, and the document says both', () => {
  const { document } = documented()
  const { delete: remove } = document.paths['/v1/backend/{org}/{unit}'] ?? {}

  expect(Object.keys(remove?.responses['409']?.content ?? {})).toEqual([
    'application/json',
    'application/problem+json',
  ])
})
