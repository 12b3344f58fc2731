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

/** A sentence of an explanation. */
export interface ExplainedLine {
  readonly text: string
  /** The role that it is about, and the place of the rule in it, from 0. */
  readonly role?: string
  readonly rule?: number
}

export interface Explanation extends Evaluation {
  /** For people. The first line is the answer. */
  readonly lines: readonly string[]
  /** The same, with what each is about. */
  readonly said: readonly ExplainedLine[]
}

/** A decision with the rules behind it, and with those that nearly applied, in words. */
export function explain(grants: readonly Grant[], question: Question): Explanation {
  const { who, action, unit, isGuarded } = question
  const evaluation = evaluate(grants, action, unit)
  const { because } = evaluation
  const isStopped = evaluation.allowed && isGuarded === true
  const allowed = evaluation.allowed && !isStopped
  const target = unit?.name ?? 'the organization'
  const said: ExplainedLine[] = [
    {
      text: `${allowed ? 'allowed' : 'denied'}: ${who} ${allowed ? 'may' : 'may not'} ${ACTION_WORDS[action]} on ${target} (${action})`,
    },
  ]
  if (unit !== undefined && unit.id === null)
    said.push({ text: `${unit.name} does not exist, so it is judged by its name, without labels` })
  if (isStopped) said.push({ text: `${target} is guarded, so only runs may change its state` })
  for (const reason of because) said.push(sayReason(reason, action, grants))
  if (because.length === 0) said.push(...sayNothing(grants, question))
  return { allowed, because, said, lines: said.map(({ text }) => text) }
}

function sayReason(reason: Reason, action: Action, grants: readonly Grant[]): ExplainedLine {
  const origin = originInWords(reason)
  const { role, rule, units, project } = reason
  const found = grants.find((grant) => grant.role.name === role && grant.role.rules.includes(rule))
  if (found?.role.description === UNKNOWN) return { text: `${origin} is ${UNKNOWN}` }
  const text = isUnclear(rule, units)
    ? 'has a rule that this server does not understand, so it denies'
    : `${rule.effect === 'allow' ? 'allows' : 'denies'} ${action}${whereInWords(rule, units, project)}`
  return { text: `${origin} ${text}`, role, rule: found?.role.rules.indexOf(rule) ?? 0 }
}

function sayNothing(grants: readonly Grant[], { who, action, unit }: Question): readonly ExplainedLine[] {
  if (SERVER_ACTIONS.has(action)) return [{ text: `${action} is about the server, and no role grants it` }]
  if (grants.length === 0) return [{ text: `${who} has no role in the organization` }]
  const near = grants.flatMap((grant) =>
    [...grant.role.rules.entries()]
      .filter(
        ([, { effect, actions }]) => effect === 'allow' && actions.some((one) => matchesAction(one, action)),
      )
      .map(([at, rule]) => {
        const origin = originInWords({ role: grant.role.name, through: grant.through })
        const rest = unit === undefined ? ', not on the organization itself' : ' only'
        const text = isUnclear(rule, grant.units)
          ? 'has a rule that this server does not understand, so it does not allow'
          : `allows it${whereInWords(rule, grant.units, grant.project)}${rest}`
        return { text: `${origin} ${text}`, role: grant.role.name, rule: at }
      }),
  )
  return near.length > 0 ? near : [{ text: `no role of ${who} allows it` }]
}
