// docs/api.md is written from the OpenAPI document, which is written from the schemas that validate requests.

import { z } from 'zod'
import { makeDocument } from '../src/entry/http/openapi/openapi.ts'
import { v1Routes } from '../src/entry/http/v1/face.ts'

const Operation = z.looseObject({
  summary: z.string().default(''),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
})
const Description = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

const intro = `# The HTTP API

\`taco\` uses this API for everything, and your scripts can use it too. A server describes it in full at \`/v1/openapi.json\` (OpenAPI 3.1), from the same schemas that validate requests. Every operation has an \`operationId\`; clients generated with openapi-typescript and openapi-python-client are tested against a real server. \`LOCK\` and \`UNLOCK\`, which OpenAPI 3.1 cannot describe, are under \`x-additionalOperations\`; \`lockUnit\` and \`unlockUnit\` do the same with ordinary methods.

- **Units in paths** are one segment: \`prod/network\` is written \`prod--network\`, or by id, \`ws-…\`. Only the [state backend](backend.md) uses plain slashes.
- **Organizations**: \`?org=\`; without it, \`default\`.
- **Access**: \`Authorization: Bearer <token>\`, or HTTP Basic with the token as password.
- **JSON**: every \`POST\`, and every other request with a body, needs \`Content-Type: application/json\`; the state backend accepts any type. A body with a duplicate name, a member \`__proto__\` or more than 32 levels is refused with 400.
- **Methods**: a known path answers 405 to an unsupported method, including \`OPTIONS\`, and lists the supported ones in \`Allow\`. There are no CORS headers: web pages of other origins have no access.
- **Lists** are paged: use \`limit\`, and the \`next\` of one page as the \`cursor\` of the following one. \`next\` is null at the end. Events are an exception, see below.
- **States, units and organizations** carry an \`ETag\`. A change with \`If-Match\` (one tag, a list, or \`*\`) is refused with 412 if the tag is no longer current. \`If-None-Match: *\` writes a state only if there is none. Routes that do not support a condition refuse it with 400. Reads answer 304 and 412 as HTTP defines.
- **Lost answers**: send an \`Idempotency-Key\` (a UUID, at most 255 characters) with a change. If no answer arrives, repeat the request with the same key: it is answered like the first, with the current resource, and changes nothing again. The same key with another method, path, query or body is refused with 400. A key belongs to its sender and is stored with what was changed (the unit, the organization, the rollout): the last 32, for a day. Changes without this header in the OpenAPI document can simply be repeated: they describe the desired result (\`/v1/sync\`, declaring a dependency), or have an id (a lock, a claim, the end of a step). Breaking a lock that a program created in the bucket is not covered.
- **Compression**: JSON answers to \`GET\` of 4 kB and more are compressed if you send \`Accept-Encoding: gzip\`. States, outputs, inputs, differences and answers with an \`ETag\` never are: the size of a compressed answer could reveal secrets.
- **Errors** are problem documents with a code and a hint: [errors.md](errors.md).
- **Request ids**: the server uses your \`X-Request-Id\` or creates one, returns it, and writes it to the log and the events.
- **Events**: \`GET /v1/events?after=<next>\` goes on from where you were and skips nothing. \`next\` is always set; \`"more": false\` says that this is all there is for now. \`order=desc\` gives the newest first, at the cost of a few requests to the bucket; there \`"more": false\` is the end of the journal, and \`latest\` is the cursor with which to follow from the first page on, oldest first. A cursor whose next events were removed by retention is answered with 410. Filters apply before paging. One answer reads a bounded part of the journal, so that with a rare filter a page may be short or empty while \`more\` is true: go on. With \`Accept: text/event-stream\` it stays open.
`

export function apiPage(): string {
  const { paths } = Description.parse(makeDocument(v1Routes, '0'))
  const rows = Object.entries(paths).flatMap(([path, item]) => {
    const { 'x-additionalOperations': more, description: _, ...usual } = item
    const operations = { ...usual, ...z.record(z.string(), z.unknown()).catch({}).parse(more) }
    return Object.entries(operations).map(([method, operation]) => row(method.toUpperCase(), path, operation))
  })
  return `${intro}\n| | | | query |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function row(method: string, path: string, operation: unknown): string {
  const { summary, parameters } = Operation.parse(operation)
  const query = parameters
    .filter((found) => found.in === 'query' && found.name !== 'org')
    .map(({ name }) => `\`${name}\``)
  return `| ${method} | \`${path}\` | ${summary} | ${query.join(', ')} |`
}
