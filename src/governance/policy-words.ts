import { z } from 'zod'
import { badRequest } from '../base/errors.ts'

export const PolicyKind = z.enum(['sentinel', 'opa', 'tfpolicy'])
export type PolicyKind = z.infer<typeof PolicyKind>

export const EnforcementLevel = z.enum(['advisory', 'soft-mandatory', 'hard-mandatory', 'mandatory'])
export type EnforcementLevel = z.infer<typeof EnforcementLevel>

interface Language {
  /** The first is the default. */
  readonly levels: readonly [EnforcementLevel, ...EnforcementLevel[]]
  /** Of the files that it is written in. */
  readonly ending: string
}

const LANGUAGES: Readonly<Record<PolicyKind, Language>> = {
  sentinel: { levels: ['soft-mandatory', 'advisory', 'hard-mandatory'], ending: 'sentinel' },
  opa: { levels: ['advisory', 'mandatory'], ending: 'rego' },
  tfpolicy: { levels: ['advisory', 'mandatory'], ending: 'tfpolicy.hcl' },
}

/** Kinds of newer servers are taken for Sentinel's, which was first. */
export function languageOf(kind: string): Language {
  return LANGUAGES[PolicyKind.safeParse(kind).data ?? 'sentinel']
}

export function checkLevel(kind: string, level: string): void {
  const { levels } = languageOf(kind)
  if (levels.some((one) => one === level)) return
  throw badRequest(
    'enforcement-level',
    `A policy of the kind ${kind} cannot be enforced as ${level}.`,
    `Use ${levels.join(', ')}.`,
  )
}

export function checkPolicyName(what: string, name: string): void {
  if (/^[A-Za-z0-9_-]{1,255}$/.test(name)) return
  throw badRequest(
    'name',
    `${JSON.stringify(name)} is not a valid name of a ${what}.`,
    'Use letters, digits, "-" and "_".',
  )
}
