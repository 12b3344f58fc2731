import { z } from 'zod'
import type { Action, Resource } from '../../../access/index.ts'
import type { ParsedRequest, Route } from '../kit/routes/route.ts'
import { type Described, type HtmlReply, form, page } from './define.ts'
import type { WebServices } from './services.ts'
import { type OrgView, orgViewOf } from './shell/view.ts'

type Shape = z.ZodRawShape
type OrgShape = { readonly org: z.ZodString }
type OrgParams<S extends Shape> = z.ZodObject<OrgShape & S>
type Query = z.ZodType | undefined

/** What a page of an organization gets beside the request. */
interface WithView {
  readonly view: OrgView
}

/** `path` follows `/app/{org}`. A parameter `unit` or `project` is what it is about. */
interface OfOrg<S extends Shape> extends Described {
  readonly path: '' | `/${string}`
  readonly params?: S
  /** Further rights that it needs. */
  readonly also?: readonly Action[]
  /** Further rights that it needs on the organization itself, where the page is about a unit. */
  readonly onOrganization?: readonly Action[]
  /** Further rights that it needs on the server as a whole. */
  readonly ofServer?: readonly Action[]
}

/** A page of an organization: inside its navigation, and with what the person may do there. */
export function orgPage<S extends Shape = OrgShape, Q extends Query = undefined>({
  handle,
  ...definition
}: OfOrg<S> & {
  readonly query?: Q
  handle(
    request: ParsedRequest<OrgParams<S>, Q, undefined, Resource> & WithView,
    services: WebServices,
  ): HtmlReply | Promise<HtmlReply>
}): Route {
  return page<OrgParams<S>, Q>({
    ...definition,
    ...addressOf(definition),
    handle: async (request, services) =>
      handle({ ...request, view: await orgViewOf(request.x, services, orgIn(request)) }, services),
  })
}

/** What a form of such a page does. It has the same view, to show the page again with what was typed. */
export function orgForm<F extends Shape, S extends Shape = OrgShape>({
  handle,
  ...definition
}: OfOrg<S> & {
  readonly fields: F
  handle(
    request: Omit<ParsedRequest<OrgParams<S>, undefined, undefined, Resource>, 'body'> &
      WithView & { readonly body: z.output<z.ZodObject<F>> },
    services: WebServices,
  ): HtmlReply | Promise<HtmlReply>
}): Route {
  return form<F, OrgParams<S>>({
    ...definition,
    ...addressOf(definition),
    handle: async (request, services) =>
      handle({ ...request, view: await orgViewOf(request.x, services, orgIn(request)) }, services),
  })
}

function addressOf<S extends Shape>({
  path,
  params,
  also = [],
  onOrganization = [],
  ofServer = [],
}: OfOrg<S>) {
  return {
    path: `/app/{org}${path}`,
    params: z.object({ org: z.string(), ...params }) as unknown as OrgParams<S>,
    target: (given: { readonly params: unknown }) => {
      const { org, unit, project } = given.params as Resource
      return { org, unit, project }
    },
    also: ({ target }: { readonly target: Resource }) => [
      ...also.map((action) => ({ action, resource: target })),
      ...onOrganization.map((action) => ({ action, resource: { org: target.org } })),
      ...ofServer.map((action) => ({ action, resource: {} })),
    ],
  }
}

function orgIn({ params }: { readonly params: unknown }): string {
  return (params as { readonly org: string }).org
}
