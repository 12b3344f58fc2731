import { Layout } from '../shell/layout.tsx'
import { Card, Command } from '../shell/parts.tsx'
import type { WebServices } from '../services.ts'
import type { View } from '../shell/view.ts'

/** For servers without sign-in: what works now, and how to move up. */
export function NoSignIn({ view, auth }: { readonly view: View; readonly auth: WebServices['auth'] }) {
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
