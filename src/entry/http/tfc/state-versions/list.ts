import { z } from 'zod'
import type { UnitRef } from '../../../../state/index.ts'
import { resource, toOne } from '../kit/body.ts'
import { type TfcServices, WorkspaceParams, baseUrl, documented, ofWorkspace, route } from '../kit/define.ts'
import { invalidRelation, notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, pageOf, paging } from '../kit/paging.ts'
import { partsOf } from '../ids.ts'
import { isOwnLock } from '../workspaces/own-lock.ts'
import { ofName } from '../workspaces/target.ts'
import { viewStateVersion } from './view.ts'
import { liveUnit } from '../workspaces/live-unit.ts'

const tags = ['terraform cloud']

const Filters = z.object({
  ...paging,
  'filter[organization][name]': z.string(),
  'filter[workspace][name]': z.string(),
  'filter[status]': z.string().optional(),
})

async function ofFilters(
  { query }: { readonly query: z.infer<typeof Filters> },
  { control }: Pick<TfcServices, 'control'>,
): Promise<UnitRef> {
  await control.orgNames.refresh()
  const org = control.orgNames.idOf(query['filter[organization][name]'])
  return ofName({ params: { org, name: query['filter[workspace][name]'] } })
}

export const listStateVersionRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/state-versions',
    id: 'tfcListStateVersions',
    action: 'versions:read',
    tags,
    summary: 'List the state versions of a workspace, newest first',
    query: Filters,
    target: ofFilters,
    answers: { 200: documented('The state versions') },
    async handle({ target, query, caller, x }, services) {
      const { control } = services
      const { id } = await liveUnit(control, target, caller)
      const { 'page[number]': number, 'page[size]': size } = query
      const { items, next } = await control.versions.list(target, { limit: number * size }, caller)
      // Versions are numbered one by one, so the newest says how many there are, at most.
      const total = next === undefined ? items.length : (items[0]?.seq ?? 0)
      const page = pageOf(items.slice((number - 1) * size), total, query, x)
      const status = query['filter[status]']
      const viewer = { base: baseUrl(x, services), unit: { id } }
      const views = page.items
        .map((version) => viewStateVersion(version, viewer))
        .filter(({ attributes }) => status === undefined || attributes?.['status'] === status)
      return { status: 200, ...listed({ ...page, items: views }) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/workspaces/{workspace}/state-versions',
    id: 'tfcRollBackState',
    action: 'state:rollback',
    tags,
    summary: 'Roll back to a state version: its content becomes a new one',
    params: WorkspaceParams,
    body: resource('state-versions', {
      relationships: { 'rollback-state-version': toOne('state-versions') },
    }),
    target: ofWorkspace,
    answers: { 201: documented('The new state version') },
    async handle({ target, body: { relationships }, caller, x }, services) {
      const { control } = services
      const id = relationships['rollback-state-version']
      const parts = id == null ? undefined : partsOf('sv', id)
      if (parts === undefined)
        throw invalidRelation('rollback-state-version', 'It must name a state version.')
      const unit = await liveUnit(control, target, caller)
      if (parts.unit !== unit.id) throw notFound()
      const { lock } = unit
      // Under the lock that the caller holds, or under one for just this.
      const held = lock !== null && isOwnLock(lock, caller) ? { lockId: lock.id } : {}
      const version = await control.versions.rollback(target, `sv-${parts.own}`, held, caller)
      const view = viewStateVersion(version, { base: baseUrl(x, services), unit })
      return { status: 201, ...document(view) }
    },
  }),
]
