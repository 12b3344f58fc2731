import type { KeyRing } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { Spool } from '../base/spool.ts'
import type { Bucket } from '../bucket/index.ts'
import type { LongWork } from './long-work.ts'

/** What state control needs from outside. */
export interface StateDeps {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly spool: Spool
  readonly settings: StateSettings
  readonly work: LongWork
  /** Keys the seals of the audit. Undefined: they are plain hashes. */
  readonly keys?: Pick<KeyRing, 'mac'> | undefined
}

export interface StateSettings {
  /** After this long without a change, a unit's document is tidied (intent completed, outbox emptied); null: never. */
  readonly tidyAfterMs: number | null
  /** Journal records are written right after the change that caused them; off in tests that count operations. */
  readonly flushEvents: boolean
  /** Journal objects begin at least so far apart; what comes in between is written together. 0: nothing waits for a timer. */
  readonly gatherEventsMs: number
  /** T of the lock protocol: on stores without conditional delete no DELETE is believed to outlive it. */
  readonly deleteOutlivesMs: number
  /** How long a lock lives that OpenTaco takes for a single operation of its own. */
  readonly ownLeaseMs: number
  /** Listings may lag other servers by this much. */
  readonly catalogLagMs: number
  /** A full listing at least this often, where the journal alone is followed in between. */
  readonly catalogVerifyMs: number
  /** A rename or deletion of an organization is answered after so long: by then every server knows it. */
  readonly announceMs: number
  /** How often the journal is looked at while somebody follows it. */
  readonly followEveryMs: number
}

/** What is in memory of the directory of organizations is no older than this when it is used. */
export const DIRECTORY_LAG_MS = 2_000

export const defaultSettings: StateSettings = {
  tidyAfterMs: 2_000,
  flushEvents: true,
  gatherEventsMs: 25,
  deleteOutlivesMs: 30_000,
  ownLeaseMs: 120_000,
  catalogLagMs: 1_000,
  catalogVerifyMs: 30_000,
  // Timers are not exact.
  announceMs: DIRECTORY_LAG_MS + 100,
  followEveryMs: 1_000,
}
