import { addTeam } from '../../src/access/organization/transitions.ts'
import type { Answer, Sent } from './http-face.ts'
import type { Credential, SsoFace } from './sso-face.ts'

const JSON_API = { 'content-type': 'application/vnd.api+json' }

/** As JSON:API writes a resource in a request. */
export interface ResourceBody {
  readonly type?: string
  readonly id?: string | null
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, unknown>>
}

/** A request to the Terraform Cloud API. `path` follows `/api/v2/`. */
export function tfcCall(method: string, path: string, data?: ResourceBody | readonly ResourceBody[] | null) {
  const body = data === undefined ? undefined : JSON.stringify({ data })
  return {
    path: `/api/v2/${path}`,
    method,
    headers: {
      ...(method === 'GET' ? {} : JSON_API),
      // Node does not say how long the body of a DELETE is.
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
    ...(body === undefined ? {} : { body }),
  } satisfies Sent & { readonly path: string }
}

export interface TfcAnswer {
  readonly status: number
  readonly headers: Answer['headers']
  /** Undefined: the answer has no body. */
  readonly json: Readonly<Record<string, unknown>>
  readonly data: Resource
  readonly all: readonly Resource[]
  /** Where the first error points to, or undefined. */
  readonly pointer: string | undefined
}

export interface Resource {
  readonly id: string
  readonly type: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, { readonly data: unknown }>>
}

/** Sends requests to the Terraform Cloud API of a test's server, as somebody. */
export function tfcAs(face: Pick<SsoFace, 'send'>, credential: Credential) {
  return async (
    method: string,
    path: string,
    data?: ResourceBody | readonly ResourceBody[] | null,
  ): Promise<TfcAnswer> => {
    const call = tfcCall(method, path, data)
    const answer = await face.send(call.path, { ...call, headers: { ...call.headers, ...credential } })
    const json = answer.text === '' ? {} : answer.json()
    const errors = json['errors'] as { source?: { pointer: string } }[] | undefined
    return {
      status: answer.status,
      headers: answer.headers,
      json,
      data: json['data'] as Resource,
      all: json['data'] as Resource[],
      pointer: errors?.[0]?.source?.pointer,
    }
  }
}

export function linkTo(type: string, id: string) {
  return { data: { type, id } }
}

export function linksTo(type: string, ...ids: string[]) {
  return { data: ids.map((id) => ({ type, id })) }
}

/** A new unit of the organization `default`; the answer is its id. */
export async function newUnit(face: SsoFace, name = face.fresh('unit')): Promise<string> {
  const answer = await face.send('/v1/units', {
    method: 'POST',
    headers: { ...face.root, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return String(answer.json()['id'])
}

/** A new team of the organization `default`; the answer is its id. */
export async function newTeam(face: SsoFace): Promise<string> {
  const id = face.id('team')
  const team = { id, name: face.fresh('team'), members: [], groups: [], createdAt: 1 }
  await face.policy('default', (all) => addTeam(all, team))
  return id
}
