import type { Clock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { Cookies } from '../kit/cookies.ts'
import type { Assets } from '../kit/response/assets.ts'

/** What the pages work with. */
export interface WebServices {
  readonly auth: 'none' | 'token' | 'sso'
  /** As browsers reach the server. Undefined: it was not configured, so nothing may depend on it. */
  readonly publicUrl?: string
  readonly about: {
    readonly version: string
    readonly bucket: { readonly kind: string; readonly label: string }
  }
  readonly cookies: Cookies
  readonly assets: Assets
  readonly clock: Clock
  readonly log: Log
}
