import { isTacoError } from '../../../base/errors.ts'
import type { RunVariables } from '../../../variables/index.ts'
import { type Shape, check, fields, flag, list, maybe, text } from './check-answer.ts'
import { type Client, unitPath } from './client.ts'

const valuesAnswer: Shape<RunVariables> = fields({
  print: maybe(text),
  items: list(fields({ key: text, category: text, value: text, sensitive: flag, hcl: flag, priority: flag })),
})

/** The variables that apply to a unit, with their values. A unit that does not exist yet has none. */
export async function variablesOf(
  client: Pick<Client, 'json'>,
  unit: string,
  token?: string,
): Promise<RunVariables> {
  try {
    return check(valuesAnswer, await client.json('GET', unitPath(unit, '/variables/values'), { token }))
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND', 'NAME_GIVEN_UP')) return { print: null, items: [] }
    throw error
  }
}
