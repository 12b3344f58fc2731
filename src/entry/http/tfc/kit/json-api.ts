import { JSON_API_TYPE } from '../../kit/response/reply.ts'
import { jsonText } from '../../openapi/raw-json.ts'

/** A resource as JSON:API writes it. Attributes are written the way go-tfe decodes them: `created-at`, never `createdAt`. */
export interface ResourceObject {
  readonly id: string
  readonly type: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, Relationship>>
  readonly links?: Readonly<Record<string, string | null>>
}

export interface Identifier {
  readonly type: string
  readonly id: string
}

/** A relation without data (only links) is decoded as none: always give the data, null or an empty list included. */
export interface Relationship {
  readonly data: Identifier | readonly Identifier[] | null
  readonly links?: Readonly<Record<string, string>>
}

export interface DocumentParts {
  /** Related resources, complete. Leave out what was not asked for. */
  readonly included?: readonly ResourceObject[] | undefined
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  readonly links?: Readonly<Record<string, string | null>> | undefined
}

/** What a handler answers with: a document with one resource, a list, or none (`null`). */
export function document(
  data: ResourceObject | readonly ResourceObject[] | null,
  { included, meta, links }: DocumentParts = {},
) {
  const text = jsonText({
    data,
    ...(included === undefined || included.length === 0 ? {} : { included: unique(included) }),
    ...(links === undefined ? {} : { links }),
    ...(meta === undefined ? {} : { meta }),
  })
  return { type: JSON_API_TYPE, text }
}

export function one(type: string, id: string | null | undefined): Relationship {
  return { data: id === null || id === undefined ? null : { type, id } }
}

export function many(type: string, ids: readonly string[]): Relationship {
  return { data: ids.map((id) => ({ type, id })) }
}

/** Clients decode the trailing `Z` literally. */
export function time(ms: number): string {
  return new Date(ms).toISOString()
}

/** Each resource once, whatever leads to it. */
function unique(resources: readonly ResourceObject[]): readonly ResourceObject[] {
  return [...new Map(resources.map((one) => [`${one.type} ${one.id}`, one])).values()]
}

/** What `include=` asks for, in either spelling of a name (`task_stages`, `task-stages`). Unknown names do no harm. */
export function includes(query: { readonly include?: string | undefined }): ReadonlySet<string> {
  return new Set((query.include ?? '').split(',').map((name) => name.trim().replaceAll('_', '-')))
}
