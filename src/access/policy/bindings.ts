import { z } from 'zod'
import { openObject } from '../../bucket/index.ts'
import { composedRole } from '../terraform-cloud/composed-roles.ts'
import { BUILT_IN_ROLES, isBuiltInRole } from './built-in-roles.ts'
import type { Grant, Role } from './rules.ts'

/** Gives a role to somebody, as stored. */
export const Binding = openObject({
  role: z.string().min(1),
  /** By id, never by a name that could change: `user:user-…`, `team:team-…`, `group:<provider>/<group>`. */
  to: z.string().min(1),
  /** Narrows the role to these units. Without: as far as the role goes. */
  units: z.array(z.string()).min(1).readonly().optional(),
  /** Narrows the role to the units of this project, whichever they are, and to the project itself. */
  project: z.string().min(1).optional(),
})
export type Binding = Readonly<z.infer<typeof Binding>>

/** What counts as one person: themself, their teams, their groups. */
export interface Subject {
  /** As in bindings. */
  readonly to: string
  /** As in decisions: `direct`, `team:ops`. */
  readonly through: string
}

const FIELDS: ReadonlySet<string> = new Set(['role', 'to', 'units', 'project'])

/**
 * What bindings give to a person. A binding with a role or a condition that is unknown here denies everything it is
 * about: the unknown could have been a deny.
 */
export function grantsOf(
  policy: { readonly roles: readonly Role[]; readonly bindings: readonly Binding[] },
  subjects: readonly Subject[],
): readonly Grant[] {
  const throughs = new Map<string, string>()
  for (const { to, through } of subjects) if (!throughs.has(to)) throughs.set(to, through)
  const roles = new Map(policy.roles.map((role) => [role.name, role]))
  return policy.bindings.flatMap((binding): readonly Grant[] => {
    const through = throughs.get(binding.to)
    if (through === undefined) return []
    const isUnclear = Object.keys(binding).some((field) => !FIELDS.has(field))
    const role = isUnclear ? undefined : findRole(roles, binding.role)
    return [
      { role: role ?? unknownRole(binding.role), units: binding.units, project: binding.project, through },
    ]
  })
}

/** A role of the organization comes first: it keeps its meaning if a newer server has a built-in one of that name. */
export function findRole(roles: ReadonlyMap<string, Role>, name: string): Role | undefined {
  return roles.get(name) ?? (isBuiltInRole(name) ? BUILT_IN_ROLES[name] : composedRole(name))
}

/** What a role that is not known here might have denied, it denies. */
export function unknownRole(name: string): Role {
  return { name, description: UNKNOWN, rules: [{ effect: 'deny', actions: ['*'] }] }
}

/** Marks a role that stands for one that this server does not know. */
export const UNKNOWN = 'unknown to this server, so it denies everything'
