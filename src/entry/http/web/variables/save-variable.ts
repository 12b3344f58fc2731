import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import { Category, type Owner, type VariableView } from '../../../../variables/index.ts'
import type { WebServices } from '../services.ts'
import { checkConfirmed } from '../shell/confirm.tsx'
import { type Faults, faultsAt } from '../shell/faults.ts'

const text = z.string().trim().default('')
export const checked = z
  .string()
  .optional()
  .transform((value) => value === 'on')

/** What the form of a variable sends. */
export const variableForm = {
  /** Empty: a new one. */
  id: text,
  /** The versionId that the form was filled with. */
  version: text,
  key: text,
  category: Category,
  value: z.string().default(''),
  sensitive: checked,
  hcl: checked,
  description: text,
}
export type VariableFields = z.output<z.ZodObject<typeof variableForm>>

/** The form of a variable as it is shown. */
export interface VariableShown {
  readonly fields: VariableFields
  readonly faults: Faults
  /** Someone else changed the variable: this is what it is now. Undefined: it was deleted. */
  readonly race?: { readonly now: VariableView | undefined }
}

const NEW: VariableFields = {
  id: '',
  version: '',
  key: '',
  category: 'terraform',
  value: '',
  sensitive: false,
  hcl: false,
  description: '',
}

/** `edited`: the one that is changed. Undefined: a new one. */
export function variableShown(edited: VariableView | undefined): VariableShown {
  if (edited === undefined) return { fields: NEW, faults: {} }
  const { category, value, versionId, ...rest } = edited
  const fields = { ...rest, category: category === 'env' ? 'env' : 'terraform', value: value ?? '' } as const
  return { fields: { ...fields, version: versionId }, faults: {} }
}

const FIELDS = ['key', 'value', 'category', 'description', 'hcl', 'sensitive'] as const

/** Creates or changes a variable. Undefined: it is saved. Otherwise nothing is, and the form is shown again. */
export async function saveVariable(
  { variables }: Pick<WebServices, 'variables'>,
  owner: Owner,
  body: VariableFields,
  caller: Caller,
): Promise<VariableShown | undefined> {
  const { id, version, ...fields } = body
  // Browsers send lines of a text area with CRLF.
  const given = { ...fields, value: fields.value.replaceAll('\r\n', '\n') }
  // What is sensitive is typed again.
  const kept = { ...body, value: body.sensitive ? '' : given.value }
  try {
    if (id === '') {
      await variables.create(owner, given, caller)
      return undefined
    }
    const { sensitive } = await variables.get(owner, id)
    const value = sensitive && given.value === '' ? undefined : given.value
    await variables.update(owner, id, { ...given, value }, caller, version)
    return undefined
  } catch (error) {
    if (isTacoError(error, 'PRECONDITION_FAILED', 'NOT_FOUND')) return raced(variables, owner, kept)
    // The rights were checked before: this server has no key to encrypt with.
    if (isTacoError(error, 'FORBIDDEN')) return { fields: kept, faults: { sensitive: error.message } }
    return { fields: kept, faults: faultsAt(error, FIELDS, 'ALREADY_EXISTS', 'LIMIT_REACHED') }
  }
}

/** What was typed, for what the variable is now: saving again replaces that, or creates it again. */
async function raced(
  variables: Pick<WebServices['variables'], 'list'>,
  owner: Owner,
  fields: VariableFields,
): Promise<VariableShown> {
  const now = (await variables.list(owner)).find(({ id }) => id === fields.id)
  const of = now === undefined ? { id: '', version: '' } : { id: now.id, version: now.versionId }
  return { fields: { ...fields, ...of }, faults: {}, race: { now } }
}

export const removalForm = { id: z.string(), version: text, confirm: text }

/** Undefined: it is gone. Otherwise it is still there, and the form is shown again. */
export async function removeVariable(
  { variables }: Pick<WebServices, 'variables'>,
  owner: Owner,
  { id, version, confirm }: z.output<z.ZodObject<typeof removalForm>>,
  caller: Caller,
): Promise<VariableShown | undefined> {
  const variable = (await variables.list(owner)).find((one) => one.id === id)
  if (variable === undefined) return undefined
  const shown = variableShown(variable)
  try {
    checkConfirmed(confirm, variable.key)
    await variables.remove(owner, id, caller, version)
    return undefined
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND')) return undefined
    if (isTacoError(error, 'PRECONDITION_FAILED')) return raced(variables, owner, shown.fields)
    return { ...shown, faults: faultsAt(error, ['confirm']) }
  }
}

export function statusOf({ faults, race }: VariableShown): 200 | 400 | 409 {
  if (race !== undefined) return 409
  return Object.keys(faults).length === 0 ? 200 : 400
}
