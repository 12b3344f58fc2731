import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import { visibleDependencies } from '../../../../graph/index.ts'
import { flatName } from '../../../../state/index.ts'
import { idBelow, partsOf } from '../ids.ts'
import { resource, toOne } from '../kit/body.ts'
import {
  NO_CONTENT,
  type TfcServices,
  WorkspaceParams,
  documented,
  ofWorkspace,
  route,
} from '../kit/define.ts'
import { invalidRelation, notFound } from '../kit/errors.ts'
import { document, includes, one, type ResourceObject } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { viewWorkspace, viewerOf } from '../workspaces/view.ts'

/**
 * A run trigger is a dependency that was declared, or found in code: the workspace uses the outputs of its source. Its
 * id names both, so there is nothing else to store.
 */
interface Trigger {
  readonly unit: Named
  readonly on: Named
}
interface Named {
  readonly id: string
  readonly name: string
}
interface UnitTarget {
  readonly org: string
  readonly unit: string
}

const tags = ['terraform cloud']
const params = z.object({ trigger: z.string() })

async function ofTrigger(
  { params: { trigger } }: { readonly params: z.infer<typeof params> },
  { locator }: Pick<TfcServices, 'locator'>,
) {
  const parts = partsOf('rt', trigger)
  if (parts === undefined) throw notFound()
  return { ...(await locator.workspace(parts.unit)), on: `ws-${parts.own}` }
}

/** What the unit uses and what uses it, as far as the caller may see it. What was only read triggers nothing. */
async function triggersOf(
  { graph, control }: Pick<TfcServices, 'graph' | 'control'>,
  target: UnitTarget,
  caller: Caller,
): Promise<{ readonly inbound: readonly Trigger[]; readonly outbound: readonly Trigger[] }> {
  const visible = await control.units.visible(target.org, caller)
  const all = await graph.dependencies.list(target, caller)
  const { unit, uses, usedBy } = visible === undefined ? all : visibleDependencies(all, visible)
  return {
    inbound: once(uses.filter(({ source }) => source !== 'reads').map(({ on }) => ({ unit, on }))),
    outbound: once(
      usedBy
        .filter(({ source }) => source !== 'reads')
        .map(({ id, name }) => ({ unit: { id, name }, on: unit })),
    ),
  }
}

function once(triggers: readonly Trigger[]): readonly Trigger[] {
  return [...new Map(triggers.map((trigger) => [idOf(trigger), trigger])).values()]
}

function idOf({ unit, on }: Trigger): string {
  return idBelow('rt', unit.id, on.id)
}

function view(trigger: Trigger): ResourceObject {
  const { unit, on } = trigger
  const id = idOf(trigger)
  return {
    id,
    type: 'run-triggers',
    attributes: {
      'workspace-name': flatName(unit.name),
      'sourceable-name': flatName(on.name),
      // Dependencies do not say when they were declared.
      'created-at': null,
    },
    relationships: { workspace: one('workspaces', unit.id), sourceable: one('workspaces', on.id) },
    links: { self: `/api/v2/run-triggers/${id}` },
  }
}

/** The workspaces at either end, if they were asked for. */
async function includedWith(
  services: TfcServices,
  org: string,
  triggers: readonly Trigger[],
  query: { readonly include?: string | undefined },
  caller: Caller,
): Promise<readonly ResourceObject[]> {
  const wanted = includes(query)
  const ids = new Set(
    triggers.flatMap(({ unit, on }) => [
      ...(wanted.has('workspace') ? [unit.id] : []),
      ...(wanted.has('sourceable') ? [on.id] : []),
    ]),
  )
  if (ids.size === 0) return []
  const viewer = await viewerOf(services, org, caller)
  const units = await Promise.all([...ids].map((unit) => services.control.units.get({ org, unit }, caller)))
  return units.map((unit) => viewWorkspace(unit, viewer))
}

export const runTriggerRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/run-triggers',
    id: 'tfcListRunTriggers',
    action: 'graph:read',
    tags,
    summary: 'List run triggers: what a workspace depends on, or what depends on it',
    params: WorkspaceParams,
    query: z.object({
      ...paging,
      'filter[run-trigger][type]': z.enum(['inbound', 'outbound']).default('inbound').meta({
        description: 'inbound: workspaces that it depends on. outbound: workspaces that depend on it.',
      }),
    }),
    target: ofWorkspace,
    answers: { 200: documented('The run triggers') },
    async handle({ target, query, caller, x }, services) {
      const triggers = (await triggersOf(services, target, caller))[query['filter[run-trigger][type]']]
      const page = paged(triggers, query, x)
      const included = await includedWith(services, target.org, page.items, query, caller)
      return { status: 200, ...listed({ ...page, items: page.items.map(view) }, { included }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/workspaces/{workspace}/run-triggers',
    id: 'tfcCreateRunTrigger',
    action: 'graph:write',
    tags,
    summary: 'Declare that a workspace depends on another one',
    params: WorkspaceParams,
    body: resource('run-triggers', { relationships: { sourceable: toOne('workspaces') } }),
    target: ofWorkspace,
    also: ({ body, target: { org } }) => {
      const unit = body.relationships.sourceable
      return typeof unit === 'string' ? [{ action: 'unit:read', resource: { org, unit } }] : []
    },
    answers: { 201: documented('The run trigger') },
    async handle({ target, body, caller }, services) {
      const on = body.relationships.sourceable
      if (typeof on !== 'string') throw invalidRelation('sourceable', 'The source workspace is missing.')
      const { unit, uses } = await declared(services, target, on, caller)
      const made = uses.find((one) => one.on.id === on)
      if (made === undefined) throw notFound()
      return { status: 201, ...document(view({ unit, on: made.on })) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/run-triggers/{trigger}',
    id: 'tfcShowRunTrigger',
    action: 'graph:read',
    tags,
    summary: 'Show a run trigger',
    params,
    query: z.object({ include: z.string().optional() }),
    target: ofTrigger,
    answers: { 200: documented('The run trigger') },
    async handle({ target, query, caller }, services) {
      const trigger = await existing(services, target, caller)
      const included = await includedWith(services, target.org, [trigger], query, caller)
      return { status: 200, ...document(view(trigger), { included }) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/run-triggers/{trigger}',
    id: 'tfcDeleteRunTrigger',
    action: 'graph:write',
    tags,
    summary: 'Delete a run trigger: the dependency is no longer declared',
    params,
    target: ofTrigger,
    answers: { 204: NO_CONTENT },
    async handle({ target, caller }, services) {
      const { unit, on } = await existing(services, target, caller)
      await services.graph.dependencies.remove({ org: target.org, unit: unit.id }, { on: on.id }, caller)
      return { status: 204 }
    },
  }),
]

async function existing(
  services: Pick<TfcServices, 'graph' | 'control'>,
  target: UnitTarget & { readonly on: string },
  caller: Caller,
): Promise<Trigger> {
  const found = (await triggersOf(services, target, caller)).inbound.find(({ on }) => on.id === target.on)
  if (found === undefined) throw notFound()
  return found
}

async function declared(
  { graph }: Pick<TfcServices, 'graph'>,
  target: UnitTarget,
  on: string,
  caller: Caller,
) {
  try {
    return await graph.dependencies.add(target, { on }, caller)
  } catch (error) {
    // A cycle is spelled out with every unit of it, and the caller may not see some of them.
    if (isTacoError(error, 'CONFLICT') && 'cycle' in error.facts)
      throw invalidRelation('sourceable', 'The workspaces would depend on each other in a cycle.')
    throw error
  }
}
