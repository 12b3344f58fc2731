import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Found, UnitRef } from '../../../../state/index.ts'
import { createPermit } from '../../auth/permit.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { freeing } from '../../kit/freeing.ts'
import { sendBytes } from '../../kit/response/send-bytes.ts'
import { partsOf } from '../ids.ts'
import {
  type TfcServices,
  WorkspaceParams,
  baseUrl,
  documented,
  ofWorkspace,
  rawRoute,
  route,
} from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { consumerOf } from './consumer.ts'
import { SNAPSHOTS, viewStateVersion } from './view.ts'
import { liveUnit } from '../workspaces/live-unit.ts'

const tags = ['terraform cloud']
const params = z.object({ version: z.string() })
const Include = z.object({ include: z.string().optional() })

/** The unit, and how the id of the version begins. */
export async function ofVersion(
  { params: { version } }: { readonly params: { readonly version: string } },
  { locator }: Pick<TfcServices, 'locator'>,
): Promise<UnitRef & { readonly start: string }> {
  const parts = partsOf('sv', version)
  if (parts === undefined) throw notFound()
  return { ...(await locator.workspace(parts.unit)), start: `sv-${parts.own}` }
}

export const readStateVersionRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/current-state-version',
    id: 'tfcShowCurrentStateVersion',
    action: 'versions:read',
    takesRunTokens: true,
    tags,
    summary: 'Show the current state version',
    params: WorkspaceParams,
    query: Include,
    target: ofWorkspace,
    answers: { 200: documented('The state version') },
    async handle({ target, caller, x }, services) {
      const unit = await liveUnit(services.control, target, caller)
      if (unit.state === null) throw notFound()
      const view = viewStateVersion(unit.state, { base: baseUrl(x, services), unit })
      return { status: 200, headers: SNAPSHOTS, ...document(view) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/state-versions/{version}',
    id: 'tfcShowStateVersion',
    action: 'versions:read',
    takesRunTokens: true,
    tags,
    summary: 'Show a state version',
    params,
    query: Include,
    target: ofVersion,
    answers: { 200: documented('The state version') },
    async handle({ target, caller, x }, services) {
      const version = await services.control.versions.get(target, target.start, caller)
      const unit = { id: target.unit }
      return {
        status: 200,
        headers: SNAPSHOTS,
        ...document(viewStateVersion(version, { base: baseUrl(x, services), unit })),
      }
    },
  }),
  rawRoute({
    method: 'GET',
    path: '/api/v2/state-versions/{version}/download',
    id: 'tfcDownloadState',
    action: 'state:read',
    takesRunTokens: true,
    tags,
    summary: 'Download the state of a version',
    params,
    target: ofVersion,
    answers: { 200: { description: 'The state', content: { 'application/json': { schema: z.unknown() } } } },
    handle: ({ x, target }, services) => download(x, target, services),
  }),
]

async function download(
  x: Exchange,
  { start, ...ref }: UnitRef & { readonly start: string },
  services: TfcServices,
): Promise<void> {
  const { control, freeBuffers } = services
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  const found = await currentBytes(x, ref, start, control)
  if (found !== undefined) return sendBytes(x, found, headers)
  await createPermit(services.access)(x.principal, 'versions:read-state', ref)
  const { body, dispose } = await control.versions.read(ref, start, x.caller)
  try {
    const bytes = async () => body.bytes ?? Buffer.concat(await collected(body.stream()))
    await sendBytes(x, { size: body.size, bytes, stream: () => freeing(body.stream(), freeBuffers) }, headers)
  } finally {
    await dispose()
  }
}

async function collected(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

/** Which bytes a version has, once they were seen: a tag never belongs to other bytes. */
const tagsOfVersions = new LRUCache<string, string>({ max: 10_000 })

/** The state, if it is that of the version. Undefined: it is of another one. */
async function currentBytes(
  x: Exchange,
  ref: UnitRef,
  start: string,
  { states }: TfcServices['control'],
): Promise<Found | undefined> {
  const key = `${ref.unit} ${start}`
  let tag = tagsOfVersions.get(key)
  if (tag === undefined) {
    const current = await states.current(ref, x.caller)
    if (current?.version.id.startsWith(start) !== true) return undefined
    tag = current.tag
    tagsOfVersions.set(key, tag)
  }
  const found = await states.read(ref, { signal: x.signal, ...consumerOf(x.caller, ref) }, x.caller)
  if (found === undefined || found === 'unchanged') return undefined
  if (found.tag === tag) return found
  found.discard()
  return undefined
}
