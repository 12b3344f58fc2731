import { z } from 'zod'
import { STARTED_MS } from '../../../../access/index.ts'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { STATUS_OF } from '../../kit/response/error-status.ts'
import { ownPath, seeOther, seeOtherSite } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { form, page, providerForm, route } from '../define.ts'
import { type PageStatus, htmlReply } from '../shell/render.ts'
import type { WebServices, WebSignIn } from '../services.ts'
import { clearSessionCookie, ownCaller, setSessionCookie, visitOf } from '../session-cookie.ts'
import { viewOf } from '../shell/view.ts'
import { NoSignIn, RootSignIn } from './no-sign-in.tsx'
import { SignInPage } from './sign-in-page.tsx'

/** What was begun, while the person is at the identity provider. */
const STARTED_COOKIE = 'taco-sign-in'

const METADATA_TYPE = 'application/samlmetadata+xml'

const ProviderParams = z.object({ provider: z.string() })
const open = { action: 'account:manage', openness: 'everybody' } as const

export const signInRoutes: readonly Route[] = [
  page({
    ...open,
    path: '/sign-in',
    id: 'showSignIn',
    summary: 'Sign in',
    query: z.object({
      return_to: z.string().optional(),
      signed_out: z.string().optional(),
      unsent: z.string().optional(),
    }),
    async handle({ x, query }, services) {
      const { auth, signIn } = services
      const returnTo = ownPath(query.return_to) ?? '/'
      const said = {
        returnTo,
        isSignedOut: query.signed_out !== undefined,
        isUnsent: query.unsent !== undefined,
      }
      if (x.principal.kind !== 'anonymous') return seeOther(returnTo)
      if (await takesRootToken(services)) return rootSignInPage(x, services, said)
      if (signIn === undefined) return htmlReply(<NoSignIn view={viewOf(x, services)} auth={auth} />)
      return signInPage(x, services, said)
    },
  }),
  form({
    ...open,
    path: '/sign-in',
    id: 'signInWithRootToken',
    summary: 'Sign in with the root token',
    fields: { token: z.string().default(''), return_to: z.string().optional() },
    async handle({ x, body }, services) {
      const { rootSessions, cookies } = services
      if (rootSessions === undefined || !(await takesRootToken(services)))
        throw new TacoError('NOT_FOUND', 'The root token opens no pages of this server.', {
          hint: 'See /sign-in.',
        })
      const returnTo = ownPath(body.return_to) ?? '/'
      try {
        setSessionCookie(x, cookies, await rootSessions.begin(body.token, x.address))
        return seeOther(returnTo)
      } catch (failure) {
        if (!isTacoError(failure, 'UNAUTHENTICATED')) throw failure
        services.log.warn('a sign-in failed', {
          requestId: x.requestId,
          address: x.address,
          code: failure.code,
        })
        return rootSignInPage(x, services, { returnTo, fault: failure.message })
      }
    },
  }),
  page({
    ...open,
    path: '/sign-in/{provider}',
    id: 'beginSignIn',
    summary: 'Go to an identity provider',
    params: ProviderParams,
    query: z.object({ return_to: z.string().optional() }),
    async handle({ x, params, query }, services) {
      const returnTo = ownPath(query.return_to) ?? '/'
      return orSignInPage(x, services, returnTo, async ({ flow }) => {
        const { url, cookie, isPosted } = await flow.begin(params.provider, returnTo)
        services.cookies.set(x, STARTED_COOKIE, cookie, {
          maxAgeSeconds: STARTED_MS / 1000,
          sameSite: isPosted ? 'None' : 'Lax',
        })
        return seeOtherSite(url)
      })
    },
  }),
  page({
    ...open,
    path: '/sign-in/{provider}/callback',
    id: 'completeSignIn',
    summary: 'Come back from an identity provider',
    params: ProviderParams,
    // Whatever it adds: the provider's adapter reads it.
    query: z.record(z.string(), z.unknown()),
    handle: ({ x, params }, services) => completed(x, params.provider, services),
  }),
  providerForm({
    ...open,
    path: '/sign-in/{provider}/callback',
    id: 'completeSignInByForm',
    summary: 'Come back from an identity provider that answers with a form',
    params: ProviderParams,
    handle: ({ x, params, fields }, services) => completed(x, params.provider, services, fields),
  }),
  route({
    ...open,
    method: 'GET',
    path: '/sign-in/{provider}/metadata',
    id: 'getProviderMetadata',
    summary: 'What the administrator of a SAML provider imports',
    tags: ['pages'],
    params: ProviderParams,
    target: () => ({}),
    fromOtherSites: 'links',
    answers: { 200: { description: 'SAML metadata', content: { [METADATA_TYPE]: { schema: z.string() } } } },
    handle: async ({ params }, { signIn }) => ({
      status: 200,
      type: METADATA_TYPE,
      text: await given(signIn).flow.metadata(params.provider),
    }),
  }),
  form({
    ...open,
    path: '/sign-out',
    id: 'signOut',
    summary: 'Sign out in this browser',
    fields: {},
    async handle({ x, caller }, { signIn, cookies, lastPages }) {
      if (x.session !== undefined) {
        lastPages.forget(x.session.id)
        await signIn?.people.endSession(x.session.userId, x.session.id, caller)
      }
      clearSessionCookie(x, cookies)
      return seeOther('/sign-in?signed_out=1')
    },
  }),
]

