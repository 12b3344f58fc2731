import { z } from 'zod'
import {
  type Caller,
  type Invitation,
  type OrgPolicy,
  addInvitation,
  authorOf,
  canGiveAccess,
  removeMember,
  systemCaller,
} from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import { taggedId } from '../../../../records/index.ts'
import { resource, toMany } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { invalidRelation, notFound } from '../kit/errors.ts'
import { type ResourceObject, document, includes } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { type Directory, type Membership, directoryOf, directoryWith } from '../people/directory.ts'
import { couldBeIn } from '../people/membership-ids.ts'
import { checkMayFill } from '../../auth/team-rights.ts'
import { signInOf } from '../../auth/sign-in-of.ts'
import { userOf, viewMembership, viewTeam, viewMember } from '../people/views.ts'

const tags = ['terraform cloud']
const TYPE = 'organization-memberships'

const SYSTEM = systemCaller('access')

const MembershipOf = {
  params: z.object({ membership: z.string() }),
  async target(
    { params: { membership } }: { readonly params: { readonly membership: string } },
    services: TfcServices,
  ) {
    const org = await services.orgIds.search(async (one) => {
      if (!couldBeIn(membership, one)) return undefined
      const policy = await services.orgAccess.fresh(one)
      const all = await directoryWith(services, policy, SYSTEM).memberships()
      return all.some(({ id }) => id === membership) ? one : undefined
    })
    if (org === undefined) throw notFound()
    return { org, membership }
  },
}

async function findMembership(directory: Directory, id: string): Promise<Membership> {
  const found = (await directory.memberships()).find((one) => one.id === id)
  if (found === undefined) throw notFound()
  return found
}

async function includedIn(
  memberships: readonly Membership[],
  directory: Directory,
  { query, caller }: { readonly query: { readonly include?: string | undefined }; readonly caller: Caller },
): Promise<readonly ResourceObject[]> {
  const wanted = includes(query)
  const teams = wanted.has('teams') ? new Set(memberships.flatMap((one) => one.teams)) : []
  const views = await Promise.all([...teams].map((team) => viewTeam(team, directory, caller)))
  return [
    ...(wanted.has('user') ? memberships.map((one) => viewMember(userOf(one), caller)) : []),
    ...views.map(({ team }) => team),
  ]
}

function isWanted(
  { email, person }: Membership,
  { q = '', ...query }: { readonly [name: string]: unknown; readonly q?: string | undefined },
): boolean {
  const emails = listOf(query['filter[email]'])
  const statuses = listOf(query['filter[status]'])
  const search = q.toLowerCase()
  return (
    (emails === undefined || emails.includes(email.toLowerCase())) &&
    (statuses === undefined || statuses.includes(person === undefined ? 'invited' : 'active')) &&
    [email, person?.login, person?.displayName].some((text) => text?.toLowerCase().includes(search))
  )
}

function listOf(text: unknown): readonly string[] | undefined {
  return typeof text === 'string' ? text.split(',').map((one) => one.trim().toLowerCase()) : undefined
}

