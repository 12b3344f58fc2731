import { z } from 'zod'
import type { GcOptions, OrgView } from '../../../../state/index.ts'
import { countIn } from './limits-form.ts'

/** As it was typed. Empty: it is not what decides. */
export interface RetentionInput {
  readonly count: string
  readonly days: string
  readonly eventDays: string
}

type Rules = NonNullable<GcOptions['asIf']>

const typed = z.string().trim().default('')
export const retentionFields = { count: typed, days: typed, eventDays: typed }

export function retentionInputOf({ retention, eventRetention }: Pick<OrgView, keyof Rules>): RetentionInput {
  return {
    count: String(retention?.count ?? ''),
    days: String(retention?.days ?? ''),
    eventDays: String(eventRetention?.days ?? ''),
  }
}

/** Throws BAD_REQUEST with the field. Pure. */
export function rulesIn(input: RetentionInput): Rules {
  const count = countIn('count', input.count, 1)
  const days = countIn('days', input.days, 1)
  const eventDays = countIn('eventDays', input.eventDays, 1)
  const retention = { ...(count === null ? {} : { count }), ...(days === null ? {} : { days }) }
  return {
    retention: count === null && days === null ? null : retention,
    eventRetention: eventDays === null ? null : { days: eventDays },
  }
}