function completed(x: Exchange, provider: string, services: WebServices, fields?: URLSearchParams) {
  const { cookies } = services
  const cookie = cookies.read(x.req.headers, STARTED_COOKIE)
  cookies.clear(x, STARTED_COOKIE)
  return orSignInPage(x, services, '/', async ({ flow }) => {
    // Only the query of this counts: where the server is, the configuration says.
    const url = new URL(`${x.path}?${x.query}`, 'http://callback.invalid')
    const answer = { url, cookie, visit: visitOf(x), ...(fields === undefined ? {} : { form: fields }) }
    const { session, returnTo } = await flow.complete(provider, answer, ownCaller(x))
    setSessionCookie(x, cookies, session)
    return seeOther(returnTo)
  })
}

/** A sign-in that fails says why, beside the buttons to try again. */
async function orSignInPage<T>(
  x: Exchange,
  services: WebServices,
  returnTo: string,
  attempt: (signIn: WebSignIn) => Promise<T>,
) {
  const { signIn, signInLimit, log } = services
  const has = given(signIn)
  signInLimit.take(x.address)
  try {
    return await attempt(has)
  } catch (failure) {
    if (!isTacoError(failure) || pageStatusOf(failure) === undefined) throw failure
    const { code, message, facts } = failure
    log.warn('a sign-in failed', {
      requestId: x.requestId,
      address: x.address,
      code,
      reason: message,
      ...facts,
    })
    return signInPage(x, services, { returnTo, failure })
  }
}

function given(signIn: WebSignIn | undefined): WebSignIn {
  if (signIn !== undefined) return signIn
  throw new TacoError('NOT_FOUND', 'People cannot sign in to this server.', { hint: 'See /sign-in.' })
}

/** Where people sign in, the root token opens the pages only until the first sign-in provider is added. */
async function takesRootToken({ signIn, rootSessions }: WebServices): Promise<boolean> {
  return rootSessions !== undefined && (signIn === undefined || (await signIn.flow.providers()).length === 0)
}

function rootSignInPage(
  x: Exchange,
  services: WebServices,
  said: {
    readonly returnTo: string
    readonly fault?: string
    readonly isSignedOut?: boolean
    readonly isUnsent?: boolean
  },
) {
  const status = said.fault === undefined ? 200 : 401
  const isSetUp = services.signIn !== undefined
  return htmlReply(<RootSignIn view={viewOf(x, services)} isSetUp={isSetUp} {...said} />, status)
}

async function signInPage(
  x: Exchange,
  services: WebServices,
  said: {
    readonly returnTo: string
    readonly failure?: TacoError
    readonly isSignedOut?: boolean
    readonly isUnsent?: boolean
  },
) {
  const providers = (await services.signIn?.flow.providers()) ?? []
  const status = said.failure && pageStatusOf(said.failure)
  return htmlReply(<SignInPage view={viewOf(x, services)} providers={providers} {...said} />, status ?? 200)
}

const PAGE_STATUSES: readonly PageStatus[] = [400, 401, 403, 502, 503]

/** Undefined: the page for errors is the right one. */
function pageStatusOf({ code }: TacoError): PageStatus | undefined {
  return PAGE_STATUSES.find((status) => status === STATUS_OF[code])
}
