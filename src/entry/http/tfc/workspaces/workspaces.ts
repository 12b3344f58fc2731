import { z } from 'zod'
import { type Caller, systemCaller } from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import { defaultProjectId, projectIdOf, settingsChange } from '../../../../projects/index.ts'
import { type UnitRef, type UnitView, flatName, nameFromFlat } from '../../../../state/index.ts'
import { checkMayMove } from '../../kit/move-unit.ts'
import { checkRuleLabels } from '../../kit/rule-labels.ts'
import { currentVersionOf } from '../configuration-versions/view.ts'
import { ignoredBody, resource } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { conflict, invalidAttribute, invalidRelation } from '../kit/errors.ts'
import { document, includes, one } from '../kit/json-api.ts'
import { listed, pageOf, paging } from '../kit/paging.ts'
import { checkAgentPool } from '../org-relations.ts'
import { changedSettings, settingAttributes, settingRelationships } from './attributes.ts'
import { includedWith } from './included.ts'
import { comparing, matching } from './list.ts'
import { PLACES } from './places.ts'
import { may } from './rights.ts'
import { checkReserved } from './tag-routes.ts'
import { viewWorkspace, viewerOf } from './view.ts'
import { liveUnit } from './live-unit.ts'

const tags = ['terraform cloud']
const Include = z.object({ include: z.string().optional() })
const Name = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => !name.includes('/'), 'must not contain "/": write "--" for it')

/** Refuses a project of another organization. Null is the default one. */
async function checkedProject(
  { projects }: TfcServices,
  org: string,
  given: string | null | undefined,
): Promise<string | undefined> {
  if (given === undefined) return undefined
  const id = given ?? defaultProjectId(org)
  if ((await projects.find(org, id)) === undefined)
    throw invalidRelation('project', `There is no project ${id} in this organization.`)
  return id
}

function checkPool(
  services: TfcServices,
  org: string,
  { 'agent-pool-id': pool }: { readonly 'agent-pool-id'?: string | null | undefined },
): Promise<void> {
  return checkAgentPool(services, org, pool, (message) => invalidAttribute('agent-pool-id', message))
}

async function shown(services: TfcServices, unit: UnitView, caller: Caller, include?: string) {
  const viewer = await viewerOf(services, unit.org, caller)
  const view = viewWorkspace(unit, viewer)
  const { relationships, included } = await includedWith(services, unit, viewer, { include })
  const version = await currentVersionOf(services, unit)
  const current = { 'current-configuration-version': one('configuration-versions', version?.id) }
  const isAsked = version !== undefined && includes({ include }).has('current-configuration-version')
  return document(
    { ...view, relationships: { ...view.relationships, ...relationships, ...current } },
    { included: isAsked ? [...included, version] : included },
  )
}

/** Labels that take the place of all others. */
function replacing(unit: UnitView, wanted: Readonly<Record<string, string>>): Record<string, string | null> {
  return { ...Object.fromEntries(Object.keys(unit.labels).map((key) => [key, null])), ...wanted }
}

/** Without its resources only for those who may do that. */
async function remove({ control }: TfcServices, ref: UnitRef, caller: Caller): Promise<void> {
  try {
    await liveUnit(control, ref, caller)
    await control.units.remove(ref, { force: false }, caller)
  } catch (error) {
    if (!isTacoError(error, 'STATE_HAS_RESOURCES')) throw error
    const unit = await liveUnit(control, ref, caller)
    if (!may(caller, 'state:force', unit)) throw error
    await control.units.remove(ref, { force: true }, caller)
  }
}

