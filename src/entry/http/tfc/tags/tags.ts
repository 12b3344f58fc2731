import { z } from 'zod'
import { forEachLimit } from '../../../../base/for-each-limit.ts'
import { projectIdOf } from '../../../../projects/index.ts'
import { parseLabels } from '../../../../state/index.ts'
import { checkRuleLabels } from '../../kit/rule-labels.ts'
import { identifiers, resource } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { allUnits } from '../workspaces/list.ts'
import { checkReserved } from '../workspaces/tag-routes.ts'
import { tagNames } from '../workspaces/view.ts'
import { checkWorkspaces } from '../workspaces-of-org.ts'
import { readTagId } from './tag-id.ts'
import { viewReservedTagKey, viewTag } from './view.ts'

const tags = ['terraform cloud']

function ofReservedKey(
  { params: { key } }: { readonly params: { readonly key: string } },
  { locator, reservedTagKeys }: Pick<TfcServices, 'locator' | 'reservedTagKeys'>,
) {
  return locator.record(reservedTagKeys, key)
}
const KeyParams = z.object({ key: z.string() })

export const tagRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/tags',
    id: 'tfcListTags',
    action: 'unit:read',
    isFiltered: true,
    tags,
    summary: 'List the tags of all workspaces',
    params: OrgParams,
    query: z.object({
      ...paging,
      q: z.string().optional(),
      'filter[exclude][taggable][id]': z.string().optional(),
    }),
    target: ofOrg,
    answers: { 200: documented('The tags') },
    async handle({ target: { org }, query, caller, x }, services) {
      const units = await allUnits(services, org, caller)
      const counts = new Map<string, number>()
      for (const { labels } of units)
        for (const name of tagNames(labels)) counts.set(name, (counts.get(name) ?? 0) + 1)
      const excluded = units.find(({ id }) => id === query['filter[exclude][taggable][id]'])
      for (const name of tagNames(excluded?.labels ?? {})) counts.delete(name)
      const wanted = query.q?.toLowerCase() ?? ''
      const names = [...counts.keys()].filter((name) => name.toLowerCase().includes(wanted)).toSorted()
      const page = paged(names, query, x)
      const orgName = services.control.orgNames.nameOf(org)
      const items = page.items.map((name) => viewTag({ org, orgName, name, count: counts.get(name) ?? 0 }))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/organizations/{org}/tags',
    id: 'tfcDeleteTags',
    action: 'org:admin',
    tags,
    summary: 'Remove tags from all workspaces',
    params: OrgParams,
    body: identifiers('tags'),
    target: ofOrg,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org }, body, caller }, services) {
      const names = body.map((id) => readTagId(id).name)
      const units = await allUnits(services, org, caller)
      await forEachLimit(units, 8, async ({ id, labels }) => {
        const mine = names.filter((name) => labels[name] === '')
        if (mine.length === 0) return
        const removed = Object.fromEntries(mine.map((name) => [name, null]))
        await checkRuleLabels(services, [{ org, unit: id, labels: removed }], caller)
        await services.control.units.update({ org, unit: id }, { labels: removed }, caller)
      })
      return { status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/tags/{tag}/relationships/workspaces',
    id: 'tfcAddWorkspacesToTag',
    action: 'unit:update',
    isFiltered: true,
    tags,
    summary: 'Add a tag to workspaces',
    params: z.object({ tag: z.string() }),
    body: identifiers('workspaces'),
    target: ({ params }) => readTagId(params.tag),
    also: ({ body, target: { org } }) =>
      body.map((unit) => ({ action: 'unit:update' as const, resource: { org, unit } })),
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, name }, body, caller }, services) {
      await checkWorkspaces(services, org, { workspaces: body }, caller)
      await forEachLimit(body, 8, async (unit) => {
        const found = await services.control.units.get({ org, unit }, caller)
        if (Object.hasOwn(found.labels, name)) return
        await checkReserved(services, { org, project: projectIdOf(found) }, { [name]: '' })
        await checkRuleLabels(services, [{ org, unit, labels: { [name]: '' } }], caller)
        await services.control.units.update({ org, unit }, { labels: { [name]: '' } }, caller)
      })
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/reserved-tag-keys',
    id: 'tfcListReservedTagKeys',
    action: 'org:read',
    tags,
    summary: 'List reserved tag keys',
    params: OrgParams,
    query: z.object(paging),
    target: ofOrg,
    answers: { 200: documented('The keys') },
    async handle({ target: { org }, query, x }, { reservedTagKeys }) {
      const all = (await reservedTagKeys.list({ org })).map(viewReservedTagKey)
      return { status: 200, ...listed(paged(all, query, x)) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/reserved-tag-keys',
    id: 'tfcCreateReservedTagKey',
    action: 'org:admin',
    tags,
    summary: 'Reserve a tag key',
    params: OrgParams,
    body: resource('reserved-tag-keys', {
      attributes: { key: z.string(), 'disable-overrides': z.boolean().nullish() },
    }),
    target: ofOrg,
    answers: { 201: documented('The key') },
    async handle({ target: { org }, body: { attributes }, caller }, { reservedTagKeys }) {
      parseLabels({ [attributes.key]: '' })
      const fields = { key: attributes.key, disableOverrides: attributes['disable-overrides'] ?? false }
      const made = await reservedTagKeys.create({ org }, fields, caller)
      return { status: 201, ...document(viewReservedTagKey(made)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/reserved-tag-keys/{key}',
    id: 'tfcUpdateReservedTagKey',
    action: 'org:admin',
    tags,
    summary: 'Change a reserved tag key',
    params: KeyParams,
    body: resource('reserved-tag-keys', {
      attributes: { key: z.string().nullish(), 'disable-overrides': z.boolean().nullish() },
    }),
    target: ofReservedKey,
    answers: { 200: documented('The key') },
    async handle({ target: { org, record }, body: { attributes }, caller }, { reservedTagKeys }) {
      const key = attributes.key ?? record.key
      parseLabels({ [key]: '' })
      const changed = await reservedTagKeys.update(
        { org },
        record.id,
        (before) => ({
          ...before,
          key,
          disableOverrides: attributes['disable-overrides'] ?? before.disableOverrides,
        }),
        caller,
      )
      return { status: 200, ...document(viewReservedTagKey(changed)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/reserved-tag-keys/{key}',
    id: 'tfcDeleteReservedTagKey',
    action: 'org:admin',
    tags,
    summary: 'Free a reserved tag key',
    params: KeyParams,
    target: ofReservedKey,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, { reservedTagKeys }) {
      await reservedTagKeys.remove({ org }, record.id, caller)
      return { status: 204 }
    },
  }),
]
