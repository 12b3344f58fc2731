import type { WebServices } from '../services.ts'
import type { Faults } from '../shell/faults.ts'
import { Field, describedBy } from '../shell/form/field.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Command, Notice } from '../shell/parts.tsx'
import type { View } from '../shell/view.ts'
import { Unsent } from './sign-in-page.tsx'

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
                The server runs with <code>--auth token</code>: commands and engines use the root token. This
                waits for it, and shows nothing while you paste it:
              </p>
              <Command>read -rs TACO_TOKEN && export TACO_TOKEN</Command>
            </>
          )}
        </Card>
        <MoveUp view={view} />
      </div>
    </Layout>
  )
}

interface RootSignInProps {
  readonly view: View
  readonly returnTo: string
  readonly fault?: string | undefined
  readonly isSignedOut?: boolean | undefined
  readonly isUnsent?: boolean | undefined
  /** True: the server has no sign-in provider yet, so no one else can sign in. */
  readonly isSetUp: boolean
}

/** For servers with a root token only, and for the first set-up of the others. */
export function RootSignIn({ view, returnTo, fault, isSetUp, ...is }: RootSignInProps) {
  const { isSignedOut = false, isUnsent = false } = is
  const faults: Faults = fault === undefined ? {} : { token: fault }
  return (
    <Layout view={view} title="Sign in" isAlone isWide isRefusal>
      <h1>{isSetUp ? 'Set up sign-in' : 'Sign in'}</h1>
      <div class="grid">
        {isUnsent && <Unsent />}
        {isSignedOut && fault === undefined && (
          <Notice kind="ok">
            <p>You are signed out.</p>
          </Notice>
        )}
        {isSetUp && (
          <p>
            This server has no sign-in provider yet. Sign in with the root token, add a provider, and name an
            administrator. Then people sign in by themselves, and the root token no longer opens this page.
          </p>
        )}
        <Card>
          <Form view={view} action="/sign-in" class="form">
            <input
              type="hidden"
              name="return_to"
              value={isSetUp && returnTo === '/' ? '/server/providers' : returnTo}
            />
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
                autofocus
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
        {!isSetUp && <MoveUp view={view} />}
      </div>
    </Layout>
  )
}

function MoveUp({ view }: { readonly view: View }) {
  // Where the states are is shown to those who may know it.
  const bucket = view.person === undefined ? '' : ` --bucket ${view.bucket}`
  return (
    <Card title="Let people sign in with their own accounts">
      <p>
        Start the server with <code>--auth sso</code> instead. Units, states and code stay as they are. It
        needs a root token and a secret key: keep both files in a safe place, outside of the bucket.
      </p>
      <div class="stack">
        <Command>
          {'(umask 077; openssl rand -hex 32 > root-token; taco secret-key new > secret-key)'}
        </Command>
        <Command>
          {`taco serve --auth sso${bucket} --token-file root-token --secret-key-file secret-key --public-url https://taco.example.com`}
        </Command>
        <p class="muted">
          The server then asks for the root token once, to set up a sign-in provider: Okta, Entra ID, Google,
          Keycloak, GitHub, or any other with OpenID Connect or SAML.
        </p>
      </div>
    </Card>
  )
}
