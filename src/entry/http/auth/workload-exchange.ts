import type { Exchanged, Workloads } from '../../../access/index.ts'
import type { Clock } from '../../../base/clock.ts'
import { isTacoError } from '../../../base/errors.ts'
import { type GuardWatch, rateLimited } from './auth.ts'
import { createFailedAttempts } from './failed-attempts.ts'

export type WorkloadExchange = (
  asked: { readonly org: string; readonly idToken: string },
  request: { readonly address: string; readonly requestId: string },
) => Promise<Exchanged>

/** Refused identities are counted, because each is a signature to verify and may be a request to its issuer. */
export function createWorkloadExchange(
  workloads: Workloads,
  { clock, watch }: { readonly clock: Clock; readonly watch?: GuardWatch },
): WorkloadExchange {
  const attempts = createFailedAttempts(clock)
  return async (asked, { address, requestId }) => {
    const waitMs = attempts.waitMs(address)
    if (waitMs > 0) {
      watch?.refused('limited')
      throw rateLimited(waitMs)
    }
    try {
      return await workloads.exchange(asked, { requestId })
    } catch (error) {
      if (isTacoError(error, 'UNAUTHENTICATED')) {
        watch?.refused('wrong')
        if (attempts.failed(address)) watch?.limited(address)
      }
      throw error
    }
  }
}
