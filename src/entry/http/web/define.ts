import { z } from 'zod'
import { type Action, type Resource, principalText } from '../../../access/index.ts'
import { hashOf, keyedRequest } from '../kit/request/idempotency.ts'
import { validated } from '../kit/request/query.ts'
import type { Exchange, FaceStyle } from '../kit/exchange.ts'
import { HTML_TYPE } from '../kit/response/reply.ts'
import {
  type BodySpec,
  type Demand,
  type Openness,
  type ParsedRequest,
  type ReplyOf,
  type Route,
  routesOf,
} from '../kit/routes/route.ts'
import { checkCsrf } from './csrf.ts'
import { keepPage } from './kept-pages.ts'
import { errorPage, plainErrorPage } from './shell/error-page.tsx'
import type { WebServices } from './services.ts'

/**
 * The policy of every page: nothing but our own files, no inline styles or scripts, in no frame. `formTargets`: where a
 * form may lead in the end, redirects included, beside this server.
 */
export function contentSecurityPolicy(formTargets: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

export const webStyle: FaceStyle = {
  errors: plainErrorPage,
  errorPage,
  headers: {
    'cache-control': 'no-store',
    'content-security-policy': contentSecurityPolicy(),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    // Without any, browsers would send forms with `Origin: null`.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  },
}

export const { route, rawRoute } = routesOf<WebServices>(webStyle)

const HTML = { description: 'A page', content: { 'text/html': { schema: z.string() } } } as const
const HTML_ANSWERS = {
  200: HTML,
  400: HTML,
  401: HTML,
  403: HTML,
  404: HTML,
  409: HTML,
  412: HTML,
  502: HTML,
  503: HTML,
  303: { description: 'To another page' },
} as const
export type HtmlReply = ReplyOf<typeof HTML_ANSWERS>

type Schema = z.ZodType | undefined

/** What a page and a form say about themselves. */
export interface Described {
  readonly path: string
  readonly id: string
  readonly action: Action
  readonly summary: string
  readonly openness?: Openness
  readonly isSecret?: boolean
  /** True: it shows or changes only what the person may see, so a right on some units is enough. */
  readonly isFiltered?: boolean
  readonly fromOtherSites?: 'links' | 'forms'
}

/** The organization and the unit that it is about; if left out, the server. */
interface Targeted<P extends Schema, Q extends Schema> {
  readonly params?: P
  readonly target?: (given: Pick<ParsedRequest<P, Q, undefined, Resource>, 'params' | 'query'>) => Resource
  /** Further rights that it needs. */
  readonly also?: (given: { readonly target: Resource }) => readonly Demand[]
}

const common = { tags: ['pages'], target: () => ({}), answers: HTML_ANSWERS } as const

/** A page, which people reach by links, also from other sites. */
export function page<P extends Schema = undefined, Q extends Schema = undefined>(
  definition: Described &
    Targeted<P, Q> & {
      readonly query?: Q
      handle(
        request: ParsedRequest<P, Q, undefined, Resource>,
        services: WebServices,
      ): HtmlReply | Promise<HtmlReply>
    },
): Route {
  return route<P, Q, undefined, Resource, typeof HTML_ANSWERS>({
    ...common,
    fromOtherSites: 'links',
    ...definition,
    method: 'GET',
    async handle(request, services) {
      const { x } = request
      const reply = await definition.handle(request, services)
      if (reply.status === 200 && 'text' in reply && reply.type === HTML_TYPE)
        keepPage(x, services, String(reply.text))
      return reply
    },
  })
}

/** The answer of an identity provider, which its own site makes the browser send: it has no CSRF token of ours. */
export function providerForm<P extends Schema = undefined>({
  handle,
  ...definition
}: Described & {
  readonly params?: P
  handle(
    request: Omit<ParsedRequest<P, undefined, undefined, Resource>, 'body'> & {
      readonly fields: URLSearchParams
    },
    services: WebServices,
  ): HtmlReply | Promise<HtmlReply>
}): Route {
  const schema = z.record(z.string(), z.string())
  return route<P, undefined, BodySpec<typeof schema>, Resource, typeof HTML_ANSWERS>({
    ...common,
    ...definition,
    fromOtherSites: 'forms',
    method: 'POST',
    body: { schema, isForm: true, limit: 'maxFormBytes' },
    handle: (request, services) =>
      handle({ ...request, fields: new URLSearchParams(request.body) }, services),
  })
}

/** What a form of a page does. It is carried out only with the CSRF token that the page gave it. */
export function form<F extends z.ZodRawShape, P extends Schema = undefined>({
  fields,
  handle,
  ...definition
}: Described &
  Targeted<P, undefined> & {
    /** Beside the CSRF token. */
    readonly fields: F
    handle(
      request: Omit<ParsedRequest<P, undefined, undefined, Resource>, 'body'> & {
        readonly body: z.output<z.ZodObject<F>>
      },
      services: WebServices,
    ): HtmlReply | Promise<HtmlReply>
  }): Route {
  const Given = z.object(fields)
  const schema = z
    .object({
      csrf: z.string().default(''),
      /** Of a form that creates something: sent twice, it creates it once. */
      once: z.string().optional(),
    })
    .catchall(z.unknown())
  return route<P, undefined, BodySpec<typeof schema>, Resource, typeof HTML_ANSWERS>({
    ...common,
    ...definition,
    method: 'POST',
    body: { schema, isForm: true, limit: 'maxFormBytes' },
    handle(request, services) {
      const { csrf, once, ...rest } = request.body
      const { x } = request
      checkCsrf(x, services.cookies, csrf)
      const body = validated(Given, rest, 'Go back, correct the form, and send it again.')
      if (once !== undefined) x.keyed = requestOf(x, once, JSON.stringify(rest))
      return handle({ ...request, caller: x.caller, body }, services)
    },
  })
}

/** Going back, changing the form and sending it again is a new request. */
function requestOf({ principal, path }: Exchange, once: string, content: string) {
  const says = [path, content]
  return keyedRequest([once, hashOf(says)].join(':'), principalText(principal), says)
}
