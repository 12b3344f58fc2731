import { z } from 'zod'
import type { Caller } from '../../../access/index.ts'
import type { Exchange } from '../kit/exchange.ts'
import { seeOther } from '../kit/response/redirect.ts'
import type { Route } from '../kit/routes/route.ts'
import { page } from './define.ts'
import { visibleOrgs } from './organizations/visible-orgs.ts'
import type { WebServices } from './services.ts'
import { lastOrg } from './shell/last-org.ts'
import { Layout } from './shell/layout.tsx'
import { Card, Command, Notice } from './shell/parts.tsx'
import { htmlReply } from './shell/render.ts'
import { type View, viewOf } from './shell/view.ts'

export const startRoutes: readonly Route[] = [
  page({
    path: '/',
    id: 'showStart',
    action: 'account:manage',
    summary: 'The start page',
    query: z.object({}),
    async handle({ x, caller }, services) {
      const org = await firstOrg(x, services, caller)
      if (org !== undefined) return seeOther(`/app/${encodeURIComponent(org)}`)
      return htmlReply(<Start view={viewOf(x, services)} services={services} />)
    },
  }),
]

/** The organization that was looked at last, else the first that this person sees. */
async function firstOrg(x: Exchange, services: WebServices, caller: Caller): Promise<string | undefined> {
  const last = lastOrg(x, services.cookies)
  const { items } = await visibleOrgs(services, { limit: 200 }, caller)
  return (items.find(({ name }) => name === last) ?? items[0])?.name
}

function Start({ view, services }: { readonly view: View; readonly services: WebServices }) {
  const { about, auth, publicUrl } = services
  return (
    <Layout view={view} title="Start">
      <h1>OpenTaco</h1>
      <p>
        You have no role in any organization of this server yet. Ask an administrator for one, and say that
        you are <b>{view.person}</b>. If you may create organizations, do so under{' '}
        <a href="/app">Organizations</a>.
      </p>
      <div class="split">
        <div class="grid">
          {auth === 'none' && (
            <Notice kind="warn">
              <p>
                This server requires no sign-in: anyone who can reach it can read and change every state. To
                have people sign in, <a href="/sign-in">see how to move up</a>.
              </p>
            </Notice>
          )}
          <Card title="Work with it from a terminal">
            <div class="stack">
              {auth === 'sso' && <Command>{`taco login ${publicUrl ?? ''}`}</Command>}
              <Command>taco status</Command>
              <Command>taco unit ls</Command>
              <Command>taco events</Command>
            </div>
          </Card>
          {view.hasSession && (
            <Card title="Your account">
              <p>
                <a href="/account/tokens">Your tokens</a> let programs act for you.{' '}
                <a href="/account/sessions">Your sessions</a> show where you are signed in.
              </p>
            </Card>
          )}
        </div>
        <div class="grid">
          <Card title="This server">
            <dl class="keyed">
              <dt>You are</dt>
              <dd>{view.person}</dd>
              <dt>Bucket</dt>
              <dd class="mono">{about.bucket.label}</dd>
              <dt>Version</dt>
              <dd class="num">{about.version}</dd>
            </dl>
          </Card>
        </div>
      </div>
    </Layout>
  )
}
