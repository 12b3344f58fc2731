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

Everything that \`taco\` does goes through this API, and so can your scripts. A server describes it in full at \`/v1/openapi.json\` (OpenAPI 3.1), from the same schemas that validate requests. Every operation has an \`operationId\`; clients generated with openapi-typescript and openapi-python-client are tested against a real server. \`LOCK\` and \`UNLOCK\`, for which OpenAPI 3.1 has no place, are under \`x-additionalOperations\`; \`lockUnit\` and \`unlockUnit\` do the same with ordinary methods.

- **Units in paths** are one segment: \`prod/network\` is written \`prod--network\`, or by id, \`ws-…\`. Only the [state backend](backend.md) takes the slashes as they are.
- **Organizations**: \`?org=\`; \`default\` if it is left out.
- **Access**: \`Authorization: Bearer <token>\`, or HTTP Basic with the token as password.
- **JSON**: every \`POST\`, and every other request with a body, needs \`Content-Type: application/json\`; the state backend takes any type. A body that names a member twice, names one \`__proto__\` or is nested deeper than 32 levels is refused with 400.
- **Methods**: a known path answers 405 to a method that it does not have, \`OPTIONS\` included, and lists those it has in \`Allow\`. There are no CORS headers: web pages of other origins have no access.
- **Lists** come in pages: \`limit\`, and \`cursor\` with the \`next\` of the page before; \`next\` is null at the end. Events are the exception, see below.
- **States, units and organizations** carry an \`ETag\`. A change with \`If-Match\` (one tag, a list, or \`*\`) is refused with 412 when the tag is no longer current; \`If-None-Match: *\` writes a state only where there is none. Routes that cannot honour a condition refuse it with 400. Reads answer 304 and 412 as HTTP says.
- **Lost answers**: send an \`Idempotency-Key\` of your own (a UUID, at most 255 characters) with a change. If no answer comes, repeat the request with the same key: it is answered like the first, with the resource as it is now, and changes nothing again. The same key with another method, path, query or body is refused with 400. A key belongs to who sent it and is kept with what was changed (the unit, the organization, the rollout): the last 32 there, for a day. Changes without that header in the OpenAPI document can be repeated as they are: they say what should be (\`/v1/sync\`, declaring a dependency), or carry an id of their own (a lock, a claim, the end of a step). Breaking a lock that a program made in the bucket itself is not covered.
- **Compression**: JSON answers to \`GET\` of 4 kB and more come as gzip if you send \`Accept-Encoding: gzip\`. States, outputs, inputs and differences never do, nor what carries an \`ETag\`: the size of a compressed answer could tell about secrets in it.
- **Errors** are problem documents with a code and a hint: [errors.md](errors.md).
- **Request ids**: \`X-Request-Id\` is taken from you or made up, answered, and written into the log and the events.
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
