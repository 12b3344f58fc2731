import { z } from 'zod'
import {
  type AccessTo,
  OF_ITS_WORKSPACES,
  OF_PROJECT,
  type OrgPolicy,
  PROJECT_LEVELS,
  PROJECT_PERMISSIONS,
  type ProjectPermissions,
  accessesIn,
  hasAccess,
  leastOf,
  projectAccess,
  projectRole,
} from '../../../../access/index.ts'
import { resource, toOne } from '../kit/body.ts'
import { NO_CONTENT, type TfcServices, documented, ofServer, route } from '../kit/define.ts'
import { invalidRelation, notFound } from '../kit/errors.ts'
import { type ResourceObject, document, one } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { change, takeAway, teamIn } from './change-access.ts'

const tags = ['terraform cloud']
const TYPE = 'team-projects'

type Access = Extract<AccessTo, { readonly project: string }>

/** An access is of one team to one project, so its id consists of theirs. */
const ID = /^tprj-([0-9A-Za-z]{16})([0-9A-Za-z]{16})$/
const idOf = ({ team, project }: Access) => `tprj-${randomOf(project)}${randomOf(team)}`
const randomOf = (id: string) => id.slice(id.indexOf('-') + 1)

async function locate(id: string, { locator, projects }: Pick<TfcServices, 'locator' | 'projects'>) {
  const { org } = await locator.record(projects, id)
  return { org, project: id }
}

const AccessOf = {
  params: z.object({ access: z.string() }),
  async target({ params }: { readonly params: { readonly access: string } }, services: TfcServices) {
    const [, ofProject, ofTeam] = ID.exec(params.access) ?? []
    if (ofProject === undefined) throw notFound()
    const { org, project } = await locate(`prj-${ofProject}`, services)
    const access = { team: `team-${ofTeam}`, project }
    if (!hasAccess(await services.orgAccess.fresh(org), access)) throw notFound()
    return { org, project, access }
  },
}

function picked<K extends keyof ProjectPermissions>(
  permissions: ProjectPermissions,
  names: Readonly<Record<K, unknown>>,
) {
  return Object.fromEntries(Object.keys(names).map((name) => [name, permissions[name as K]]))
}

function view(policy: OrgPolicy, access: Access): ResourceObject {
  const { access: level, permissions } = projectAccess(policy, access)
  const id = idOf(access)
  return {
    id,
    type: TYPE,
    attributes: {
      access: level,
      'project-access': picked(permissions, OF_PROJECT),
      'workspace-access': picked(permissions, OF_ITS_WORKSPACES),
    },
    relationships: { team: one('teams', access.team), project: one('projects', access.project) },
    links: { self: `/api/v2/team-projects/${id}` },
  }
}

const Flag = z.boolean().nullish()
const Word = <T extends readonly [string, ...string[]]>(words: T) => z.enum(words).nullish()
const attributes = {
  'project-access': z
    .object({
      settings: Word(OF_PROJECT.settings),
      teams: Word(OF_PROJECT.teams),
      'variable-sets': Word(OF_PROJECT['variable-sets']),
    })
    .nullish(),
  'workspace-access': z
    .object({
      runs: Word(OF_ITS_WORKSPACES.runs),
      'sentinel-mocks': Word(OF_ITS_WORKSPACES['sentinel-mocks']),
      'state-versions': Word(OF_ITS_WORKSPACES['state-versions']),
      variables: Word(OF_ITS_WORKSPACES.variables),
      create: Flag,
      locking: Flag,
      move: Flag,
      delete: Flag,
      'run-tasks': Flag,
      'policy-overrides': Flag,
    })
    .nullish(),
}
const Level = z.enum(['read', 'write', 'maintain', 'admin', 'custom'])
type Given = { readonly [K in keyof typeof attributes]?: z.output<(typeof attributes)[K]> } & {
  readonly access?: z.output<typeof Level> | null | undefined
}

