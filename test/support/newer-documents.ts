import type { z } from 'zod'

/**
 * Documents as a newer server might write them, made from the schemas of this one: every field is there, every object
 * has one field more, and every word that is not part of a union is one that nobody knows here.
 */

export const ADDED = 'addedByNewer'
const addition = { note: 'from a newer version', list: [1, { deep: true }] }

type Schema = z.core.$ZodType

function defOf(schema: Schema) {
  return (schema as unknown as { def: z.core.$ZodTypes['_zod']['def'] }).def
}

/** `variant` picks among the members of unions. */
export function newerSample(schema: Schema, variant = 0): unknown {
  const def = defOf(schema)
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]) => [name, newerSample(field, variant)])
      return { ...(Object.fromEntries(fields) as object), [ADDED]: addition }
    }
    case 'array':
      return [newerSample(def.element, variant)]
    case 'tuple':
      return [
        ...def.items.map((item) => newerSample(item, variant)),
        ...(def.rest === null ? [] : [addition]),
      ]
    case 'record':
      return { key: newerSample(def.valueType, variant) }
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return newerSample(def.innerType, variant)
    case 'union':
      return newerSample(memberOf(def.options, variant), variant)
    case 'pipe':
      return newerSample(def.in, variant)
    case 'literal':
      return def.values[0]
    case 'enum':
    case 'string':
      return 'newer-word'
    case 'number':
      return 7
    case 'boolean':
      return true
    case 'unknown':
      return addition
    default:
      throw new Error(`a document has a field of type ${def.type}: teach newer-documents.ts to make one`)
  }
}

/** Members that are read from an older form are not what anybody writes. */
function memberOf(options: readonly Schema[], variant: number): Schema {
  const written = options.filter((option) => defOf(option).type !== 'pipe')
  return written[variant % written.length] as Schema
}

/** Where an object has the additional field: `head.version`, `steps.0.claim`. */
export function additionsIn(json: unknown, path = ''): string[] {
  if (typeof json !== 'object' || json === null) return []
  const own = ADDED in json ? [path] : []
  return Object.entries(json).reduce(
    (all, [name, inner]) =>
      name === ADDED ? all : [...all, ...additionsIn(inner, path === '' ? name : `${path}.${name}`)],
    own,
  )
}
