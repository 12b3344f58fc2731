import { type Role, type Rule, checkRole, roleInWords } from '../../../../../access/index.ts'
import { isTacoError } from '../../../../../base/errors.ts'
import type { Faults } from '../../shell/faults.ts'
import { wordsIn } from '../../shell/words.ts'
import { labelsIn } from '../../unit/settings/inputs.ts'

/** A rule as it was typed. */
export interface RuleInput {
  readonly effect: string
  readonly actions: string
  readonly units: string
  /** One `name=value` on each line. */
  readonly labels: string
}

/** The form of a role as it was filled in. */
export interface RoleInput {
  readonly name: string
  readonly description: string
  readonly rules: readonly RuleInput[]
}

export const NEW_RULE: RuleInput = { effect: 'allow', actions: '', units: '', labels: '' }
export const NEW_ROLE: RoleInput = { name: '', description: '', rules: [NEW_RULE] }

/** A rule that was typed: what it says in words, or what is wrong, by field. */
export interface ReadRule {
  readonly rule?: Rule
  readonly words?: string
  readonly faults: Faults
}

export function roleInputOf({ name, description = '', rules }: Role): RoleInput {
  return {
    name,
    description,
    rules: rules.map(({ effect, actions, units = [], labels = {} }) => ({
      effect,
      actions: actions.join(' '),
      units: units.join(' '),
      labels: Object.entries(labels)
        .map(([label, value]) => `${label}=${value}`)
        .join('\n'),
    })),
  }
}

/** The fields of several rules, as a form sends them: each name once for each rule. Pure. */
export function ruleInputsOf(fields: {
  readonly effect: readonly string[]
  readonly actions: readonly string[]
  readonly units: readonly string[]
  readonly labels: readonly string[]
}): readonly RuleInput[] {
  return fields.effect.map((effect, at) => ({
    effect,
    actions: fields.actions[at] ?? '',
    units: fields.units[at] ?? '',
    labels: fields.labels[at] ?? '',
  }))
}

/** Never throws for what was typed. Pure. */
export function readRule({ effect, actions, units, labels }: RuleInput): ReadRule {
  const named = wordsIn(actions)
  if (named === undefined)
    return { faults: { actions: 'Name at least one action, such as state:read, state:* or *.' } }
  try {
    const only = wordsIn(units)
    const pairs = labelsIn(labels)
    const rule: Rule = {
      effect: effect === 'deny' ? 'deny' : 'allow',
      actions: named,
      ...(only === undefined ? {} : { units: only }),
      ...(Object.keys(pairs).length === 0 ? {} : { labels: pairs }),
    }
    checkRole({ name: 'checked', rules: [rule] })
    return { rule, words: roleInWords({ rules: [rule] })[0] ?? '', faults: {} }
  } catch (error) {
    return { faults: faultOf(error) }
  }
}

/** The service names the field as `rules.0.actions.1`. */
function faultOf(error: unknown): Faults {
  if (!isTacoError(error, 'BAD_REQUEST')) throw error
  const { field = '' } = error.facts as { readonly field?: string }
  const [first = '', , second] = field.split('.')
  const name = first === 'rules' ? (second ?? 'actions') : first
  return { [name]: [error.message, error.hint].filter(Boolean).join(' ') }
}
