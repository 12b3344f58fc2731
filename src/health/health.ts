import type { Clock } from '../base/clock.ts'
import { isTacoError } from '../base/errors.ts'
import type { Bucket, ProbeFinding } from '../bucket/index.ts'
import type { Checks } from './checks.ts'
import { serverKey } from './layout.ts'
import type { Servers } from './servers.ts'

/** What was found when the bucket was tried out at the start of this server. */
export interface Probed {
  readonly at: number
  readonly findings: readonly ProbeFinding[]
}

/** Whether the bucket answers this server, and how long it takes. */
export type BucketAnswer =
  | { readonly isReachable: true; readonly ms: number }
  | { readonly isReachable: false; readonly message: string; readonly hint: string | undefined }

export interface BucketHealth {
  readonly kind: string
  readonly label: string
  readonly answer: BucketAnswer
  /** Undefined: it was not tried out by this process. */
  readonly probed: Probed | undefined
}

/** How the bucket, the servers on it and what is stored in it are. */
export interface Health {
  readonly servers: Servers
  readonly checks: Checks
  bucket(): Promise<BucketHealth>
}

/** A page that shows an unreachable bucket must not wait for it for long. */
const ANSWER_MS = 3_000

export function createBucketHealth(
  { bucket, clock }: { readonly bucket: Bucket; readonly clock: Clock },
  serverId: string,
  probed: Probed | undefined,
): () => Promise<BucketHealth> {
  async function ask(): Promise<BucketAnswer> {
    const late = AbortSignal.timeout(ANSWER_MS)
    const askedAt = clock.now()
    try {
      const found = await bucket.get(serverKey(serverId), { signal: late })
      found?.discard()
      return { isReachable: true, ms: clock.now() - askedAt }
    } catch (error) {
      if (late.aborted) {
        const message = `The bucket did not answer within ${ANSWER_MS / 1000} s.`
        return { isReachable: false, message, hint: 'Check the storage and the network.' }
      }
      if (!isTacoError(error)) throw error
      return { isReachable: false, message: error.message, hint: error.hint }
    }
  }

  return async () => ({ kind: bucket.kind, label: bucket.label, answer: await ask(), probed })
}
