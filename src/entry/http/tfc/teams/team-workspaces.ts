import { z } from 'zod'
import {
  type AccessTo,
  type OrgPolicy,
  WORKSPACE_LEVELS,
  WORKSPACE_PERMISSIONS,
  type WorkspacePermissions,
  accessesIn,
  hasAccess,
  leastOf,
  workspaceAccess,
  workspaceRole,
} from '../../../../access/index.ts'
import { idBelow, partsOf } from '../ids.ts'
import { resource, toOne } from '../kit/body.ts'
import { NO_CONTENT, type TfcServices, documented, ofServer, route } from '../kit/define.ts'
import { invalidRelation, notFound } from '../kit/errors.ts'
import { type ResourceObject, document, one } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { change, takeAway, teamIn } from './change-access.ts'

const tags = ['terraform cloud']
const TYPE = 'team-workspaces'

type Access = Extract<AccessTo, { readonly unit: string }>

/** An access is of one team to one unit, so its id consists of theirs. */
const idOf = ({ team, unit }: Access) => idBelow('tws', unit, team)

const AccessParams = z.object({ access: z.string() })
const AccessOf = {
  params: AccessParams,
  async target(
    { params }: { readonly params: { readonly access: string } },
    { locator, orgAccess }: Pick<TfcServices, 'locator' | 'orgAccess'>,
  ) {
    const parts = partsOf('tws', params.access)
    if (parts === undefined) throw notFound()
    const { org, unit } = await locator.workspace(parts.unit)
    const access = { team: `team-${parts.own}`, unit }
    if (!hasAccess(await orgAccess.fresh(org), access)) throw notFound()
    return { org, unit, access }
  },
}

function view(policy: OrgPolicy, access: Access): ResourceObject {
  const { access: level, permissions } = workspaceAccess(policy, access)
  const id = idOf(access)
  return {
    id,
    type: TYPE,
    attributes: { access: level, ...permissions },
    relationships: { team: one('teams', access.team), workspace: one('workspaces', access.unit) },
    links: { self: `/api/v2/team-workspaces/${id}` },
  }
}

const Word = <T extends readonly [string, ...string[]]>(words: T) => z.enum(words).nullish()
const permissions = {
  runs: Word(WORKSPACE_PERMISSIONS.runs),
  variables: Word(WORKSPACE_PERMISSIONS.variables),
  'state-versions': Word(WORKSPACE_PERMISSIONS['state-versions']),
  'sentinel-mocks': Word(WORKSPACE_PERMISSIONS['sentinel-mocks']),
  'workspace-locking': z.boolean().nullish(),
  'run-tasks': z.boolean().nullish(),
  'policy-overrides': z.boolean().nullish(),
}
const Level = z.enum(['read', 'plan', 'write', 'admin', 'custom'])
type Given = { readonly [K in keyof typeof permissions]?: z.output<(typeof permissions)[K]> } & {
  readonly access?: z.output<typeof Level> | null | undefined
}

/** A level has its own permissions, whatever else is given. Single permissions alone are added to those of before. */
function roleOf({ access, ...given }: Given, before: WorkspacePermissions): string {
  if (access !== undefined && access !== null && access !== 'custom') return WORKSPACE_LEVELS[access].role
  const named = Object.entries(given).filter(([, value]) => value !== undefined && value !== null)
  return workspaceRole({ ...before, ...(Object.fromEntries(named) as Partial<WorkspacePermissions>) })
}

const LEAST: WorkspacePermissions = leastOf(WORKSPACE_PERMISSIONS)

/** The workspace that a new access is to. */
function workspaceIn(
  { workspace }: { readonly workspace?: string | null | undefined },
  { locator }: Pick<TfcServices, 'locator'>,
) {
  if (workspace === undefined || workspace === null)
    throw invalidRelation('workspace', 'Name the workspace that the team gets access to.')
  return locator.workspace(workspace)
}

const OfWorkspace = z.object({ ...paging, 'filter[workspace][id]': z.string() })
const byWorkspace = (
  { query }: { readonly query: z.output<typeof OfWorkspace> },
  { locator }: Pick<TfcServices, 'locator'>,
) => locator.workspace(query['filter[workspace][id]'])

export const teamWorkspaceRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/team-workspaces',
    id: 'tfcListTeamAccess',
    action: 'access:read',
    tags,
    summary: 'List the access of teams to a workspace',
    query: OfWorkspace,
    target: byWorkspace,
    answers: { 200: documented('The access of each team') },
    async handle({ target: { org, unit }, query, caller, x }, { orgAccess }) {
      const policy = await orgAccess.get(org, caller)
      const found = accessesIn(policy).filter(
        (access): access is Access => 'unit' in access && access.unit === unit,
      )
      const page = paged(found, query, x)
      return { status: 200, ...listed({ ...page, items: page.items.map((access) => view(policy, access)) }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/team-workspaces',
    id: 'tfcAddTeamAccess',
    action: 'role:manage',
    // The workspace is in the body.
    isFiltered: true,
    tags,
    summary: 'Give a team access to a workspace',
    body: resource(TYPE, {
      attributes: { access: Level, ...permissions },
      relationships: { team: toOne('teams'), workspace: toOne('workspaces') },
    }),
    target: ofServer,
    also: async ({ body }, services) => [
      { action: 'role:manage', resource: await workspaceIn(body.relationships, services) },
    ],
    answers: { 201: documented('The access') },
    async handle({ body: { attributes, relationships }, caller }, services) {
      const { org, unit } = await workspaceIn(relationships, services)
      const access = { team: teamIn(await services.orgAccess.get(org, caller), relationships.team), unit }
      const policy = await change(
        services,
        { org, access, role: roleOf(attributes, LEAST), isNew: true },
        caller,
      )
      return { status: 201, ...document(view(policy, access)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/team-workspaces/{access}',
    id: 'tfcShowTeamAccess',
    action: 'access:read',
    tags,
    summary: 'Show the access of a team to a workspace',
    ...AccessOf,
    answers: { 200: documented('The access') },
    async handle({ target: { org, access }, caller }, { orgAccess }) {
      return { status: 200, ...document(view(await orgAccess.get(org, caller), access)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/team-workspaces/{access}',
    id: 'tfcUpdateTeamAccess',
    action: 'role:manage',
    tags,
    summary: 'Change the access of a team to a workspace',
    ...AccessOf,
    body: resource(TYPE, { attributes: { access: Level.nullish(), ...permissions } }),
    answers: { 200: documented('The access') },
    async handle({ target: { org, access }, body: { attributes }, caller }, services) {
      const before = workspaceAccess(await services.orgAccess.get(org, caller), access).permissions
      const policy = await change(services, { org, access, role: roleOf(attributes, before) }, caller)
      return { status: 200, ...document(view(policy, access)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/team-workspaces/{access}',
    id: 'tfcRemoveTeamAccess',
    action: 'role:manage',
    tags,
    summary: 'Take the access of a team to a workspace away',
    ...AccessOf,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, access }, caller }, { orgAccess }) {
      await takeAway(orgAccess, org, access, caller)
      return { status: 204 }
    },
  }),
]
