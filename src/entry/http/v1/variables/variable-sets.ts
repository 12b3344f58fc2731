import { z } from 'zod'
import { isoTime } from '../../../../base/clock.ts'
import { type SetSight, type VariableSet, ownerOf } from '../../../../variables/index.ts'
import type { Demand } from '../../kit/routes/route.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { defined } from '../../kit/drop-undefined.ts'
import { visibleSet } from '../../kit/variable-sets.ts'
import { OrgParams, ofNamedOrg } from '../access/shared.ts'
import { route } from '../define.ts'
import { VariableChanges, Variables, viewOf } from './schemas.ts'

const tags = ['variables']
const path = '/v1/orgs/{org}/variable-sets'
const SetParams = OrgParams.extend({
  set: z.string().meta({ description: 'The variable set: its name or id.' }),
})
const Named = z.object({ id: z.string(), name: z.string() })

const SetView = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    global: z.boolean().meta({ description: 'For every unit of the organization, or of the project.' }),
    priority: z.boolean().meta({ description: 'Overrides everything else.' }),
    project: z.string().nullable().meta({ description: 'The project that owns it, by id.' }),
    units: z.array(Named).meta({ description: 'Those that the caller may see.' }),
    projects: z.array(Named),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'VariableSet' })

function viewSet(set: VariableSet, sight: SetSight): z.input<typeof SetView> {
  const { id, name, description, global, priority, parent, createdAt, updatedAt } = set
  return {
    id,
    name,
    description,
    global,
    priority,
    project: parent?.project ?? null,
    units: [...sight.unitsOf(set)],
    projects: [...sight.projectsOf(set)],
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

const Ids = z.array(z.string()).max(5_000).optional()
const settings = {
  description: z.string().optional(),
  global: z.boolean().optional(),
  priority: z.boolean().optional(),
}
const NewSet = z.strictObject({
  name: z.string(),
  ...settings,
  project: z.string().optional().meta({ description: 'The project that owns it: name or id.' }),
  units: Ids.meta({ description: 'Names or ids.' }),
  projects: Ids.meta({ description: 'Names or ids.' }),
})
const Attachment = z.strictObject({ add: Ids, remove: Ids }).optional()
const SetChange = z.strictObject({
  name: z.string().optional(),
  ...settings,
  units: Attachment,
  projects: Attachment,
})

/** Changing what a unit gets is changing its variables. */
function onUnits(org: string, ...lists: readonly (readonly string[] | undefined)[]): readonly Demand[] {
  return lists.flatMap((units) =>
    (units ?? []).map((unit) => ({ action: 'vars:write' as const, resource: { org, unit } })),
  )
}

export const variableSetRoutes = [
  route({
    method: 'GET',
    path,
    id: 'listVariableSets',
    action: 'vars:read',
    isFiltered: true,
    tags,
    summary: 'List the variable sets of an organization',
    params: OrgParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(z.object({ items: z.array(SetView) }), 'Those that the caller may see') },
    async handle({ target: { org }, caller }, { variableSets, setSights }) {
      const sight = await setSights.of(org, caller)
      const shown = (await variableSets.list(org)).filter(sight.sees)
      return { status: 200, json: { items: shown.map((set) => viewSet(set, sight)) } }
    },
  }),
  route({
    method: 'POST',
    path,
    id: 'createVariableSet',
    action: 'vars:write',
    tags,
    summary: 'Create a variable set',
    params: OrgParams,
    query: NoQuery,
    body: jsonBody(NewSet),
    target: ofNamedOrg,
    also: ({ target, body }) => onUnits(target.org, body.units),
    answers: { 201: jsonAnswer(SetView, 'Created') },
    async handle({ target: { org }, body, caller }, { variableSets, setSights, projects }) {
      const owner = body.project
      const project = (await projects.list(org)).find(({ id, name }) => id === owner || name === owner)?.id
      const attached = await setSights.check(org, { ...body, owner: project ?? owner }, caller)
      const set = await variableSets.create(org, { ...body, ...attached, project }, caller)
      return { status: 201, json: viewSet(set, await setSights.of(org, caller)) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{set}`,
    id: 'getVariableSet',
    action: 'vars:read',
    isFiltered: true,
    tags,
    summary: 'Show a variable set',
    params: SetParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(SetView, 'The set') },
    async handle({ params, target: { org }, caller }, services) {
      const { set, sight } = await visibleSet(services, { ...params, org }, caller)
      return { status: 200, json: viewSet(set, sight) }
    },
  }),
  route({
    method: 'PATCH',
    path: `${path}/{set}`,
    id: 'updateVariableSet',
    action: 'vars:write',
    tags,
    summary: 'Change a variable set, attach it to units and projects, or detach it',
    params: SetParams,
    query: NoQuery,
    body: jsonBody(SetChange),
    target: ofNamedOrg,
    also: ({ target, body }) => onUnits(target.org, body.units?.add, body.units?.remove),
    answers: { 200: jsonAnswer(SetView, 'Changed') },
    async handle({ params, target: { org }, body, caller }, services) {
      const { variableSets, setSights } = services
      const { set, sight } = await visibleSet(services, { ...params, org }, caller)
      const owner = set.parent?.project
      const given = { units: body.units?.add, projects: body.projects?.add }
      const add = await setSights.check(org, { owner, ...given }, caller)
      const change = {
        ...body,
        units: { add: add.units, remove: idsIn(sight.unitsOf(set), body.units?.remove) },
        projects: { add: add.projects, remove: idsIn(sight.projectsOf(set), body.projects?.remove) },
      }
      const changed = await variableSets.update(org, set.id, change, caller)
      return { status: 200, json: viewSet(changed, await setSights.of(org, caller)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{set}`,
    id: 'deleteVariableSet',
    action: 'vars:write',
    tags,
    summary: 'Delete a variable set with its variables',
    params: SetParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 204: { description: 'Deleted' } },
    async handle({ params, target: { org }, caller }, services) {
      const { set } = await visibleSet(services, { ...params, org }, caller)
      await services.variableSets.remove(org, set.id, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{set}/variables`,
    id: 'listVariablesOfSet',
    action: 'vars:read',
    isFiltered: true,
    tags,
    summary: 'List the variables of a variable set',
    params: SetParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(Variables, 'All of them, without sensitive values') },
    async handle({ params, target: { org }, caller }, services) {
      const { set } = await visibleSet(services, { ...params, org }, caller)
      const all = await services.variables.list(ownerOf(org, set))
      return { status: 200, json: { items: all.map(viewOf) } }
    },
  }),
  route({
    method: 'PATCH',
    path: `${path}/{set}/variables`,
    id: 'changeVariablesOfSet',
    action: 'vars:write',
    tags,
    summary: 'Set and remove variables of a variable set, all at once',
    params: SetParams,
    query: NoQuery,
    body: jsonBody(VariableChanges),
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(Variables, 'Those that were set') },
    async handle({ params, target: { org }, body, caller }, services) {
      const { set } = await visibleSet(services, { ...params, org }, caller)
      const changed = await services.variables.change(ownerOf(org, set), defined(body), caller)
      return { status: 200, json: { items: changed.map(viewOf) } }
    },
  }),
]

function idsIn(
  attached: readonly { readonly id: string; readonly name: string }[],
  given: readonly string[] | undefined,
): readonly string[] {
  const wanted = new Set(given)
  return attached.filter(({ id, name }) => wanted.has(id) || wanted.has(name)).map(({ id }) => id)
}
