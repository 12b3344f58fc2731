import { isoTime } from '../../base/clock.ts'
import { badRequest } from '../../base/errors.ts'
import type { TokenUse } from './token-text.ts'

const DAY_MS = 86_400_000
const DEFAULT_MS = 90 * DAY_MS

export interface ExpiryRules {
  /** The longest that a personal token is valid. */
  readonly maxPersonalMs: number
}
export const defaultExpiry: ExpiryRules = { maxPersonalMs: 366 * DAY_MS }

/** When a new token expires. `asked` null: never, which people's tokens cannot. Undefined: as is usual for its use. */
export function expiryOf(
  use: TokenUse,
  asked: number | null | undefined,
  now: number,
  { maxPersonalMs }: ExpiryRules,
): number | null {
  const isPersonal = use === 'personal'
  if (asked === undefined) return now + (isPersonal ? Math.min(DEFAULT_MS, maxPersonalMs) : DEFAULT_MS)
  if (asked === null) {
    if (!isPersonal) return null
    throw badRequest(
      'expiresAt',
      'A personal token must expire.',
      'Give it a time, or create a token of a team or an organization.',
    )
  }
  if (asked <= now) throw badRequest('expiresAt', `The time ${isoTime(asked)} has passed.`)
  if (isPersonal && asked > now + maxPersonalMs)
    throw badRequest(
      'expiresAt',
      `A personal token is valid for at most ${Math.floor(maxPersonalMs / DAY_MS)} days.`,
      'Ask for less, or create a token of a team or an organization.',
    )
  return asked
}

/** How long the tokens of one kind may be valid in an organization. Undefined: not limited. */
export function withinLimit(
  asked: number | null | undefined,
  limitMs: number | undefined,
  now: number,
): number | null | undefined {
  if (limitMs === undefined) return asked
  const latest = now + limitMs
  if (asked === undefined) return Math.min(latest, now + DEFAULT_MS)
  if (asked === null || asked > latest)
    throw badRequest(
      'expiresAt',
      `Tokens of this kind are valid until ${isoTime(latest)} at most.`,
      'The organization limits how long they are valid. Ask for less.',
    )
  return asked
}
