import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { repeatEvery } from './patience.ts'

/** Issues tokens for runs; times are ISO 8601. */
export interface RunTokenApi {
  /** For a unit, by name or id. `claim`: the token of a claimed step of the rollout that this worker works on. */
  issue(
    unit: string,
    ttlMs: number,
    claim?: string,
  ): Promise<{ readonly id: string; readonly token: string; readonly expiresAt: string }>
  renew(id: string, ttlMs: number): Promise<{ readonly expiresAt: string }>
  revoke(id: string): Promise<void>
}

/** What a child process gets instead of the caller's own token: it opens the backend of one unit while the run lasts. */
export interface RunToken {
  /** Undefined: the backend asks for none. */
  readonly token: string | undefined
  /** Revokes it. Never throws: the run has ended in any case. */
  end(): Promise<void>
}

export interface RunTokenOptions {
  readonly clock: Clock
  readonly log: Log
  readonly ttlMs?: number
  /** The token of the claimed step that the run is for. */
  readonly claim?: string
  /** Called if it could not be revoked. */
  readonly onLeft: (left: { readonly expiresAt: string; readonly error: unknown }) => void
}

/** Long enough for an engine that outlives its killed parent to store what it made, and for a laptop's short sleep. */
const TTL_MS = 3_600_000

const noRunToken: RunToken = { token: undefined, end: () => Promise.resolve() }

/** Whatever comes of the work, the token ends with it. */
export async function during<T>(run: RunToken, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await run.end()
  }
}

/** Issues a token, and renews it until its end. */
export async function takeRunToken(
  tokens: RunTokenApi | undefined,
  unit: string,
  { clock, log, ttlMs = TTL_MS, claim, onLeft }: RunTokenOptions,
): Promise<RunToken> {
  if (tokens === undefined) return noRunToken
  const { id, token, ...first } = await tokens.issue(unit, ttlMs, claim)
  let { expiresAt } = first
  // One that fails is repeated several times before the token expires.
  const stop = repeatEvery(clock, ttlMs / 6, async () => {
    try {
      expiresAt = (await tokens.renew(id, ttlMs)).expiresAt
    } catch (error) {
      log.info('the token of a run was not renewed', { unit, reason: messageOf(error) })
    }
  })
  return {
    token,
    async end() {
      stop()
      try {
        await tokens.revoke(id)
      } catch (error) {
        onLeft({ expiresAt, error })
      }
    },
  }
}