export const workspaceRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/workspaces',
    id: 'tfcListWorkspaces',
    action: 'unit:read',
    isFiltered: true,
    tags,
    summary: 'List workspaces',
    params: OrgParams,
    query: z.object({
      ...paging,
      'search[name]': z.string().optional(),
      'search[wildcard-name]': z.string().optional(),
      'search[tags]': z.string().optional(),
      'search[exclude-tags]': z.string().optional(),
      'filter[project][id]': z.string().optional(),
      'filter[current-run][status]': z.string().optional(),
      sort: z.string().optional(),
    }),
    target: ofOrg,
    answers: { 200: documented('The workspaces') },
    async handle({ target: { org }, query, caller, x }, services) {
      const viewer = await viewerOf(services, org, caller)
      const { 'page[number]': number, 'page[size]': size } = query
      const selection = {
        org,
        matches: matching(query, new URLSearchParams(x.query), viewer),
        compare: comparing(query.sort),
        skip: (number - 1) * size,
        limit: size,
      }
      const { items: found, total } = await services.control.units.select(selection, caller)
      const page = pageOf(found, total, query, x)
      const all = await Promise.all(
        page.items.map(async (unit) => ({
          unit,
          ...(await includedWith(services, unit, viewer, query)),
        })),
      )
      const items = all.map(({ unit, relationships }) => {
        const view = viewWorkspace(unit, viewer)
        return { ...view, relationships: { ...view.relationships, ...relationships } }
      })
      return { status: 200, ...listed({ ...page, items }, { included: all.flatMap((one) => one.included) }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/workspaces',
    id: 'tfcCreateWorkspace',
    action: 'unit:create',
    isFiltered: true,
    takesRunTokens: true,
    tags,
    summary: 'Create a workspace',
    params: OrgParams,
    body: resource('workspaces', {
      attributes: { name: Name, description: z.string().max(2_000).nullish(), ...settingAttributes },
      relationships: settingRelationships,
    }),
    target: ofOrg,
    also: ({ body, target }) => {
      const project = body.relationships.project ?? defaultProjectId(target.org)
      const resource = { ...target, unit: nameFromFlat(body.attributes.name), project }
      return [{ action: 'unit:create', resource }]
    },
    answers: { 201: documented('The workspace') },
    async handle({ target: { org }, body: { attributes, relationships }, caller }, services) {
      const { name, description, ...settings } = attributes
      const project = await checkedProject(services, org, relationships.project)
      await checkPool(services, org, settings)
      const unit = nameFromFlat(name)
      const labels = { ...relationships.tags, ...relationships['tag-bindings'] }
      await checkReserved(services, { org, project: project ?? defaultProjectId(org) }, labels)
      await checkRuleLabels(services, [{ org, unit, labels }], caller)
      const view = await services.control.units.create(
        {
          org,
          name: unit,
          description: description ?? '',
          labels,
          section: settingsChange((current) => changedSettings(current, settings, project)),
        },
        caller,
      )
      return { status: 201, ...(await shown(services, view, caller)) }
    },
  }),
  ...PLACES.flatMap(({ by, ...place }) => [
    route({
      ...place,
      method: 'GET',
      id: `tfcShowWorkspace${by}`,
      action: 'unit:read',
      takesRunTokens: true,
      isSecret: true,
      tags,
      summary: 'Show a workspace',
      query: Include,
      answers: { 200: documented('The workspace') },
      async handle({ target, query, caller }, services) {
        const unit = await liveUnit(services.control, target, caller)
        return { status: 200, ...(await shown(services, unit, caller, query.include)) }
      },
    }),
    route({
      ...place,
      method: 'PATCH',
      id: `tfcUpdateWorkspace${by}`,
      action: 'unit:update',
      tags,
      summary: 'Change a workspace',
      query: Include,
      body: resource('workspaces', {
        attributes: {
          name: Name.nullish(),
          description: z.string().max(2_000).nullish(),
          ...settingAttributes,
        },
        relationships: settingRelationships,
      }),
      async also({ body, target }, { control }) {
        const { name } = body.attributes
        if (name == null) return []
        // Clients send the name with every change, and name the workspace by its id.
        const { name: before } = await control.units.get(target, systemCaller('access'))
        if (name === flatName(before)) return []
        return [
          { action: 'unit:rename', resource: target },
          {
            action: 'unit:rename',
            resource: { ...target, unit: nameFromFlat(name) },
            isNewName: true,
          },
        ]
      },
      answers: { 200: documented('The workspace') },
      async handle({ target, body: { attributes, relationships }, query, caller }, services) {
        const { units } = services.control
        const { name, description, ...settings } = attributes
        const before = await liveUnit(services.control, target, caller)
        // Names change only there, so the unit is addressed by its id from here on.
        const ref = { org: target.org, unit: before.id }
        const project = await checkedProject(services, target.org, relationships.project)
        await checkPool(services, target.org, settings)
        if (project !== undefined) checkMayMove(before, project, caller)
        const bindings = relationships['tag-bindings']
        const labels = bindings === undefined ? (relationships.tags ?? {}) : replacing(before, bindings)
        await checkReserved(services, { org: target.org, project: project ?? projectIdOf(before) }, labels)
        await checkRuleLabels(services, [{ ...ref, labels }], caller)
        if (name != null && nameFromFlat(name) !== before.name)
          await units.rename(ref, nameFromFlat(name), caller)
        const changed = await units.update(
          ref,
          {
            ...(description === undefined ? {} : { description: description ?? '' }),
            labels,
            section: settingsChange((current) => changedSettings(current, settings, project)),
          },
          caller,
        )
        return { status: 200, ...(await shown(services, changed, caller, query.include)) }
      },
    }),
    route({
      ...place,
      method: 'DELETE',
      id: `tfcDeleteWorkspace${by}`,
      action: 'unit:delete',
      tags,
      summary: 'Delete a workspace; it can be restored',
      answers: { 204: NO_CONTENT },
      async handle({ target, caller }, services) {
        await remove(services, target, caller)
        return { status: 204 }
      },
    }),
    route({
      ...place,
      path: `${place.path}/actions/safe-delete`,
      method: 'POST',
      id: `tfcSafeDeleteWorkspace${by}`,
      action: 'unit:delete',
      tags,
      summary: 'Delete a workspace that manages nothing',
      body: ignoredBody,
      answers: { 204: NO_CONTENT },
      async handle({ target, caller }, { control }) {
        try {
          await liveUnit(control, target, caller)
          await control.units.remove(target, { force: false }, caller)
        } catch (error) {
          if (isTacoError(error, 'LOCKED')) throw conflict(`The workspace is locked. ${error.message}`)
          if (isTacoError(error, 'STATE_HAS_RESOURCES'))
            throw conflict('The workspace is not safe to delete: its state still has resources.')
          throw error
        }
        return { status: 204 }
      },
    }),
  ]),
]
