import { z } from 'zod'
import { type OrgPolicy, type Team, findTeam, isOwners } from '../../../../../access/index.ts'
import { badRequest, isTacoError } from '../../../../../base/errors.ts'
import { createTeam, deleteTeam, setTeamMember, updateTeam } from '../../../kit/access/teams.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { signInOf } from '../../../auth/sign-in-of.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { exported } from '../../shell/export.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { ListQuery, arrange } from '../../shell/list.tsx'
import { htmlReply } from '../../shell/render.ts'
import type { OrgView } from '../../shell/view.ts'
import { peoplePath, teamPath } from '../frame.tsx'
import { peoplePage } from '../people.tsx'
import { directoryOf } from '../roster.ts'
import { type TeamInput, groupsIn } from './team-form.tsx'
import { type TeamMember, TeamPage, memberColumns } from './team-page.tsx'

const text = z.string().trim().default('')
const TeamFields = { name: text, description: text, groups: text }
const params = { team: z.string() }
const FIELDS = ['name', 'description', 'groups'] as const

interface Shown {
  readonly asked?: z.output<typeof ListQuery>
  readonly input?: TeamInput
  readonly person?: string
  /** Of the team that the person began to change. Undefined: as it is now. */
  readonly etag?: string
  readonly faults?: Faults
  /** True: someone else changed the team first. */
  readonly isOvertaken?: boolean
}

interface Request {
  readonly params: { readonly org: string; readonly team: string }
  readonly view: OrgView
  readonly x: Exchange
}

async function open({ params: { org, team: named }, x }: Request, services: WebServices) {
  const policy = await services.orgAccess.get(org, x.caller)
  return { policy, team: findTeam(policy, named) }
}

async function teamPage(request: Request, services: WebServices, { asked, ...shown }: Shown = {}) {
  const { policy, team } = await open(request, services)
  const status = shown.isOvertaken === true ? 409 : shown.faults === undefined ? 200 : 400
  const members = arrange(await membersOf(policy, team, services), memberColumns, asked ?? {})
  if (asked?.format !== undefined) return exported(asked.format, 'team-members', memberColumns, members.found)
  return htmlReply(
    <TeamPage
      view={request.view}
      team={team}
      isOwners={isOwners(policy, team)}
      members={members}
      bindings={policy.bindings.filter(({ to }) => to === `team:${team.id}`)}
      projects={await services.projects.fresh(policy.org)}
      {...shown}
    />,
    status,
  )
}

async function membersOf(
  policy: OrgPolicy,
  { id, members }: Team,
  { signIn }: WebServices,
): Promise<readonly TeamMember[]> {
  const known = await directoryOf(members, signIn?.people)
  const invited = (policy.invitations ?? []).filter(({ teams }) => teams.includes(id))
  const people = members.map((one) => ({ id: one, person: known.get(one), email: known.get(one)?.email }))
  return [
    ...people.toSorted((a, b) => ((a.person?.login ?? a.id) < (b.person?.login ?? b.id) ? -1 : 1)),
    ...invited.map(({ email }) => ({ email })),
  ]
}

export const teamRoutes: readonly Route[] = [
  orgForm({
    path: '/people/teams',
    id: 'createTeamByForm',
    action: 'team:manage',
    summary: 'Create a team',
    fields: TeamFields,
    async handle({ params: { org }, body, view, x, caller }, services) {
      try {
        const { name, description } = checked(body)
        await createTeam(services, org, { name, description, groups: groupsIn(body) }, caller)
      } catch (error) {
        const faults = faultsAt(error, FIELDS, 'ALREADY_EXISTS')
        return peoplePage({ org, view, x }, services, { tab: 'teams', team: body, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `The team ${body.name} was created.` })
      return seeOther(teamPath(view, body.name))
    },
  }),
  orgPage({
    path: '/people/teams/{team}',
    params,
    id: 'showTeam',
    action: 'access:read',
    summary: 'A team, its members and its roles',
    query: ListQuery,
    handle: (request, services) => teamPage(request, services, { asked: request.query }),
  }),
  orgForm({
    path: '/people/teams/{team}/settings',
    params,
    id: 'changeTeamByForm',
    action: 'team:manage',
    summary: 'Rename a team, or change its description or groups',
    fields: { ...TeamFields, etag: text },
    async handle(request, services) {
      const { params: of, body, view, x, caller } = request
      const { team } = await open(request, services)
      const { etag, ...input } = body
      try {
        const { name, description } = checked(input)
        const groups = groupsIn(input)
        const change = { name, description, groups: isSame(groups, team.groups) ? undefined : groups }
        await updateTeam(services, of.org, team.id, change, caller, etag)
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return teamPage(request, services, { input, isOvertaken: true })
        return teamPage(request, services, {
          input,
          etag,
          faults: faultsAt(error, FIELDS, 'ALREADY_EXISTS', 'CONFLICT'),
        })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'Saved.' })
      return seeOther(teamPath(view, input.name))
    },
  }),
  ...([true, false] as const).map((isMember) =>
    orgForm({
      path: isMember ? '/people/teams/{team}/members' : '/people/teams/{team}/members/remove',
      params,
      id: isMember ? 'addTeamMemberByForm' : 'removeTeamMemberByForm',
      action: 'team:manage',
      summary: isMember ? 'Add a person to a team' : 'Remove a person from a team',
      fields: { person: text },
      async handle(request, services) {
        const { params: of, body, view, x, caller } = request
        const { people } = signInOf(services)
        const { team } = await open(request, services)
        const person = body.person.replace(/^user:/, '')
        try {
          await setTeamMember({ ...services, people }, of.org, { team: team.id, person, isMember }, caller)
        } catch (error) {
          const faults = faultsAt(error, ['person'], 'NOT_FOUND', 'CONFLICT')
          return teamPage(request, services, { person: body.person, faults })
        }
        const { login } = await people.get(person, caller)
        const said = isMember ? `${login} is in the team now.` : `${login} is not in the team any more.`
        setFlash(x, services.cookies, { kind: 'ok', text: said })
        return seeOther(teamPath(view, team.name))
      },
    }),
  ),
  orgForm({
    path: '/people/teams/{team}/delete',
    params,
    id: 'deleteTeamByForm',
    action: 'team:manage',
    summary: 'Delete a team, with the roles that it has',
    fields: { confirm: text },
    async handle(request, services) {
      const { params: of, body, view, x, caller } = request
      const { team } = await open(request, services)
      try {
        checkConfirmed(body.confirm, team.name)
        await deleteTeam(services, of.org, team.id, caller)
      } catch (error) {
        return teamPage(request, services, { faults: faultsAt(error, ['confirm'], 'CONFLICT') })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `The team ${team.name} was deleted.` })
      return seeOther(peoplePath(view, 'teams'))
    },
  }),
]

function checked<T extends TeamInput>(input: T): T {
  if (input.description.length > 500)
    throw badRequest('description', 'The description is longer than 500 characters.', 'Shorten it.')
  return input
}

const isSame = (a: readonly string[], b: readonly string[]) => JSON.stringify(a) === JSON.stringify(b)