export const membershipRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/organization-memberships',
    id: 'tfcListMemberships',
    action: 'access:read',
    tags,
    summary: 'List the people of an organization, and who has been invited',
    params: OrgParams,
    query: z.object({
      ...paging,
      q: z.string().optional(),
      'filter[email]': z.string().optional(),
      'filter[status]': z.string().optional(),
    }),
    target: ofOrg,
    answers: { 200: documented('The memberships') },
    async handle({ target: { org }, query, caller, x }, services) {
      const directory = await directoryOf(services, org, caller)
      const found = (await directory.memberships()).filter((one) => isWanted(one, query))
      const page = paged(found, query, x)
      const items = page.items.map((one) => viewMembership(one, directory))
      return {
        status: 200,
        ...listed(
          { ...page, items },
          { included: await includedIn(page.items, directory, { query, caller }) },
        ),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/organization-memberships',
    id: 'tfcCreateMembership',
    action: 'member:manage',
    tags,
    summary: 'Invite a person by e-mail address',
    description: 'Nothing is sent. They are a member as soon as they sign in with this address, verified.',
    params: OrgParams,
    body: resource(TYPE, {
      attributes: { email: z.string() },
      relationships: { teams: toMany('teams') },
    }),
    target: ofOrg,
    also: ({ body, target }) =>
      (body.relationships.teams ?? []).length > 0 ? [{ action: 'team:manage', resource: target }] : [],
    answers: { 201: documented('The membership') },
    async handle({ target: { org }, body: { attributes, relationships }, caller }, services) {
      signInOf(services)
      const directory = await directoryOf(services, org, caller)
      const wanted = new Set(relationships.teams ?? [])
      const teams = directory.teams.filter(({ id }) => wanted.has(id))
      if (teams.length < wanted.size)
        throw invalidRelation('teams', 'One of the teams is not in this organization.')
      checkMayFill(directory.policy, teams, caller)
      const email = attributes.email.trim().toLowerCase()
      if ((await directory.memberships()).some((one) => one.email === email)) throw taken(email)
      const invitation: Invitation = {
        id: taggedId(services.ids.id('ou'), org),
        email,
        teams: teams.map(({ id }) => id),
        at: services.clock.now(),
        by: authorOf(caller).by,
      }
      const change = {
        type: 'member.invited' as const,
        data: { membership: invitation.id, email },
        transition: <T extends OrgPolicy>(policy: T) => addInvitation(policy, invitation),
      }
      const after = directoryWith(services, await services.orgAccess.change(org, change, caller), caller)
      const made = await findMembership(after, invitation.id)
      return {
        status: 201,
        ...document(viewMembership(made, after), {
          included: await includedIn([made], after, { query: { include: 'user' }, caller }),
        }),
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/organization-memberships/{membership}',
    id: 'tfcShowMembership',
    action: 'access:read',
    tags,
    summary: 'Show a membership',
    ...MembershipOf,
    query: z.object({ include: z.string().optional() }),
    answers: { 200: documented('The membership') },
    async handle({ target: { org, membership }, query, caller }, services) {
      const directory = await directoryOf(services, org, caller)
      const found = await findMembership(directory, membership)
      return {
        status: 200,
        ...document(viewMembership(found, directory), {
          included: await includedIn([found], directory, { query, caller }),
        }),
      }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/organization-memberships/{membership}',
    id: 'tfcDeleteMembership',
    action: 'member:manage',
    tags,
    summary: 'Remove a person from the organization, or withdraw an invitation',
    description:
      'They lose the roles and teams that they have by name. What groups of a provider give them stays.',
    ...MembershipOf,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, membership }, caller }, services) {
      const directory = await directoryOf(services, org, caller)
      const found = await findMembership(directory, membership)
      checkMayRemove(directory.policy, found, caller)
      const { person, email } = found
      const who = { user: person?.id, email: email === '' ? undefined : email }
      const change = {
        type: 'member.removed' as const,
        data: { membership, email, ...(person && { person: person.id, login: person.login }) },
        transition: <T extends OrgPolicy>(policy: T) => removeMember(policy, who),
      }
      const policy = await services.orgAccess.change(org, change, caller)
      const rest = (await directoryWith(services, policy, caller).memberships()).find(
        (one) => one.person !== undefined && one.person.id === person?.id,
      )
      if (rest !== undefined)
        throw new TacoError(
          'CONFLICT',
          `${person?.login} still belongs to the organization through a group.`,
          {
            hint: 'Remove them from the group at the sign-in provider, or the group from teams and roles.',
          },
        )
      return { status: 204 }
    },
  }),
]

function taken(email: string): TacoError {
  return new TacoError('ALREADY_EXISTS', `${email} is already a member, or has been invited.`, {
    facts: { field: 'email' },
  })
}

/** A member who can give access is removed only by someone who can, too. */
function checkMayRemove(policy: OrgPolicy, { person, teams }: Membership, caller: Caller): void {
  checkMayFill(policy, teams, caller)
  const isPowerful = person !== undefined && canGiveAccess(policy, `user:${person.id}`)
  if (isPowerful && caller.sight?.may('role:manage', undefined) === false)
    throw new TacoError('FORBIDDEN', `${person?.login} can change who may do what.`, {
      facts: { action: 'role:manage' },
      hint: 'To remove them takes role:manage. Ask an owner of the organization.',
    })
}
