import { z } from 'zod'
import { isoTime } from '../../../../base/clock.ts'
import { Category, type Source, type VariableView } from '../../../../variables/index.ts'

export const Variable = z
  .object({
    id: z.string(),
    key: z.string(),
    category: z.string().meta({
      example: 'terraform',
      description: 'terraform: a variable of the code. env: one of the engine’s environment.',
    }),
    value: z.string().nullable().meta({ description: 'Null if it is sensitive.' }),
    sensitive: z.boolean(),
    hcl: z.boolean().meta({ description: 'The value is an expression, not a text.' }),
    description: z.string(),
    versionId: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    createdBy: z.string(),
  })
  .meta({ id: 'Variable' })

export function viewOf({ createdAt, updatedAt, ...rest }: VariableView): z.input<typeof Variable> {
  return { ...rest, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) }
}

export const Variables = z.object({ items: z.array(Variable) })

const Name = { key: z.string(), category: Category.default('terraform') }

/** What is left out stays as it is. */
export const VariableChanges = z.strictObject({
  set: z
    .array(
      z.strictObject({
        ...Name,
        value: z.string().optional(),
        sensitive: z.boolean().optional(),
        hcl: z.boolean().optional(),
        description: z.string().optional(),
      }),
    )
    .max(500)
    .optional()
    .meta({ description: 'Created, or changed if there is one. What is left out stays as it is.' }),
  remove: z.array(z.strictObject(Name)).max(500).optional(),
})

/** Where a variable comes from. */
export const SourceView = z.object({
  kind: z.enum(['unit', 'set']),
  set: z
    .object({ id: z.string(), name: z.string(), scope: z.string(), priority: z.boolean() })
    .nullable()
    .meta({ description: 'scope: unit, project or global.' }),
})

export function viewSource(source: Source): z.input<typeof SourceView> {
  if (source.kind === 'unit') return { kind: 'unit', set: null }
  const { id, name, scope, priority } = source
  return { kind: 'set', set: { id, name, scope, priority } }
}
