import type { z } from 'zod'

export interface Fault {
  /** Where, as the user wrote it: `labels.team`; empty for the whole. */
  readonly field: string
  /** What is wrong with it, to be read after the name of the field. */
  readonly message: string
}

/** What a schema found, in words for people: the schema library talks to programmers. */
export function faultsIn(error: z.ZodError): readonly Fault[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.filter((step) => typeof step !== 'symbol')
    if (issue.code !== 'unrecognized_keys') return [{ field: path.join('.'), message: wordsOf(issue) }]
    return issue.keys.map((key) => ({ field: [...path, key].join('.'), message: 'is unknown' }))
  })
}

export function sayFaults(faults: readonly Fault[]): string {
  return faults.map(({ field, message }) => (field === '' ? message : `${field} ${message}`)).join('; ')
}

type Issue = z.ZodError['issues'][number]

function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is missing'
        : `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'too_small':
      return `must ${measured(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must ${measured(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`
    case 'custom':
      return issue.message
    default:
      return 'is invalid'
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

function measured(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'have' : 'be'
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' entries' : ''
}
