import { z } from 'zod'
import type { Route } from '../kit/routes/route.ts'
import { page } from './define.ts'
import type { WebServices } from './services.ts'
import { Layout } from './layout.tsx'
import { Card, Command } from './parts.tsx'
import { htmlReply } from './render.ts'
import { type View, viewOf } from './view.ts'

export const signInRoutes: readonly Route[] = [
  page({
    path: '/sign-in',
    id: 'showSignIn',
    action: 'account:manage',
    openness: 'everybody',
    summary: 'Sign in',
    query: z.object({ return_to: z.string().optional() }),
    handle: ({ x }, services) => htmlReply(<NoSignIn view={viewOf(x, services)} auth={services.auth} />),
  }),
]

/** For servers without sign-in: what works now, and how to move up. */
function NoSignIn({ view, auth }: { readonly view: View; readonly auth: WebServices['auth'] }) {
  return (
    <Layout view={view} title="Sign in" isAlone isWide>
      <h1>People cannot sign in to this server yet</h1>
      <div class="grid">
        <Card title="What works now">
          {auth === 'none' ? (
            <p>
              The server runs with <code>--auth none</code>: everyone who can reach it may do everything.
              Commands and engines need no credential.
            </p>
          ) : (
            <>
              <p>
                The server runs with <code>--auth token</code>: commands and engines use the root token.
              </p>
              <Command>export TACO_TOKEN=…</Command>
            </>
          )}
        </Card>
        <Card title="How to move up">
          <p>
            Start the server with <code>--auth sso</code>. No unit, state or code changes. Then add an
            identity provider with the root token.
          </p>
          <div class="stack">
            <Command>
              export TACO_ROOT_TOKEN=$(openssl rand -hex 32) TACO_SECRET_KEY=$(openssl rand -hex 32)
            </Command>
            <Command>taco serve --auth sso --public-url https://taco.example.com</Command>
          </div>
        </Card>
      </div>
    </Layout>
  )
}
