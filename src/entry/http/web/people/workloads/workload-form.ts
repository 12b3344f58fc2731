import { WorkloadRuleInput, type WorkloadRule } from '../../../../../access/index.ts'
import { faultsIn } from '../../../../../base/text/validation-messages.ts'
import type { z } from 'zod'
import type { Faults } from '../../shell/faults.ts'
import { wordsIn } from '../../shell/words.ts'

/** The form as it was filled in. */
export interface WorkloadInput {
  readonly name: string
  readonly issuer: string
  readonly audience: string
  /** One `claim=pattern` on each line; a claim may be named again for another pattern. */
  readonly claims: string
  readonly roles: readonly string[]
  readonly units: string
  readonly actions: string
  readonly minutes: string
}

export const NEW_WORKLOAD: WorkloadInput = {
  name: '',
  issuer: 'https://token.actions.githubusercontent.com',
  audience: '',
  claims: '',
  roles: [],
  units: '',
  actions: '',
  minutes: '15',
}

export function workloadInputOf(rule: WorkloadRule): WorkloadInput {
  const { name, issuer, audience = '', claims, roles, scope, ttlMs } = rule
  return {
    name,
    issuer,
    audience,
    claims: claimLines(claims).join('\n'),
    roles,
    units: scope?.units?.join(' ') ?? '',
    actions: scope?.actions?.join(' ') ?? '',
    minutes: String(ttlMs / 60_000),
  }
}

/** `repository=acme/infra`, one for each pattern. */
export function claimLines(claims: WorkloadRule['claims']): readonly string[] {
  return Object.entries(claims).flatMap(([claim, patterns]) => patterns.map((one) => `${claim}=${one}`))
}

interface Parsed {
  readonly rule?: z.output<typeof WorkloadRuleInput>
  /** By field. */
  readonly faults: Faults
}

/** Pure. */
export function parseWorkload(input: WorkloadInput): Parsed {
  const { name, issuer, audience, roles, minutes } = input
  const claims = claimsIn(input.claims)
  if (typeof claims === 'string') return { faults: { claims } }
  if (!/^([1-9]|[1-5]\d|60)$/.test(minutes))
    return { faults: { minutes: 'Write a whole number from 1 to 60.' } }
  const scope = { actions: wordsIn(input.actions), units: wordsIn(input.units) }
  const isNarrowed = scope.actions !== undefined || scope.units !== undefined
  const parsed = WorkloadRuleInput.safeParse({
    name,
    issuer,
    ...(audience === '' ? {} : { audience }),
    claims,
    roles,
    ...(isNarrowed ? { scope: Object.fromEntries(Object.entries(scope).filter(([, one]) => one)) } : {}),
    ttlMs: Number(minutes) * 60_000,
  })
  if (parsed.success) return { rule: parsed.data, faults: {} }
  const faults = faultsIn(parsed.error).map(({ field, message }) => [fieldOf(field), `This ${message}.`])
  return { faults: Object.fromEntries(faults) as Faults }
}

function fieldOf(field: string): string {
  const [first = '', second = ''] = field.split('.')
  return first === 'scope' ? second : first
}

/** A text: what is wrong. */
function claimsIn(text: string): Readonly<Record<string, readonly string[]>> | string {
  const claims = new Map<string, string[]>()
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '') continue
    const at = line.indexOf('=')
    if (at < 1) return `"${line}" does not have the form claim=value. Write repository=acme/infra.`
    const name = line.slice(0, at).trim()
    claims.set(name, [...(claims.get(name) ?? []), line.slice(at + 1).trim()])
  }
  return Object.fromEntries(claims)
}
