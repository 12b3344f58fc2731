import type { Clock } from '../../../base/clock.ts'
import { TacoError } from '../../../base/errors.ts'
import { createFailedAttempts } from '../auth/failed-attempts.ts'
import { createRateLimit } from '../auth/rate-limit.ts'
import type { Face } from '../kit/routes/dispatch.ts'
import { type LoginServices, loginStyle } from './define.ts'
import { discoveryRoutes } from './discovery.ts'
import { tokenRoutes } from './token.ts'

/** Every endpoint that programs use to sign in. The pages for people are in `web`. */
export const loginRoutes = [...discoveryRoutes, ...tokenRoutes]

export type LoginOptions = Omit<LoginServices, 'refusedCodes' | 'deviceLimit'> & { readonly clock: Clock }

const DEVICE_RULES = { burst: 20, perSecond: 1 / 10, callers: 10_000 }

export function createLoginFace({ clock, ...options }: LoginOptions): Face {
  return {
    prefix: '/oauth/',
    style: loginStyle,
    routes: loginRoutes,
    services: {
      ...options,
      refusedCodes: createFailedAttempts(clock),
      deviceLimit: createRateLimit(clock, DEVICE_RULES),
    } satisfies LoginServices,
    missing: () => new TacoError('NOT_FOUND', 'There is no such endpoint.'),
  }
}
