import { z } from 'zod'
import { type PersonDocument, groupsOf } from '../../../../../access/index.ts'
import { signInOf } from '../../../auth/sign-in-of.ts'
import { setSuspended } from '../../../kit/access/suspend.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { liveSessions, sessionColumns } from '../../account/session-columns.tsx'
import { form, page } from '../../define.ts'
import type { WebServices } from '../../services.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { exported } from '../../shell/export.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { ListQuery, arrange } from '../../shell/list.tsx'
import { htmlReply } from '../../shell/render.ts'
import { accountViewOf } from '../../shell/view.ts'
import { PeoplePage, personColumns } from './people-page.tsx'
import { PersonPage, personPath } from './person-page.tsx'

const action = 'server:admin'
const params = z.object({ person: z.string() })
const text = z.string().trim().default('')
/** Most people that a list holds: more than any server has that is used by people. */
const MOST = 20_000

async function readPeople(x: Exchange, services: WebServices) {
  const { people } = signInOf(services)
  const { items, damaged } = await people.list({ limit: MOST }, x.caller)
  return { damaged, items: items.toSorted((a, b) => (a.login < b.login ? -1 : 1)) }
}

function matching(search: string, suspended: boolean | undefined) {
  const wanted = search.toLowerCase()
  return (person: PersonDocument) =>
    (suspended === undefined || (person.suspended !== undefined) === suspended) &&
    [person.login, person.displayName, person.email, ...groupsOf(person)].some(
      (one) => one?.toLowerCase().includes(wanted) === true,
    )
}

interface PersonShown {
  readonly asked?: z.output<typeof ListQuery>
  readonly faults?: Faults
}

async function personPage(x: Exchange, services: WebServices, id: string, shown: PersonShown = {}) {
  const { asked, faults = {} } = shown
  const person = await signInOf(services).people.get(id, x.caller)
  const now = services.clock.now()
  const list = arrange(liveSessions(person.sessions, now), sessionColumns(now, x.session?.id), asked ?? {})
  if (asked?.format !== undefined) return exported(asked.format, 'sessions', list.columns, list.found)
  const props = { view: await accountViewOf(x, services), person, list, faults }
  return htmlReply(<PersonPage {...props} />, Object.keys(faults).length === 0 ? 200 : 400)
}

export const personRoutes: readonly Route[] = [
  page({
    path: '/server/people',
    id: 'showPeopleOfServer',
    action,
    summary: 'The people who have signed in',
    query: z.object({
      suspended: z.enum(['yes', 'no']).optional().catch(undefined),
      ...ListQuery.shape,
    }),
    async handle({ x, query: { search, suspended, format, ...asked } }, services) {
      const { items, damaged } = await readPeople(x, services)
      const found = items.filter(matching(search, suspended === undefined ? undefined : suspended === 'yes'))
      const view = await accountViewOf(x, services)
      const list = arrange(found, personColumns(view), asked)
      if (format !== undefined) return exported(format, 'people', list.columns, list.found)
      return htmlReply(<PeoplePage {...{ view, list, damaged, search, suspended }} />)
    },
  }),
  page({
    path: '/server/people/{person}',
    params,
    id: 'showPerson',
    action,
    summary: 'A person, their groups and sessions',
    query: ListQuery,
    handle: ({ x, params: { person }, query }, services) => personPage(x, services, person, { asked: query }),
  }),
  form({
    path: '/server/people/{person}/suspend',
    params,
    id: 'suspendPersonByForm',
    action,
    summary: 'Suspend a person, or let them sign in again',
    fields: { suspended: z.enum(['yes', 'no']), confirm: text },
    async handle({ x, params: { person: named }, body, caller }, services) {
      const { people } = signInOf(services)
      const person = await people.get(named, caller)
      const isSuspended = body.suspended === 'yes'
      try {
        if (isSuspended) checkConfirmed(body.confirm, person.login)
        await setSuspended(people, person, isSuspended, caller)
        if (isSuspended) for (const { id } of person.sessions) services.lastPages.forget(id)
      } catch (error) {
        return personPage(x, services, person.id, { faults: faultsAt(error, ['confirm'], 'CONFLICT') })
      }
      const said = isSuspended ? 'is suspended' : 'can sign in again'
      setFlash(x, services.cookies, { kind: 'ok', text: `${person.login} ${said}.` })
      return seeOther(personPath(person))
    },
  }),
  form({
    path: '/server/people/{person}/sessions/end',
    params,
    id: 'endSessionsByForm',
    action,
    summary: 'End one session of a person, or all of them',
    /** Empty: all. */
    fields: { session: text },
    async handle({ x, params: { person: named }, body, caller }, services) {
      const { people } = signInOf(services)
      const person = await people.get(named, caller)
      if (body.session === '') await people.endSessions(person.id, caller)
      else await people.endSession(person.id, body.session, caller)
      for (const { id } of person.sessions)
        if (body.session === '' || body.session === id) services.lastPages.forget(id)
      setFlash(x, services.cookies, {
        kind: 'ok',
        text: body.session === '' ? `${person.login} is signed out everywhere.` : 'The session has ended.',
      })
      return seeOther(personPath(person))
    },
  }),
]
