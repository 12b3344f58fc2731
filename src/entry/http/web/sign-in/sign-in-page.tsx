import type { TacoError } from '../../../../base/errors.ts'
import { Layout } from '../shell/layout.tsx'
import { Card, Notice } from '../shell/parts.tsx'
import type { View } from '../shell/view.ts'

interface SignInPageProps {
  readonly view: View
  readonly providers: readonly { readonly id: string; readonly label: string }[]
  readonly returnTo: string
  readonly failure?: TacoError | undefined
  readonly isSignedOut?: boolean | undefined
  readonly isUnsent?: boolean | undefined
}

export function SignInPage({ view, providers, returnTo, failure, ...is }: SignInPageProps) {
  const { isSignedOut = false, isUnsent = false } = is
  const query = returnTo === '/' ? '' : `?return_to=${encodeURIComponent(returnTo)}`
  return (
    <Layout view={view} title="Sign in" isAlone isRefusal>
      <h1>Sign in</h1>
      <div class="grid">
        {failure !== undefined && (
          <Notice kind="fail">
            <p>{failure.message}</p>
            {failure.hint !== undefined && <p>{failure.hint}</p>}
          </Notice>
        )}
        {isUnsent && <Unsent />}
        {isSignedOut && failure === undefined && (
          <Notice kind="ok">
            <p>You are signed out.</p>
          </Notice>
        )}
        {providers.length === 0 ? (
          <NoProviders />
        ) : (
          <Card>
            <div class="stack">
              {providers.map(({ id, label }, at) => (
                // A link and not a form: browsers apply the policy for forms to where a redirect leads.
                <a
                  class={at === 0 ? 'button block primary' : 'button block'}
                  href={`/sign-in/${encodeURIComponent(id)}${query}`}
                >
                  Sign in with {label}
                </a>
              ))}
            </div>
          </Card>
        )}
      </div>
    </Layout>
  )
}

/** The session ended while a form was being filled in. */
export function Unsent() {
  return (
    <Notice kind="warn">
      <p>
        Your session ended before the form was sent, so nothing was saved. After you sign in, you are back on
        its page. <span class="scripted">What you typed is in the form again then, except secrets.</span>
      </p>
    </Notice>
  )
}

function NoProviders() {
  return (
    <Card title="No sign-in provider is set up">
      <p>
        Someone who runs the server has to add one. Start the server with a root token, in{' '}
        <code>TACO_ROOT_TOKEN</code> or <code>--token-file</code>, and open this page again.
      </p>
    </Card>
  )
}
