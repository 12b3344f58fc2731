import { z } from 'zod'
import type { Resource } from '../../../../access/index.ts'
import type { HttpDeps } from '../../deps.ts'
import type { Exchange, FaceStyle } from '../../kit/exchange.ts'
import type { StreamSlots } from '../../kit/stream-slots.ts'
import { PROGRAM_HEADERS } from '../../kit/response/program-headers.ts'
import { routesOf } from '../../kit/routes/route.ts'
import type { Locator } from '../locator.ts'
import { jsonApiErrors } from './errors.ts'
import type { UrlSigner } from './signed-urls.ts'

/** What the handlers of the Terraform Cloud API work with. */
export interface TfcServices extends HttpDeps {
  readonly streams: StreamSlots
  /** From the ids that addresses consist of to organizations and units. */
  readonly locator: Locator
  readonly signer: UrlSigner
  /** As clients reach the server. Undefined: as the request did. */
  readonly publicUrl: string | undefined
}

/** At least 2.5 for `cloud` blocks, 2.6 for import blocks in runs. */
const API_VERSION = '2.6'

export const tfcStyle: FaceStyle = {
  errors: jsonApiErrors,
  headers: {
    ...PROGRAM_HEADERS,
    'tfp-api-version': API_VERSION,
    // Clients know two names, and take any other for the first.
    'tfp-appname': 'Terraform Enterprise',
    // Without it, the `tfe` provider gives a run task of a workspace no more than one stage.
    'x-tfe-version': 'v202404-1',
  },
}

/** A route of this API. `target` may look up where an id leads: see `Locator`. */
export const { route, rawRoute } = routesOf<TfcServices>(tfcStyle)

/** An answer with a JSON:API document, made with `document` or `listed`. */
export function documented(description: string) {
  return { description, content: { 'application/vnd.api+json': { schema: z.unknown() } } } as const
}

export const NO_CONTENT = { description: 'Done' } as const

/** `{org}` in the path. The kit has made the id out of the name. */
export const OrgParams = z.object({ org: z.string() })
export function ofOrg(
  { params }: { readonly params: { readonly org: string } },
  { locator }: Pick<TfcServices, 'locator'>,
): Promise<{ readonly org: string }> {
  return locator.org(params.org)
}
export const ofServer = (): Resource => ({})

/** `{workspace}` in the path is an id: `/api/v2/workspaces/{workspace}`. */
export const WorkspaceParams = z.object({ workspace: z.string() })
export function ofWorkspace(
  { params }: { readonly params: { readonly workspace: string } },
  { locator }: Pick<TfcServices, 'locator'>,
): Promise<{ readonly org: string; readonly unit: string }> {
  return locator.workspace(params.workspace)
}

/** As the client reaches the server, without a slash at the end: for addresses in answers. */
export function baseUrl({ req }: Exchange, { publicUrl }: Pick<TfcServices, 'publicUrl'>): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, '')
  const isSecure = 'encrypted' in req.socket && req.socket.encrypted === true
  return `${isSecure ? 'https' : 'http'}://${req.headers.host ?? 'localhost'}`
}
