import { z } from 'zod'
import { saySubject, teamsIn } from '../../../../access/index.ts'
import { giveRole, takeRole } from '../../kit/grants.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { type ExportFormat, exported } from '../shell/export.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { type ListAsked, ListQuery, arrange } from '../shell/list.tsx'
import { htmlReply } from '../shell/render.ts'
import type { Column } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { wordsIn } from '../shell/words.ts'
import { type Asked, ExplainBox } from './explain-box.tsx'
import { PEOPLE_LISTS, type PeopleList } from './frame.tsx'
import { type GrantInput, PeoplePage } from './people-page.tsx'
import { directoryOf, grantsIn, membersIn, peopleIn, subjectsIn, teamRowsIn } from './roster.ts'
import { grantColumns, memberColumns, revokeColumn, roleColumns, rolesIn, teamColumns } from './tables.tsx'
import type { TeamInput } from './teams/team-form.tsx'

const text = z.string().trim().default('').catch('')
const PeopleQuery = z.object({
  tab: z.enum(PEOPLE_LISTS).default('members').catch('members'),
  who: text,
  action: text,
  unit: text,
  ...ListQuery.shape,
})

interface Shown extends ListAsked {
  readonly tab: PeopleList
  readonly asked?: Asked
  readonly input?: GrantInput
  readonly team?: TeamInput
  readonly faults?: Faults
  readonly format?: z.infer<typeof ExportFormat>
}

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

const NOTHING: Asked = { who: '', action: '', unit: '' }

export async function peoplePage({ org, view, x }: Request, services: WebServices, shown: Shown) {
  const { tab, asked = NOTHING, input, team, faults = {}, format } = shown
  const policy = await services.orgAccess.get(org, x.caller)
  const roles = rolesIn(policy.roles)
  const known = tab === 'roles' ? new Map() : await directoryOf(peopleIn(policy), services.signIn?.people)
  const projects = tab === 'grants' ? await services.projects.fresh(policy.org) : []
  const explained = await explain({ org, asked, x }, services)

  function reply<T>(columns: readonly Column<T>[], all: readonly T[], actions: readonly Column<T>[] = []) {
    const list = arrange(all, columns, shown)
    if (format !== undefined) return exported(format, tab, columns, list.found)
    const counts = {
      members: tab === 'members' ? all.length : subjectsIn(policy).length,
      teams: teamsIn(policy).length,
      grants: policy.bindings.length,
      roles: roles.length,
    }
    const box = { view, tab, asked, ...explained }
    const status = Object.keys({ ...faults, ...explained.faults }).length === 0 ? 200 : 400
    return htmlReply(
      <PeoplePage
        view={view}
        tab={tab}
        counts={counts}
        list={list}
        actions={actions}
        roles={roles.map(({ name }) => name)}
        projects={projects}
        input={input}
        team={team}
        faults={faults}
        side={<ExplainBox {...box} />}
      />,
      status,
    )
  }

  if (tab === 'teams') return reply(teamColumns(view), teamRowsIn(policy, known))
  if (tab === 'grants') {
    const actions = view.may('role:manage') ? [revokeColumn(view)] : []
    return reply(grantColumns(view), await grantsIn(policy, known, projects), actions)
  }
  if (tab === 'roles') return reply(roleColumns(view), roles)
  return reply(memberColumns(services.clock.now()), membersIn(policy, known))
}

async function explain(
  { org, asked, x }: { readonly org: string; readonly asked: Asked; readonly x: Exchange },
  { accessQuestions }: WebServices,
) {
  const { who, action, unit } = asked
  if (who === '' && action === '') return { answer: undefined, faults: {} }
  try {
    const question = { who, action, unit: unit === '' ? undefined : unit }
    return { answer: await accessQuestions.explain(org, question, x.caller), faults: {} }
  } catch (error) {
    return { answer: undefined, faults: faultsAt(error, ['who', 'action', 'unit']) }
  }
}

export const peopleRoutes: readonly Route[] = [
  orgPage({
    path: '/people',
    id: 'showPeople',
    action: 'access:read',
    summary: 'Members, teams, roles, and who has which',
    query: PeopleQuery,
    handle: ({ params: { org }, query: { who, action, unit, ...shown }, view, x }, services) =>
      peoplePage({ org, view, x }, services, { ...shown, asked: { who, action, unit } }),
  }),
  orgForm({
    path: '/people/grant',
    id: 'grantRoleByForm',
    action: 'role:manage',
    summary: 'Give a role',
    fields: {
      to: z.string().trim(),
      role: z.string(),
      units: z.string().default(''),
      project: z.string().default(''),
    },
    async handle({ params: { org }, body, view, x, caller }, services) {
      try {
        const grant = { ...body, units: wordsIn(body.units), project: body.project || undefined }
        const { binding, policy } = await giveRole(services, org, grant, caller)
        const to = await saySubject(binding.to, { policy, people: services.signIn?.people })
        setFlash(x, services.cookies, { kind: 'ok', text: `${to} has the role ${body.role} now.` })
      } catch (error) {
        const faults = faultsAt(error, ['to', 'role', 'units', 'project'], 'NOT_FOUND')
        return peoplePage({ org, view, x }, services, { tab: 'grants', input: body, faults })
      }
      return seeOther(`${view.org.base}/people?tab=grants`)
    },
  }),
  orgForm({
    path: '/people/revoke',
    id: 'revokeRoleByForm',
    action: 'role:manage',
    summary: 'Take a role away',
    fields: {
      to: z.string(),
      role: z.string(),
      units: z.string().default(''),
      project: z.string().default(''),
    },
    async handle({ params: { org }, body: { to, role, ...body }, view, x, caller }, services) {
      const { units, project } = body
      const grant = { to, role, units: wordsIn(units), project: project || undefined, isExact: true }
      const policy = await services.orgAccess.get(org, caller)
      const said = await saySubject(to, { policy, people: services.signIn?.people })
      await takeRole(services, org, grant, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `${said} does not have the role ${role} any more.` })
      return seeOther(`${view.org.base}/people?tab=grants`)
    },
  }),
]
