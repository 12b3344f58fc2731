import type { Clock } from '../../../base/clock.ts'

export interface StoreTime {
  /** The Date header of an answer. */
  note(date: string | undefined): void
  /** Undefined as long as no answer had one. */
  now(): number | undefined
}

/** The store's clock, by the last of its answers and the time that has passed here since. */
export function storeTime(clock: Clock): StoreTime {
  let seen: { readonly text: string; readonly ms: number; readonly at: number } | undefined
  return {
    note(date) {
      // One a second: reading it costs as much as signing the request.
      if (date === undefined || date === seen?.text) return
      const ms = Date.parse(date)
      if (!Number.isNaN(ms)) seen = { text: date, ms, at: clock.now() }
    },
    now: () => (seen === undefined ? undefined : seen.ms + (clock.now() - seen.at)),
  }
}
