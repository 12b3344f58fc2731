import { z } from 'zod'
import { badRequest } from '../base/errors.ts'
import { openObject } from '../bucket/index.ts'
import type { RecordKind, RecordOf } from '../records/index.ts'

const shape = {
  name: z.string(),
  description: z.string(),
  /** For every unit of its owner: of the organization, or of the project. */
  global: z.boolean(),
  /** Stronger than everything else, variables of units included. */
  priority: z.boolean(),
  /** The project that owns it. Absent: the organization does. */
  parent: openObject({ project: z.string() }).optional(),
  /** Ids. Those of units and projects that were deleted stay here, so that a restored one has its variables again. */
  units: z.array(z.string()),
  projects: z.array(z.string()),
}

/** Variables for several units. The variables themselves are in a document of their own, as those of units are. */
export const variableSetKind = {
  name: 'variable set',
  folder: 'variable-sets',
  word: 'variable-set',
  prefix: 'varset',
  shape,
  most: 500,
  unique: { field: 'name', of: ({ name }: { readonly name: string }) => name },
  says: ({ name, global, priority }: { name: string; global: boolean; priority: boolean }) => ({
    name,
    global,
    priority,
  }),
} as const satisfies RecordKind<typeof shape>
export type VariableSet = RecordOf<typeof shape>

/** Which units a set is for, as seen from one of them: the closest counts. */
export type Scope = 'unit' | 'project' | 'global'

/** Undefined: the set is not for that unit. Pure. */
export function scopeFor(
  { global, parent, units, projects }: Pick<VariableSet, 'global' | 'parent' | 'units' | 'projects'>,
  unit: { readonly id: string; readonly project?: string | undefined },
): Scope | undefined {
  const isOfOwner = parent === undefined || parent.project === unit.project
  if (!isOfOwner) return undefined
  if (units.includes(unit.id)) return 'unit'
  if (unit.project !== undefined && projects.includes(unit.project)) return 'project'
  if (!global) return undefined
  return parent === undefined ? 'global' : 'project'
}

const MAX_NAME = 90
const MAX_DESCRIPTION = 512
const MAX_ATTACHED = 10_000

/** Pure. */
export function checkSet({ name, description, units, projects }: Partial<VariableSet>): void {
  if (name !== undefined && (name.trim() === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name)))
    throw badRequest('name', `A variable set needs a name of at most ${MAX_NAME} characters.`)
  if (description !== undefined && description.length > MAX_DESCRIPTION)
    throw badRequest('description', `A description has at most ${MAX_DESCRIPTION} characters.`)
  for (const attached of [units, projects])
    if (attached !== undefined && attached.length > MAX_ATTACHED)
      throw badRequest('units', `A variable set is attached to at most ${MAX_ATTACHED} units or projects.`)
}
