import type { NewToken } from '../../../../access/index.ts'
import { wordsIn } from '../shell/words.ts'

export const EXPIRY_DAYS = ['7', '30', '90', '365'] as const
/** Tokens of people expire; others need not. */
export const EXPIRY_CHOICES = [...EXPIRY_DAYS, 'never'] as const

/** The form as it was filled in. */
export interface TokenInput {
  readonly name: string
  readonly days: (typeof EXPIRY_CHOICES)[number]
  readonly actions?: string | undefined
  readonly units?: string | undefined
}

interface Parsed {
  readonly wanted?: Omit<NewToken, 'owner'>
  /** By field. */
  readonly faults: Readonly<Record<string, string>>
}

const DAY_MS = 86_400_000

/** What kind of patterns there are, and which are known, the service says. */
export function parseTokenForm({ name, days, actions, units }: TokenInput, now: number): Parsed {
  const said = name.trim()
  const faults: Record<string, string> = {}
  if (said === '') faults['name'] = 'Give the token a name.'
  else if (said.length > 100) faults['name'] = 'Choose a name of at most 100 characters.'
  else if (!/^\P{C}*$/u.test(said)) faults['name'] = 'Choose a name without control characters.'
  if (Object.keys(faults).length > 0) return { faults }
  const scope = { actions: wordsIn(actions), units: wordsIn(units) }
  const isNarrowed = scope.actions !== undefined || scope.units !== undefined
  return {
    wanted: {
      name: said,
      expiresAt: days === 'never' ? null : now + Number(days) * DAY_MS,
      ...(isNarrowed ? { scope } : {}),
    },
    faults,
  }
}
