import { type Action, SERVER_ACTIONS } from '../actions.ts'
import { matchesAction } from './action-patterns.ts'
import { UNKNOWN } from './bindings.ts'
import { type Evaluation, type Reason, evaluate } from './evaluate.ts'
import { type Grant, type UnitFacts, isUnclear } from './rules.ts'
import { ACTION_WORDS, originInWords, whereInWords } from './words.ts'

export interface Question {
  /** As the answer names them: `user:alice`. */
  readonly who: string
  readonly action: Action
  /** Undefined: the organization. */
  readonly unit: UnitFacts | undefined
  /** Only runs may change the state of the unit. */
  readonly isGuarded?: boolean
}

export interface Explanation extends Evaluation {
  /** For people. The first line is the answer. */
  readonly lines: readonly string[]
}

/** A decision with the rules behind it, and with those that nearly applied, in words. */
export function explain(grants: readonly Grant[], question: Question): Explanation {
  const { who, action, unit, isGuarded } = question
  const evaluation = evaluate(grants, action, unit)
  const { because } = evaluation
  const isStopped = evaluation.allowed && isGuarded === true
  const allowed = evaluation.allowed && !isStopped
  const target = unit?.name ?? 'the organization'
  const lines = [
    `${allowed ? 'allowed' : 'denied'}: ${who} ${allowed ? 'may' : 'may not'} ${ACTION_WORDS[action]} on ${target} (${action})`,
  ]
  if (unit !== undefined && unit.id === null)
    lines.push(`${unit.name} does not exist, so it is judged by its name, without labels`)
  if (isStopped) lines.push(`${target} is guarded, so only runs may change its state`)
  for (const reason of because) lines.push(sayReason(reason, action, grants))
  if (because.length === 0) lines.push(...sayNothing(grants, question))
  return { allowed, because, lines }
}

function sayReason(reason: Reason, action: Action, grants: readonly Grant[]): string {
  const origin = originInWords(reason)
  const { rule, units, project } = reason
  if (grants.some(({ role }) => role.description === UNKNOWN && role.rules.includes(rule)))
    return `${origin} is ${UNKNOWN}`
  if (isUnclear(rule, units)) return `${origin} has a rule that this server does not understand, so it denies`
  return `${origin} ${rule.effect === 'allow' ? 'allows' : 'denies'} ${action}${whereInWords(rule, units, project)}`
}

function sayNothing(grants: readonly Grant[], { who, action, unit }: Question): readonly string[] {
  if (SERVER_ACTIONS.has(action)) return [`${action} is about the server, and no role grants it`]
  if (grants.length === 0) return [`${who} has no role in the organization`]
  const near = grants.flatMap((grant) =>
    grant.role.rules
      .filter(
        ({ effect, actions }) => effect === 'allow' && actions.some((one) => matchesAction(one, action)),
      )
      .map((rule) => {
        const origin = originInWords({ role: grant.role.name, through: grant.through })
        if (isUnclear(rule, grant.units))
          return `${origin} has a rule that this server does not understand, so it does not allow`
        const rest = unit === undefined ? ', not on the organization itself' : ' only'
        return `${origin} allows it${whereInWords(rule, grant.units, grant.project)}${rest}`
      }),
  )
  return near.length > 0 ? near : [`no role of ${who} allows it`]
}
