import { z } from 'zod'
import type { KnownSession } from '../../../../access/index.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { form, page } from '../define.ts'
import { Form, Layout } from '../shell/layout.tsx'
import { Ago, Card } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { clearSessionCookie } from '../session-cookie.ts'
import { type View, accountViewOf } from '../shell/view.ts'
import { browserName } from './browser-name.ts'
import { signedIn } from './signed-in.ts'

const action = 'account:manage'
const PATH = '/account/sessions'

export const sessionRoutes: readonly Route[] = [
  page({
    action,
    path: PATH,
    id: 'showSessions',
    summary: 'Your sessions',
    async handle({ x, caller }, services) {
      const { person, session, signIn } = signedIn(x, services)
      const { sessions } = await signIn.people.get(person.id, caller)
      const now = services.clock.now()
      const live = sessions
        .filter(({ endedAt, expiresAt }) => endedAt === undefined && now < expiresAt)
        .toSorted((a, b) => b.seenAt - a.seenAt)
      return htmlReply(
        <SessionsPage view={await accountViewOf(x, services)} sessions={live} current={session.id} />,
      )
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
  readonly sessions: readonly KnownSession[]
  readonly current: string
}

function SessionsPage({ view, sessions, current }: SessionsPageProps) {
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
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">Browser</th>
                  <th scope="col">Address</th>
                  <th scope="col">Signed in with</th>
                  <th scope="col">Since</th>
                  <th scope="col">Last seen</th>
                  <th scope="col">
                    <span class="unseen">Sign out</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {sessions.map((session) => (
                  <SessionRow view={view} session={session} isCurrent={session.id === current} />
                ))}
              </tbody>
            </table>
          </div>
        </Card>
      </div>
    </Layout>
  )
}

interface SessionRowProps {
  readonly view: View
  readonly session: KnownSession
  readonly isCurrent: boolean
}

function SessionRow({ view, session, isCurrent }: SessionRowProps) {
  const browser = browserName(session.userAgent)
  return (
    <tr>
      <td>
        {browser} {isCurrent && <span class="chip ok">this browser</span>}
      </td>
      <td class="mono">{session.address ?? 'unknown'}</td>
      <td>{session.provider}</td>
      <td>
        <Ago at={session.createdAt} now={view.now} />
      </td>
      <td>
        <Ago at={session.seenAt} now={view.now} />
      </td>
      <td>
        <Form view={view} action={`${PATH}/end`}>
          <input type="hidden" name="session" value={session.id} />
          <button class="button small danger" type="submit" aria-label={`Sign out ${browser}`}>
            Sign out
          </button>
        </Form>
      </td>
    </tr>
  )
}
