import type { WebServices } from '../services.ts'
import type { Faults } from '../shell/faults.ts'
import { Field, describedBy } from '../shell/form/field.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Command } from '../shell/parts.tsx'
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
        <MoveUp />
      </div>
    </Layout>
  )
}

interface RootSignInProps {
  readonly view: View
  readonly returnTo: string
  readonly fault?: string | undefined
}

/** For servers with a root token only. */
export function RootSignIn({ view, returnTo, fault }: RootSignInProps) {
  const faults: Faults = fault === undefined ? {} : { token: fault }
  return (
    <Layout view={view} title="Sign in" isAlone isWide>
      <h1>Sign in</h1>
      <div class="grid">
        <Card>
          <Form view={view} action="/sign-in" class="form">
            <input type="hidden" name="return_to" value={returnTo} />
            <Field
              id="token"
              label="Root token"
              hint="What the server was started with (TACO_ROOT_TOKEN). The session ends after 12 hours."
              error={faults['token']}
            >
              <input
                type="password"
                id="token"
                name="token"
                required
                autocomplete="current-password"
                {...describedBy('token', faults)}
              />
            </Field>
            <div>
              <button class="button primary" type="submit">
                Sign in
              </button>
            </div>
          </Form>
        </Card>
        <MoveUp />
      </div>
    </Layout>
  )
}

function MoveUp() {
  return (
    <Card title="How people sign in by themselves">
      <p>
        Start the server with <code>--auth sso</code>. No unit, state or code changes. Then add an identity
        provider with the root token.
      </p>
      <div class="stack">
        <Command>
          export TACO_ROOT_TOKEN=$(openssl rand -hex 32) TACO_SECRET_KEY=$(openssl rand -hex 32)
        </Command>
        <Command>taco serve --auth sso --public-url https://taco.example.com</Command>
      </div>
    </Card>
  )
}
