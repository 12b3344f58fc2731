import type { Resource } from '../../../access/index.ts'
import type { HttpDeps } from '../deps.ts'
import type { FaceStyle } from '../kit/exchange.ts'
import { problems } from '../kit/response/problem.ts'
import { PROGRAM_HEADERS } from '../kit/response/program-headers.ts'
import { type Demand, routesOf } from '../kit/routes/route.ts'
import type { StreamSlots } from '../kit/stream-slots.ts'

/** What the handlers of the native API and of the http backend work with. */
export interface V1Services extends HttpDeps {
  readonly streams: StreamSlots
  /** Aborted when the server shuts down. */
  readonly stopping: AbortSignal
}

export const v1Style: FaceStyle = {
  errors: problems,
  headers: PROGRAM_HEADERS,
}

export const { route, rawRoute } = routesOf<V1Services>(v1Style)

interface InOrg {
  readonly query: { readonly org: string }
}

/** The server and all organizations. */
export const ofServer = () => ({})
export const ofOrg = ({ query }: InOrg) => ({ org: query.org })
export const ofUnit = ({ params, query }: InOrg & { readonly params: { readonly unit: string } }) => ({
  org: query.org,
  unit: params.unit,
})

/** Of what overrides a check. */
export const forceDemand = (given: {
  readonly query: { readonly force: boolean }
  readonly target: Resource
}): readonly Demand[] => (given.query.force ? [{ action: 'state:force', resource: given.target }] : [])
