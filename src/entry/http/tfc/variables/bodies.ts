import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import { Category, type VariableChange, type VariableInput } from '../../../../variables/index.ts'
import { resource } from '../kit/body.ts'
import { invalidAttribute } from '../kit/errors.ts'

/** Null says nothing. */
const text = z.string().nullish()
const flag = z.boolean().nullish()

const shared = { value: text, description: text, hcl: flag, sensitive: flag }
const created = { key: z.string(), category: Category, ...shared }

export const NewVariableAttributes = z.object(created)
export const newVariable = resource('vars', { attributes: created })
export const changedVariable = resource('vars', {
  attributes: { key: text, category: Category.nullish(), ...shared },
})

type Given = z.infer<typeof NewVariableAttributes>

export function inputOf({ key, category, ...rest }: Given): VariableInput {
  return { ...changeOf(rest), key, category }
}

export function changeOf(
  given: Partial<Given> | z.infer<typeof changedVariable.schema>['attributes'],
): VariableChange {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]))
}

/** Clients show this text to people. */
export async function withUniqueKey<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isTacoError(error, 'ALREADY_EXISTS') && error.facts['field'] === 'key')
      throw invalidAttribute('key', 'Key has already been taken.')
    throw error
  }
}
