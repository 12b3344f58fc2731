import type { OAuth } from '../../../access/index.ts'
import type { Log } from '../../../base/log.ts'
import type { FailedAttempts } from '../auth/failed-attempts.ts'
import type { WorkloadExchange } from '../auth/workload-exchange.ts'
import type { RateLimit } from '../auth/rate-limit.ts'
import type { FaceStyle } from '../kit/exchange.ts'
import { PROGRAM_HEADERS } from '../kit/response/program-headers.ts'
import { routesOf } from '../kit/routes/route.ts'
import { oauthErrors } from './oauth-errors.ts'

/** What the endpoints work with that programs use to sign in. */
export interface LoginServices {
  readonly auth: 'none' | 'token' | 'sso'
  /** As browsers reach the server. */
  readonly publicUrl: string | undefined
  /** Undefined: people cannot sign in. */
  readonly oauth: OAuth | undefined
  /** Undefined: jobs cannot. */
  readonly exchangeWorkload?: WorkloadExchange | undefined
  /** What other faces offer to engines, by service id: `tfe.v2`. */
  readonly offers: Readonly<Record<string, unknown>>
  /** Codes that were refused: so that they cannot be guessed. */
  readonly refusedCodes: FailedAttempts
  /** Device codes that were requested: so that the bucket cannot be filled. */
  readonly deviceLimit: RateLimit
  readonly log: Log
}

export const loginStyle: FaceStyle = {
  errors: oauthErrors,
  headers: PROGRAM_HEADERS,
}

export const { route } = routesOf<LoginServices>(loginStyle)

/** These need no credential: they are how a program gets one. */
export const open = {
  action: 'account:manage',
  openness: 'everybody',
  tags: ['sign-in'],
  target: () => ({}),
} as const
