import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import { projectIdOf } from '../../../../projects/index.ts'
import type { UnitRef, UnitView } from '../../../../state/index.ts'
import { checkRuleLabels } from '../../kit/rule-labels.ts'
import {
  NO_CONTENT,
  type TfcServices,
  WorkspaceParams,
  documented,
  ofWorkspace,
  route,
} from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { readTagId } from '../tags/tag-id.ts'
import { viewTag } from '../tags/view.ts'
import { TagBindings } from './attributes.ts'
import { effectiveLabels, viewBindings } from './tags.ts'
import { tagNames, viewerOf } from './view.ts'
import { liveUnit } from './live-unit.ts'

const shared = { tags: ['terraform cloud'], params: WorkspaceParams, target: ofWorkspace } as const

/** Tags by name or by id. */
const TagList = z
  .object({
    data: z
      .array(
        z.object({
          id: z.string().nullish(),
          attributes: z.object({ name: z.string().nullish() }).nullish(),
        }),
      )
      .max(1_000),
  })
  .transform(({ data }, context) =>
    data.map(({ id, attributes }, at) => {
      const name = attributes?.name ?? (id == null || id === '' ? undefined : readTagId(id).name)
      if (name === undefined)
        context.addIssue({ code: 'custom', path: ['data', at], message: 'must have a name or an id' })
      return name ?? ''
    }),
  )

/** Refuses values for keys that only projects may set. */
export async function checkReserved(
  { reservedTagKeys, projects }: TfcServices,
  { org, project }: { readonly org: string; readonly project: string },
  labels: Readonly<Record<string, string | null>>,
): Promise<void> {
  const reserved = (await reservedTagKeys.fresh({ org })).filter(({ disableOverrides }) => disableOverrides)
  if (reserved.length === 0) return
  const inherited = (await projects.fresh(org)).find(({ id }) => id === project)?.labels ?? {}
  for (const { key } of reserved) {
    const wanted = labels[key]
    if (wanted != null && Object.hasOwn(inherited, key) && inherited[key] !== wanted)
      throw invalidAttribute(
        'key',
        `The tag key ${key} is reserved: its project sets it to ${inherited[key]}.`,
      )
  }
}

async function relabel(
  services: TfcServices,
  ref: UnitRef,
  change: (unit: UnitView) => Readonly<Record<string, string | null>>,
  caller: Caller,
): Promise<UnitView> {
  const { units } = services.control
  const unit = await liveUnit(services.control, ref, caller)
  const labels = change(unit)
  await checkReserved(services, { org: ref.org, project: projectIdOf(unit) }, labels)
  await checkRuleLabels(services, [{ ...ref, labels }], caller)
  return units.update(ref, { labels }, caller)
}

export const workspaceTagRoutes = [
  route({
    ...shared,
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/tag-bindings',
    id: 'tfcListTagBindings',
    action: 'unit:read',
    takesRunTokens: true,
    summary: 'List the tags of a workspace with their values',
    answers: { 200: documented('The tags') },
    async handle({ target, caller }, { control }) {
      const { id, labels } = await liveUnit(control, target, caller)
      return { status: 200, ...document(viewBindings(id, labels)) }
    },
  }),
  route({
    ...shared,
    method: 'PATCH',
    path: '/api/v2/workspaces/{workspace}/tag-bindings',
    id: 'tfcAddTagBindings',
    action: 'unit:update',
    summary: 'Add tags to a workspace, or change their values',
    body: { schema: TagBindings },
    answers: { 200: documented('The tags') },
    async handle({ target, body, caller }, services) {
      const { id, labels } = await relabel(services, target, () => body, caller)
      return { status: 200, ...document(viewBindings(id, labels)) }
    },
  }),
  route({
    ...shared,
    method: 'PATCH',
    path: '/api/v2/workspaces/{workspace}/relationships/tag-bindings',
    id: 'tfcReplaceTagBindings',
    action: 'unit:update',
    summary: 'Replace the tags of a workspace',
    body: { schema: TagBindings },
    answers: { 204: NO_CONTENT },
    async handle({ target, body, caller }, services) {
      const replaced = ({ labels }: UnitView) => ({
        ...Object.fromEntries(Object.keys(labels).map((key) => [key, null])),
        ...body,
      })
      await relabel(services, target, replaced, caller)
      return { status: 204 }
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/effective-tag-bindings',
    id: 'tfcListEffectiveTagBindings',
    action: 'unit:read',
    summary: 'List the tags of a workspace, those of its project included',
    answers: { 200: documented('The tags') },
    async handle({ target, caller }, services) {
      const unit = await liveUnit(services.control, target, caller)
      const labels = effectiveLabels(unit, await viewerOf(services, target.org, caller))
      return { status: 200, ...document(viewBindings(unit.id, labels, 'effective-tag-bindings')) }
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/relationships/tags',
    id: 'tfcListWorkspaceTags',
    action: 'unit:read',
    summary: 'List the tags of a workspace that have no value',
    query: z.object({ ...paging, name: z.string().optional() }),
    answers: { 200: documented('The tags') },
    async handle({ target, query, caller, x }, { control }) {
      const { labels } = await liveUnit(control, target, caller)
      const orgName = control.orgNames.nameOf(target.org)
      const names = tagNames(labels).filter((name) => name.includes(query.name ?? ''))
      const page = paged(names, query, x)
      const items = page.items.map((name) => viewTag({ org: target.org, orgName, name, count: 1 }))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/api/v2/workspaces/{workspace}/relationships/tags',
    id: 'tfcAddWorkspaceTags',
    action: 'unit:update',
    summary: 'Add tags without values to a workspace',
    body: { schema: TagList },
    answers: { 204: NO_CONTENT },
    async handle({ target, body, caller }, services) {
      // A tag that has a value keeps it.
      const added = ({ labels }: UnitView) =>
        Object.fromEntries(body.filter((name) => !Object.hasOwn(labels, name)).map((name) => [name, '']))
      await relabel(services, target, added, caller)
      return { status: 204 }
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: '/api/v2/workspaces/{workspace}/relationships/tags',
    id: 'tfcRemoveWorkspaceTags',
    action: 'unit:update',
    summary: 'Remove tags from a workspace',
    body: { schema: TagList },
    answers: { 204: NO_CONTENT },
    async handle({ target, body, caller }, services) {
      const removed = ({ labels }: UnitView) =>
        Object.fromEntries(body.filter((name) => Object.hasOwn(labels, name)).map((name) => [name, null]))
      await relabel(services, target, removed, caller)
      return { status: 204 }
    },
  }),
]
