import { z } from 'zod'
import type { KnownSession } from '../../../../access/index.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { form, page } from '../define.ts'
import { exported } from '../shell/export.ts'
import { Form, Layout } from '../shell/layout.tsx'
import { type Arranged, List, ListQuery, arrange } from '../shell/list.tsx'
import { Card } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import type { Column } from '../shell/table.tsx'
import { clearSessionCookie } from '../session-cookie.ts'
import { type View, accountViewOf } from '../shell/view.ts'
import { browserName } from './browser-name.ts'
import { liveSessions, sessionColumns } from './session-columns.tsx'
import { signedIn } from './signed-in.ts'

const action = 'account:manage'
const PATH = '/account/sessions'

export const sessionRoutes: readonly Route[] = [
  page({
    action,
    path: PATH,
    id: 'showSessions',
    summary: 'Your sessions',
    query: ListQuery,
    async handle({ x, query, caller }, services) {
      const { person, session, signIn } = signedIn(x, services)
      const { sessions } = await signIn.people.get(person.id, caller)
      const now = services.clock.now()
      const list = arrange(liveSessions(sessions, now), sessionColumns(now, session.id), query)
      if (query.format !== undefined) return exported(query.format, 'sessions', list.columns, list.found)
      return htmlReply(<SessionsPage view={await accountViewOf(x, services)} list={list} />)
    },
  }),
  form({
    action,
    path: `${PATH}/end`,
    id: 'endSession',
    summary: 'Sign out one of your sessions',
    fields: { session: z.string() },
    async handle({ x, body, caller }, services) {
      const { person, session, signIn } = signedIn(x, services)
      await signIn.people.endSession(person.id, body.session, caller)
      services.lastPages.forget(body.session)
      if (body.session !== session.id) return seeOther(PATH)
      clearSessionCookie(x, services.cookies)
      return seeOther('/sign-in?signed_out=1')
    },
  }),
  form({
    action,
    path: `${PATH}/end-all`,
    id: 'endSessions',
    summary: 'Sign out everywhere',
    fields: {},
    async handle({ x, caller }, services) {
      const { person, signIn } = signedIn(x, services)
      const { sessions } = await signIn.people.get(person.id, caller)
      await signIn.people.endSessions(person.id, caller)
      for (const { id } of sessions) services.lastPages.forget(id)
      clearSessionCookie(x, services.cookies)
      return seeOther('/sign-in?signed_out=1')
    },
  }),
]

interface SessionsPageProps {
  readonly view: View
  readonly list: Arranged<KnownSession>
}

function SessionsPage({ view, list }: SessionsPageProps) {
  return (
    <Layout view={view} title="Your sessions">
      <div class="bar">
        <h1>Your sessions</h1>
        <Form view={view} action={`${PATH}/end-all`} class="end">
          <button class="button danger" type="submit">
            Sign out everywhere
          </button>
        </Form>
      </div>
      <p class="muted">
        The browsers in which you are signed in. A session ends after 12 hours without use, and after 7 days
        at the latest. Tokens are not sessions: revoke them under <a href="/account/tokens">Your tokens</a>.
      </p>
      <div class="grid">
        <Card>
          <List
            path={PATH}
            caption="Your sessions"
            list={list}
            actions={[endColumn(view)]}
            empty="You are signed in nowhere else."
          />
        </Card>
      </div>
    </Layout>
  )
}

function endColumn(view: View): Column<KnownSession> {
  return {
    name: 'end',
    label: 'Sign out',
    cell: ({ id, userAgent }) => (
      <Form view={view} action={`${PATH}/end`}>
        <input type="hidden" name="session" value={id} />
        <button class="button small danger" type="submit" aria-label={`Sign out ${browserName(userAgent)}`}>
          Sign out
        </button>
      </Form>
    ),
    value: () => null,
  }
}
