import type { z } from 'zod'
import { TacoError } from '../../../../base/errors.ts'
import { faultsIn, sayFaults } from '../../../../base/text/validation-messages.ts'

/** The part after the question mark. A repeated name has a list of values. */
export function parseQuery(text: string): Record<string, string | string[]> {
  const given = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = given.get(name)
    if (before === undefined) given.set(name, value)
    else if (typeof before === 'string') given.set(name, [before, value])
    else before.push(value)
  }
  return Object.fromEntries(given)
}

/** Refuses with every fault, so that one round is enough to correct them all. */
export function validated<T extends z.ZodType>(schema: T, given: unknown, hint?: string): z.output<T> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = faultsIn(parsed.error)
  const field = (faults[0]?.field ?? '').replace(/\.\d+(?=\.|$)/g, '') || 'body'
  throw new TacoError('BAD_REQUEST', `The request is invalid: ${sayFaults(faults)}.`, {
    facts: { field },
    hint: hint ?? '/v1/openapi.json describes every request.',
  })
}
