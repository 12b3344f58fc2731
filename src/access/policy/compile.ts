import { type Action, SERVER_ACTIONS } from '../actions.ts'
import { POLICY_ACTIONS, matchesAction } from './action-patterns.ts'
import {
  type Grant,
  type Rule,
  type UnitFacts,
  hasLabels,
  isAboutUnits,
  isInProject,
  isUnclear,
} from './rules.ts'
import { pathTest } from './unit-patterns.ts'

type UnitTest = (unit: UnitFacts) => boolean

/** The grants of one person, prepared for many questions. Answers as `evaluate` does. */
export interface CompiledPolicy {
  allows(action: Action, unit: UnitFacts | undefined): boolean
  /** For lists: one action, many units. */
  unitTest(action: Action): UnitTest
  /** False: the answer is the same for every unit, so none has to be looked up. */
  needsUnit(action: Action): boolean
  /** Whether anything at all is allowed in the organization. */
  readonly canSeeAny: boolean
}

/** Each action is prepared when it is asked for first: most callers use few of them. */
export function compile(grants: readonly Grant[]): CompiledPolicy {
  const known = new Map<Action, CompiledAction>()
  let canSeeAny: boolean | undefined

  function compiled(action: Action): CompiledAction {
    let found = known.get(action)
    if (found === undefined) known.set(action, (found = compileAction(grants, action)))
    return found
  }

  return {
    allows(action, unit) {
      const { onOrganization, onUnit } = compiled(action)
      return unit === undefined ? onOrganization : typeof onUnit === 'boolean' ? onUnit : onUnit(unit)
    },
    unitTest(action) {
      const { onUnit } = compiled(action)
      return typeof onUnit === 'boolean' ? () => onUnit : onUnit
    },
    needsUnit: (action) => typeof compiled(action).onUnit !== 'boolean',
    get canSeeAny() {
      return (canSeeAny ??= POLICY_ACTIONS.some((action) => {
        const { onOrganization, onUnit } = compiled(action)
        return onOrganization || onUnit !== false
      }))
    },
  }
}

interface CompiledAction {
  readonly onOrganization: boolean
  /** A value: the same for every unit. */
  readonly onUnit: boolean | UnitTest
}

const DENIED: CompiledAction = { onOrganization: false, onUnit: false }

function compileAction(grants: readonly Grant[], action: Action): CompiledAction {
  if (SERVER_ACTIONS.has(action)) return DENIED
  const allow = createUnion()
  const deny = createUnion()
  for (const grant of grants) {
    for (const rule of grant.role.rules) {
      if (rule.actions.some((pattern) => matchesAction(pattern, action)))
        (rule.effect === 'deny' ? deny : allow).add(rule, grant)
    }
  }
  const [allows, denies] = [allow.test(), deny.test()]
  return {
    onOrganization: allow.isOnOrganization() && !deny.isOnOrganization(),
    onUnit: bothOf(allows, denies),
  }
}

function bothOf(allows: boolean | UnitTest, denies: boolean | UnitTest): boolean | UnitTest {
  if (allows === false || denies === true) return false
  if (denies === false) return allows
  if (allows === true) return (unit) => !denies(unit)
  return (unit) => allows(unit) && !denies(unit)
}

/**
 * Units that at least one of several rules is about. Exact names and `some/path/**`, which most rules have, are looked
 * up in sets, so that their number does not matter; the rest is tried one by one.
 */
function createUnion() {
  let isEverything = false
  let isEveryUnit = false
  const exact = new Set<string>()
  const below = new Set<string>()
  const paths: ((name: string) => boolean)[] = []
  const others: UnitTest[] = []

  function add(rule: Rule, grant: Grant): void {
    if (isUnclear(rule, grant.units)) {
      if (rule.effect === 'deny') isEverything = true
      return
    }
    if (!isAboutUnits(rule, grant)) isEverything = true
    else if (
      rule.labels === undefined &&
      grant.project === undefined &&
      (rule.units === undefined || grant.units === undefined)
    )
      addPatterns(rule.units ?? grant.units ?? [])
    else others.push(testOf(rule, grant))
  }

  function addPatterns(patterns: readonly string[]): void {
    for (const pattern of patterns) {
      const parent = parentOf(pattern)
      if (pattern === '**') isEveryUnit = true
      else if (!pattern.includes('*')) exact.add(pattern)
      else if (parent !== undefined) below.add(parent)
      else paths.push(pathTest(pattern))
    }
  }

  function test(): boolean | UnitTest {
    if (isEverything || isEveryUnit) return true
    if (exact.size + below.size + paths.length + others.length === 0) return false
    return (unit) =>
      exact.has(unit.name) ||
      (unit.id !== null && exact.has(unit.id)) ||
      (below.size > 0 && isBelow(below, unit.name)) ||
      paths.some((isMatch) => isMatch(unit.name)) ||
      others.some((isMatch) => isMatch(unit))
  }

  return { add, addPatterns, test, isOnOrganization: () => isEverything }
}

/** `prod/app` of `prod/app/**`, where only the end is a wildcard. */
function parentOf(pattern: string): string | undefined {
  const parent = pattern.endsWith('/**') ? pattern.slice(0, -3) : '*'
  return parent.includes('*') ? undefined : parent
}

function isBelow(parents: ReadonlySet<string>, name: string): boolean {
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1))
    if (parents.has(name.slice(0, at))) return true
  return false
}

/** Of a rule with labels, one for a project, or one that both the role and the binding narrow: all must fit. */
function testOf({ units, labels, effect }: Rule, grant: Grant): UnitTest {
  const tests: UnitTest[] = []
  for (const patterns of [units, grant.units]) {
    if (patterns === undefined) continue
    const union = createUnion()
    union.addPatterns(patterns)
    const isMatch = union.test()
    if (isMatch === false) return () => false
    if (isMatch !== true) tests.push(isMatch)
  }
  const { project } = grant
  if (project !== undefined) tests.push((unit) => isInProject(project, effect, unit))
  if (labels !== undefined) tests.push((unit) => hasLabels(labels, effect, unit))
  return (unit) => tests.every((isMatch) => isMatch(unit))
}