/** A level has its own permissions, whatever else is given. Single permissions alone are added to those of before. */
function roleOf({ access, ...given }: Given, before: ProjectPermissions): string {
  if (access !== undefined && access !== null && access !== 'custom') return PROJECT_LEVELS[access].role
  const all = Object.entries({ ...given['project-access'], ...given['workspace-access'] })
  const named = all.filter(([, value]) => value !== undefined && value !== null)
  return projectRole({ ...before, ...(Object.fromEntries(named) as Partial<ProjectPermissions>) })
}

function projectIn(
  { project }: { readonly project?: string | null | undefined },
  services: Pick<TfcServices, 'locator' | 'projects'>,
) {
  if (project === undefined || project === null)
    throw invalidRelation('project', 'Name the project that the team gets access to.')
  return locate(project, services)
}

const OfProject = z.object({ ...paging, 'filter[project][id]': z.string() })
const byProject = (
  { query }: { readonly query: z.output<typeof OfProject> },
  services: Pick<TfcServices, 'locator' | 'projects'>,
) => locate(query['filter[project][id]'], services)

export const teamProjectRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/team-projects',
    id: 'tfcListTeamProjectAccess',
    action: 'access:read',
    tags,
    summary: 'List the access of teams to a project',
    query: OfProject,
    target: byProject,
    answers: { 200: documented('The access of each team') },
    async handle({ target: { org, project }, query, caller, x }, { orgAccess }) {
      const policy = await orgAccess.get(org, caller)
      const found = accessesIn(policy).filter(
        (access): access is Access => 'project' in access && access.project === project,
      )
      const page = paged(found, query, x)
      return { status: 200, ...listed({ ...page, items: page.items.map((access) => view(policy, access)) }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/team-projects',
    id: 'tfcAddTeamProjectAccess',
    action: 'role:manage',
    // The project is in the body.
    isFiltered: true,
    tags,
    summary: 'Give a team access to a project',
    body: resource(TYPE, {
      attributes: { access: Level, ...attributes },
      relationships: { team: toOne('teams'), project: toOne('projects') },
    }),
    target: ofServer,
    also: async ({ body }, services) => [
      { action: 'role:manage', resource: await projectIn(body.relationships, services) },
    ],
    answers: { 201: documented('The access') },
    async handle({ body: { attributes: given, relationships }, caller }, services) {
      const { org, project } = await projectIn(relationships, services)
      const access = { team: teamIn(await services.orgAccess.get(org, caller), relationships.team), project }
      const role = roleOf(given, leastOf(PROJECT_PERMISSIONS))
      const policy = await change(services, { org, access, role, isNew: true }, caller)
      return { status: 201, ...document(view(policy, access)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/team-projects/{access}',
    id: 'tfcShowTeamProjectAccess',
    action: 'access:read',
    tags,
    summary: 'Show the access of a team to a project',
    ...AccessOf,
    answers: { 200: documented('The access') },
    async handle({ target: { org, access }, caller }, { orgAccess }) {
      return { status: 200, ...document(view(await orgAccess.get(org, caller), access)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/team-projects/{access}',
    id: 'tfcUpdateTeamProjectAccess',
    action: 'role:manage',
    tags,
    summary: 'Change the access of a team to a project',
    ...AccessOf,
    body: resource(TYPE, { attributes: { access: Level.nullish(), ...attributes } }),
    answers: { 200: documented('The access') },
    async handle({ target: { org, access }, body, caller }, services) {
      const before = projectAccess(await services.orgAccess.get(org, caller), access).permissions
      const policy = await change(services, { org, access, role: roleOf(body.attributes, before) }, caller)
      return { status: 200, ...document(view(policy, access)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/team-projects/{access}',
    id: 'tfcRemoveTeamProjectAccess',
    action: 'role:manage',
    tags,
    summary: 'Take the access of a team to a project away',
    ...AccessOf,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, access }, caller }, { orgAccess }) {
      await takeAway(orgAccess, org, access, caller)
      return { status: 204 }
    },
  }),
]
