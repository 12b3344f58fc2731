import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { expressionFile } from '../../../../engines/index.ts'
import { check, fields, flag, list, maybe, text } from '../../api/check-answer.ts'
import { unitPath } from '../../api/client.ts'
import { variablesOf } from '../../api/variable-answers.ts'
import type { Session } from '../../session.ts'

/** A variable that applies to a unit. */
export interface UnitVariable {
  readonly key: string
  readonly category: string
  /** Null: it is sensitive, and was not asked for. */
  readonly value: string | null
  readonly sensitive: boolean
  readonly hcl: boolean
  /** Stronger than inputs from dependencies. */
  readonly priority: boolean
}

const effective = fields({
  items: list(
    fields({
      key: text,
      category: text,
      value: maybe(text),
      sensitive: flag,
      hcl: flag,
      source: fields({ set: maybe(fields({ priority: flag })) }),
    }),
  ),
})

/** What applies to a unit. A caller without the right to read variables gets none, and a message. */
export async function unitVariables(
  session: Session,
  unit: string,
  isSensitive: boolean,
): Promise<readonly UnitVariable[]> {
  const client = await session.client()
  if (isSensitive) return (await variablesOf(client, unit)).items
  try {
    const answer = await client.json('GET', unitPath(unit, '/variables/effective'))
    return check(effective, answer).items.map(({ source, ...one }) => ({
      ...one,
      priority: source.set?.priority === true,
    }))
  } catch (error) {
    if (!isTacoError(error, 'FORBIDDEN')) throw error
    session.output.warn(`the variables of ${unit} are left out: you may not read them`)
    return []
  }
}

/** Half of the variables would make another plan. */
export function refuseHidden(unit: string, variables: readonly UnitVariable[]): void {
  const hidden = variables.find(({ value }) => value === null)
  if (hidden === undefined) return
  throw new TacoError('FORBIDDEN', `The value of ${hidden.key} is sensitive.`, {
    hint: `Request the sensitive values of ${unit}, too: use --sensitive.`,
  })
}

/** Values as JSON text, by key. Expressions are computed: a file in JSON has none. */
export async function jsonValuesOf(
  session: Session,
  variables: readonly UnitVariable[],
): Promise<Readonly<Record<string, string>>> {
  const given = variables.flatMap(({ value, ...one }) => (value === null ? [] : [{ ...one, value }]))
  const texts = given.filter(({ hcl }) => !hcl).map(({ key, value }) => [key, JSON.stringify(value)] as const)
  const expressions = given.filter(({ hcl }) => hcl)
  if (expressions.length === 0) return Object.fromEntries(texts)
  const tools = await session.world.repository()
  const reader = tools.openHclReader()
  const computed = await Promise.all(
    expressions.map(async (one) => {
      const read = await tools.readVariableFile(expressionFile([one]), reader)
      const value = 'values' in read ? read.values[one.key] : undefined
      if (value !== undefined) return [one.key, JSON.stringify(value)] as const
      throw new TacoError('BAD_REQUEST', `The value of ${one.key} is not a plain expression.`, {
        hint: 'Correct the expression, or use `taco exec`, which gives it to the engine as it is.',
      })
    }),
  )
  return Object.fromEntries([...texts, ...computed])
}
