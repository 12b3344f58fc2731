import { badRequest } from '../../base/errors.ts'
import { didYouMean, nearest, sayNames } from '../../base/text/nearest.ts'
import { actionFault } from './action-patterns.ts'
import { findRole } from './bindings.ts'
import type { Binding } from './bindings.ts'
import { BUILT_IN_ROLES, isBuiltInRole } from './built-in-roles.ts'
import type { Role } from './rules.ts'
import { patternFault } from './unit-patterns.ts'

const ROLE_NAME = /^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$/
const MOST_RULES = 500

/** Refuses a role that a person wants to store: what is unknown is most likely a typing mistake. */
export function checkRole(role: Role): void {
  if (!ROLE_NAME.test(role.name))
    throw badRequest(
      'name',
      `"${role.name}" is not a valid role name.`,
      'Use 1 to 40 of a-z, 0-9, "-" and "_".',
    )
  if (isBuiltInRole(role.name))
    throw badRequest('name', `${role.name} is a built-in role.`, 'Choose another name.')
  if (role.rules.length > MOST_RULES)
    throw badRequest(
      'rules',
      `The role has ${role.rules.length} rules.`,
      `Use at most ${MOST_RULES}. Rules can list several actions and patterns.`,
    )
  for (const [i, { actions, units, labels }] of role.rules.entries()) {
    checkActions(`rules.${i}.actions`, actions)
    checkPatterns(`rules.${i}.units`, units)
    if (labels !== undefined && Object.keys(labels).length === 0)
      throw badRequest(
        `rules.${i}.labels`,
        'The rule names no label.',
        'Name at least one, as in env=prod, or leave labels out.',
      )
  }
}

/** Refuses a binding that a person wants to store. */
export function checkBinding(binding: Binding, roles: readonly Role[]): void {
  const known = new Map(roles.map((role) => [role.name, role]))
  if (findRole(known, binding.role) === undefined) {
    const names = [...Object.keys(BUILT_IN_ROLES), ...known.keys()]
    throw badRequest(
      'role',
      `There is no role ${binding.role}.`,
      didYouMean(nearest(binding.role, names), `Roles are ${sayNames(names.slice(0, 20))}.`),
    )
  }
  checkPatterns('units', binding.units)
}

export function checkActions(field: string, patterns: readonly string[] | undefined): void {
  for (const [i, pattern] of (patterns ?? []).entries()) refuse(`${field}.${i}`, actionFault(pattern))
}

export function checkPatterns(field: string, patterns: readonly string[] | undefined): void {
  for (const [i, pattern] of (patterns ?? []).entries()) refuse(`${field}.${i}`, patternFault(pattern))
}

function refuse(field: string, fault: { readonly message: string; readonly hint: string } | undefined) {
  if (fault !== undefined) throw badRequest(field, fault.message, fault.hint)
}

/**
 * The labels that rules go by. Changing one of them changes who may do what, so it takes `unit:admin` and not just
 * `unit:update`.
 */
export function labelsInRules(roles: readonly Role[]): ReadonlySet<string> {
  return new Set(roles.flatMap(({ rules }) => rules.flatMap(({ labels }) => Object.keys(labels ?? {}))))
}
