import type { Principal } from '../../../access/index.ts'
import type { Clock } from '../../../base/clock.ts'
import type { OrgNames } from '../../../state/index.ts'
import type { Guard } from './auth.ts'

/** A request waits no longer for the names of organizations. It is then answered with those that were known before. */
const PATIENCE_MS = 2_000

/**
 * Sees to it that the names of organizations are known before anything is decided about one: a new name may be a moment
 * old. Strangers cause no requests to the bucket.
 */
export function knowingNames(guard: Guard, names: OrgNames, clock: Clock): Guard {
  function withNames(principal: Principal): Principal | Promise<Principal> {
    const isStranger = principal.kind === 'anonymous' && !principal.isOpenServer
    const refreshing = isStranger ? undefined : names.refresh()
    return refreshing === undefined ? principal : waited(refreshing).then(() => principal)
  }

  async function waited(refreshing: Promise<void>): Promise<void> {
    const done = new AbortController()
    // State control refuses what depends on names that cannot be read.
    const read = refreshing.catch(() => {}).finally(() => done.abort())
    await Promise.race([read, clock.sleep(PATIENCE_MS, done.signal).catch(() => {})])
  }

  return {
    ...guard,
    identify(visit) {
      const who = guard.identify(visit)
      return who instanceof Promise ? who.then(withNames) : withNames(who)
    },
  }
}
