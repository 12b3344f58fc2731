import { z } from 'zod'
import type { Action } from '../actions.ts'
import { openObject } from '../../bucket/index.ts'
import { matchesAction } from './action-patterns.ts'
import { matchesUnit, patternFault } from './unit-patterns.ts'

/** As stored. A new one is checked more strictly (`check-role.ts`): a newer server may know more actions. */
export const Rule = openObject({
  effect: z.enum(['allow', 'deny']),
  /** `state:read`, `state:*`, `*`. */
  actions: z.array(z.string()).min(1).readonly(),
  /** One of these must match. Without: every unit, and the organization itself. */
  units: z.array(z.string()).min(1).readonly().optional(),
  /** The unit must have all of these. */
  labels: z.record(z.string(), z.string()).readonly().optional(),
})
export type Rule = Readonly<z.infer<typeof Rule>>

export const Role = openObject({
  name: z.string().min(1),
  description: z.string().optional(),
  rules: z.array(Rule).readonly(),
})
export type Role = Readonly<z.infer<typeof Role>>

/** A role that somebody has: directly, through a team, or through a group of an identity provider. */
export interface Grant {
  readonly role: Role
  /** Narrows all rules of the role to these units. */
  readonly units?: readonly string[] | undefined
  /** Narrows all rules of the role to the units of this project, and to the project itself. */
  readonly project?: string | undefined
  /** `direct`, `team:ops`, `group:okta/platform`. */
  readonly through: string
}

/** What rules look at. A unit that does not exist yet has no id and no labels. */
export interface UnitFacts {
  readonly id: string | null
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** The id of its project. Undefined: not known, so nothing is allowed because of it. */
  readonly project?: string | undefined
  /** With its sections, says which project a unit is in. Undefined: these facts do not say. */
  readonly org?: string | undefined
  readonly sections?: Readonly<Record<string, unknown>> | undefined
}

const FIELDS: ReadonlySet<string> = new Set(['effect', 'actions', 'units', 'labels'])

/** Whether the rule says something that only a newer server understands. */
export function isUnclear(rule: Rule, units: readonly string[] | undefined): boolean {
  return (
    Object.keys(rule).some((field) => !FIELDS.has(field)) ||
    [...(rule.units ?? []), ...(units ?? [])].some((pattern) => patternFault(pattern) !== undefined)
  )
}

/** Whether the rule, as granted, is about some units only, and never about the organization itself. */
export function isAboutUnits(rule: Rule, grant: Pick<Grant, 'units' | 'project'>): boolean {
  return (
    rule.units !== undefined ||
    rule.labels !== undefined ||
    grant.units !== undefined ||
    grant.project !== undefined
  )
}

/**
 * Whether a rule applies. What cannot be decided is decided against the caller: a rule that is unclear denies if it
 * is a deny, and does not allow if it is an allow; the same holds for labels of a unit that does not exist yet.
 */
export function applies(rule: Rule, grant: Grant, action: Action, unit: UnitFacts | undefined): boolean {
  if (!rule.actions.some((pattern) => matchesAction(pattern, action))) return false
  if (isUnclear(rule, grant.units)) return rule.effect === 'deny'
  if (unit === undefined) return !isAboutUnits(rule, grant)
  return (
    isAmong(rule.units, unit) &&
    isAmong(grant.units, unit) &&
    isInProject(grant.project, rule.effect, unit) &&
    (rule.labels === undefined || hasLabels(rule.labels, rule.effect, unit))
  )
}

function isAmong(patterns: readonly string[] | undefined, unit: UnitFacts): boolean {
  return patterns === undefined || patterns.some((pattern) => matchesUnit(pattern, unit))
}

/** What is not known is decided against the caller. */
export function isInProject(project: string | undefined, effect: Rule['effect'], unit: UnitFacts): boolean {
  if (project === undefined || project === unit.project) return true
  return unit.project === undefined && effect === 'deny'
}

export function hasLabels(
  labels: Readonly<Record<string, string>>,
  effect: Rule['effect'],
  unit: UnitFacts,
): boolean {
  if (unit.id === null) return effect === 'deny'
  for (const name in labels)
    if (!Object.hasOwn(unit.labels, name) || unit.labels[name] !== labels[name]) return false
  return true
}
