import { z } from 'zod'
import {
  type OAuthClient,
  checkChallenge,
  checkRedirect,
  clientOf,
  oauthError,
} from '../../../../access/index.ts'
import { isTacoError, messageOf } from '../../../../base/errors.ts'
import { seeOtherSite } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { contentSecurityPolicy, form, page } from '../define.ts'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Notice } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type View, viewOf } from '../shell/view.ts'
import { Answer, MachineName, oauthOf, personOf } from './granting.ts'

const Request = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  state: z.string().max(1000).optional(),
  response_type: z.string().optional(),
  code_challenge: z.string().optional(),
  code_challenge_method: z.string().optional(),
  machine: MachineName,
})
type Request = z.infer<typeof Request>

/** A request that may be answered at its redirect URI. */
interface Checked {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly state: string
  readonly machine: string | undefined
}

export const authorizationRoutes: readonly Route[] = [
  page({
    path: '/oauth/authorization',
    id: 'showAuthorization',
    action: 'account:manage',
    summary: 'Ask whether a program may act for the person',
    query: Request,
    handle({ query, x }, services) {
      oauthOf(services)
      const person = personOf(x)
      const asked = checked(query)
      try {
        challengeOf(query)
      } catch (error) {
        // The program is told, if it listens. Otherwise the page is all there is.
        if (!asked.client.takesErrors || !isTacoError(error)) throw error
        return backTo(asked, { error: String(error.facts['oauth']), error_description: messageOf(error) })
      }
      const view = viewOf(x, services)
      const reply = htmlReply(<Consent view={view} asked={asked} request={query} person={person.name} />)
      return { ...reply, headers: policyFor(asked) }
    },
  }),
  form({
    path: '/oauth/authorization',
    id: 'answerAuthorization',
    action: 'account:manage',
    summary: 'Let a program act for the person, or not',
    fields: { ...Request.shape, answer: Answer },
    async handle({ body, x }, services) {
      const oauth = oauthOf(services)
      const person = personOf(x)
      const asked = checked(body)
      const challenge = challengeOf(body)
      if (body.answer === 'allow')
        return backTo(asked, { code: await oauth.issueCode({ ...asked, challenge }, person) })
      if (asked.client.takesErrors) return backTo(asked, { error: 'access_denied' })
      return htmlReply(<Denied view={viewOf(x, services)} client={asked.client} />)
    },
  }),
]

/** What is wrong here is shown in the page: a code or an error could end up anywhere else. */
function checked({ client_id, redirect_uri, state, machine }: Request): Checked {
  const client = clientOf(client_id)
  const redirectUri = checkRedirect(client, redirect_uri)
  if (state === undefined || state === '')
    throw oauthError('invalid_request', 'The request has no state.', 'Start again from the command line.')
  return { client, redirectUri, state, machine }
}

function challengeOf(request: Request): string {
  if (request.response_type !== 'code')
    throw oauthError('unsupported_response_type', 'The response type must be "code".')
  return checkChallenge(request.code_challenge, request.code_challenge_method)
}

function backTo({ redirectUri, state }: Checked, answer: Readonly<Record<string, string>>) {
  return seeOtherSite(`${redirectUri}?${new URLSearchParams({ ...answer, state }).toString()}`)
}

/** A browser applies `form-action` to the redirect as well. */
function policyFor({ redirectUri }: Checked) {
  return { 'content-security-policy': contentSecurityPolicy([new URL(redirectUri).origin]) }
}

interface ConsentProps {
  readonly view: View
  readonly asked: Checked
  readonly request: Request
  readonly person: string
}

function Consent({ view, asked, request, person }: ConsentProps) {
  const { client, machine } = asked
  return (
    <Layout view={view} title="Sign in on the command line" isAlone>
      <h1>
        Allow {client.label} on this computer to act as {person}?
      </h1>
      <Card>
        <p>
          {client.label} gets a token with your rights
          {machine !== undefined && (
            <>
              {' '}
              for the computer <code>{machine}</code>
            </>
          )}
          . You can see it, and revoke it, under <a href="/account/tokens">your tokens</a>.
        </p>
        <Notice kind="warn">
          <p>Continue only if you have just started this sign-in yourself, on this computer.</p>
        </Notice>
        <Form view={view} action="/oauth/authorization">
          {Object.entries(request).map(
            ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
          )}
          <Answers />
        </Form>
      </Card>
    </Layout>
  )
}

/** Of every question whether a program may act for a person. */
export function Answers() {
  return (
    <p class="actions">
      <button class="button primary" type="submit" name="answer" value="allow">
        Allow
      </button>{' '}
      <button class="button" type="submit" name="answer" value="deny">
        Deny
      </button>
    </p>
  )
}

function Denied({ view, client }: { readonly view: View; readonly client: OAuthClient }) {
  return (
    <Layout view={view} title="Denied" isAlone>
      <h1>Denied</h1>
      <Card>
        <p>{client.label} was not allowed to act for you, and got no token.</p>
        <p>It may still be waiting: press Ctrl-C in the terminal, twice if once is not enough.</p>
      </Card>
    </Layout>
  )
}
