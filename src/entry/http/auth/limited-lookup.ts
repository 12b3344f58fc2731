import type { Clock } from '../../../base/clock.ts'
import { forStranger } from '../kit/response/stranger-error.ts'
import { type GuardWatch, rateLimited } from './auth.ts'
import { createCarefulLookups } from './careful-lookups.ts'

export interface LookupLimit {
  readonly clock: Clock
  readonly watch?: GuardWatch
}

/**
 * 256 bits cannot be guessed, but each try is a request to the bucket. Tries are counted separately from those with the
 * root token: guessing that one delays no engine, and an engine that outlived its token delays no one else.
 */
const LIMIT = { burst: 100, perSecond: 10, callers: 10_000 }

/** Finds the record of a token. Without a limit, looking it up costs nothing, so no one is delayed by what others send. */
export function createLimitedLookup(limit: LookupLimit | undefined) {
  const lookUp = limit && createCarefulLookups(limit.clock, LIMIT)
  const watch = limit?.watch

  return async <T>(address: string, search: () => Promise<T>, isWrong: (found: T) => boolean): Promise<T> => {
    const find = () =>
      search().catch((error: unknown) => {
        throw forStranger(error)
      })
    const found = await (lookUp?.(address, {
      find,
      isWrong,
      limited(waitMs) {
        watch?.refused('limited')
        throw rateLimited(waitMs)
      },
      onLimit: () => watch?.limited(address),
    }) ?? find())
    if (isWrong(found)) watch?.refused('wrong')
    return found
  }
}
