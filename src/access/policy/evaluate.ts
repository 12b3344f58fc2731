import { type Action, SERVER_ACTIONS } from '../actions.ts'
import { type Grant, type Rule, type UnitFacts, applies } from './rules.ts'

/** A rule that made the decision, and how the person got it. */
export interface Reason {
  readonly through: string
  readonly role: string
  readonly rule: Rule
  /** The units that the role was narrowed to. */
  readonly units?: readonly string[] | undefined
  /** The project that the role was narrowed to. */
  readonly project?: string | undefined
}

export interface Evaluation {
  readonly allowed: boolean
  /** If allowed, each rule that allows it. If denied, each rule that denies it: none if nothing allows it. */
  readonly because: readonly Reason[]
}

/**
 * Decides what grants allow: an action on a unit, or without a unit on the organization. Any deny wins over every allow.
 * What nothing allows is denied. `compile` gives the same answers faster, without the reasons.
 */
export function evaluate(grants: readonly Grant[], action: Action, unit: UnitFacts | undefined): Evaluation {
  if (SERVER_ACTIONS.has(action)) return { allowed: false, because: [] }
  const found = grants.flatMap((grant) =>
    grant.role.rules
      .filter((rule) => applies(rule, grant, action, unit))
      .map((rule) => ({
        through: grant.through,
        role: grant.role.name,
        rule,
        units: grant.units,
        project: grant.project,
      })),
  )
  const denies = found.filter(({ rule }) => rule.effect === 'deny')
  return denies.length > 0
    ? { allowed: false, because: denies }
    : { allowed: found.length > 0, because: found }
}
