import { z } from 'zod'
import { SealedText } from '../access/index.ts'
import { badRequest } from '../base/errors.ts'
import { WHOLE_IDENTIFIER } from '../base/text/hcl-identifier.ts'
import { openWord } from '../bucket/index.ts'
import type { RecordKind, RecordOf } from '../records/index.ts'

/** `terraform`: a variable of the code. `env`: a variable of the engine's environment. */
export const Category = z.enum(['terraform', 'env'])
export type Category = z.infer<typeof Category>

const shape = {
  key: z.string(),
  category: openWord(Category),
  /** Absent if it is sensitive. */
  value: z.string().optional(),
  /** The value of a sensitive variable. No service gives it away except to the runs of its units. */
  sealed: SealedText.optional(),
  sensitive: z.boolean(),
  /** The value is an expression, not a text. */
  hcl: z.boolean(),
  description: z.string(),
  /** Another one with every change. */
  versionId: z.string(),
}

/** A variable of a unit or of a variable set. Those of one owner are in one document. */
export const variableKind = {
  name: 'variable',
  folder: 'variables',
  word: 'variable',
  prefix: 'var',
  shape,
  most: 500,
} as const satisfies RecordKind<typeof shape>
export type StoredVariable = RecordOf<typeof shape>

/** A variable as everyone sees it who may read it. */
export interface VariableView {
  readonly id: string
  readonly key: string
  readonly category: string
  /** Null: it is sensitive. */
  readonly value: string | null
  readonly sensitive: boolean
  readonly hcl: boolean
  readonly description: string
  readonly versionId: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly createdBy: string
}

export function viewVariable({ sealed: _, value, ...rest }: StoredVariable): VariableView {
  const { id, key, category, sensitive, hcl, description, versionId, createdAt, updatedAt, createdBy } = rest
  return {
    id,
    key,
    category,
    value: sensitive ? null : (value ?? ''),
    sensitive,
    hcl,
    description,
    versionId,
    createdAt,
    updatedAt,
    createdBy,
  }
}

/** What is left out stays as it is, or is the default of a new one. */
export interface VariableChange {
  readonly key?: string | undefined
  readonly category?: Category | undefined
  readonly value?: string | undefined
  readonly sensitive?: boolean | undefined
  readonly hcl?: boolean | undefined
  readonly description?: string | undefined
}

export interface VariableInput extends VariableChange {
  readonly key: string
  readonly category: Category
}

const MAX_KEY = 255
export const MAX_VALUE_BYTES = 256 * 1024
const MAX_DESCRIPTION = 512
/** The document with all variables of an owner is read and written as a whole. */
export const MAX_BYTES = 4 * 2 ** 20

/** Refuses what no engine could use. Pure. */
export function checkVariable({ key, category, value, hcl, description }: VariableInput): void {
  if (key === '') throw badRequest('key', 'A variable needs a key.')
  if (key.length > MAX_KEY) throw badRequest('key', `A key has at most ${MAX_KEY} characters.`)
  if (category === 'terraform' && !WHOLE_IDENTIFIER.test(key))
    throw badRequest(
      'key',
      'The key is not a name of a variable.',
      'Use letters, digits, "_" and "-", and begin with a letter.',
    )
  if (category === 'env' && !/^[A-Za-z_][\w.-]*$/.test(key))
    throw badRequest(
      'key',
      'The key is not a name of an environment variable.',
      'Use letters, digits, "_", "-" and ".", and begin with a letter or "_".',
    )
  if (category === 'env' && hcl === true)
    throw badRequest('hcl', 'A variable of the environment is a text, not an expression.')
  if (value?.includes('\u0000') === true) throw badRequest('value', 'The value contains a NUL character.')
  if (value !== undefined && Buffer.byteLength(value) > MAX_VALUE_BYTES)
    throw badRequest('value', `A value has at most ${MAX_VALUE_BYTES / 1024} KiB.`)
  if (description !== undefined && description.length > MAX_DESCRIPTION)
    throw badRequest('description', `A description has at most ${MAX_DESCRIPTION} characters.`)
}
