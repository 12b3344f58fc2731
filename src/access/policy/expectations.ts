import { z } from 'zod'
import type { Action } from '../actions.ts'
import type { Faults } from '../../base/yaml/faults.ts'
import { parseYaml, parsed, valuesOf } from '../../base/yaml/read-yaml.ts'
import { POLICY_ACTIONS, actionFault, matchesAction } from './action-patterns.ts'
import { type Explanation, explain } from './explain.ts'
import type { Grant, UnitFacts } from './rules.ts'
import { patternFault } from './unit-patterns.ts'

/** Of questions in one file: a few lists in it multiply, and all of them are answered at once. */
const MOST = 2000

const oneOrMore = z.union([z.string(), z.array(z.string()).min(1)], {
  error: 'This must be text or a list of texts.',
})

const Entry = z.object({
  who: oneOrMore,
  action: oneOrMore,
  unit: oneOrMore.optional(),
  labels: z.record(z.string(), z.string()).optional(),
  expect: z.enum(['allow', 'deny'], { error: 'This must be allow or deny.' }),
})
const File = z.object({ expectations: z.array(z.unknown()).min(1) })

/** One question of the file with the answer that it expects. */
export interface Expectation {
  readonly line: number
  readonly who: string
  readonly action: Action
  /** A name or an id. Undefined: the organization. */
  readonly unit: string | undefined
  /** Judge the unit as if it existed with these labels. */
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly expected: 'allow' | 'deny'
}

export interface CheckedExpectation extends Expectation, Pick<Explanation, 'allowed' | 'lines'> {
  readonly isMet: boolean
}

/**
 * Reads a file of expectations, in YAML or JSON. Lists and families of actions become one expectation each. Throws
 * BAD_REQUEST with every fault of the file, each with line and column.
 */
export function readExpectations(text: string, path: string): readonly Expectation[] {
  const { document, faults, lineOf } = parseYaml(text, { path, page: 'docs/access.md' })
  const file = parsed(File, valuesOf(document, faults) ?? {}, [], Object.keys(File.shape), faults)
  let left = MOST
  const found = (file?.expectations ?? []).flatMap((value, i): readonly Expectation[] => {
    const at = ['expectations', i]
    const entry = parsed(Entry, value, at, Object.keys(Entry.shape), faults)
    if (entry === undefined) return []
    const actions = asList(entry.action).flatMap((one) => actionsOf(one, [...at, 'action'], faults))
    const units = entry.unit === undefined ? [undefined] : asList(entry.unit)
    for (const unit of units) if (unit !== undefined) checkUnit(unit, [...at, 'unit'], faults)
    if (entry.labels !== undefined && entry.unit === undefined)
      faults.add([...at, 'labels'], 'Labels are those of a unit. Name the unit.', 'key')
    left -= asList(entry.who).length * units.length * actions.length
    if (left < 0) {
      faults.add(at, `The file has more than ${MOST} questions. Use several files.`)
      return []
    }
    const rest = { line: lineOf(at), labels: entry.labels, expected: entry.expect }
    return asList(entry.who).flatMap((who) =>
      units.flatMap((unit) => actions.map((action) => ({ ...rest, who, action, unit }))),
    )
  })
  faults.throwIfAny()
  return found
}

/** What expectations are about. Names and ids are resolved by who holds them. */
export interface Directory {
  /** Undefined: unknown. A typing mistake must not pass for somebody who may do nothing. */
  grantsOf(who: string): readonly Grant[] | undefined
  /** Undefined: there is no such unit. */
  unitOf(nameOrId: string): UnitFacts | undefined
  /** Whether only runs may do this. */
  isGuarded(who: string, action: Action, unit: UnitFacts): boolean
}

export function checkExpectations(
  expectations: readonly Expectation[],
  directory: Directory,
): readonly CheckedExpectation[] {
  return expectations.map((expectation) => {
    const { who, action, unit: name, labels, expected } = expectation
    const grants = directory.grantsOf(who)
    if (grants === undefined) {
      const lines = [`unknown: there is no ${who} in the organization`]
      return { ...expectation, allowed: false, lines, isMet: false }
    }
    const unit = name === undefined ? undefined : factsOf(name, labels, directory)
    const { allowed, lines } = explain(grants, {
      who,
      action,
      unit,
      isGuarded: unit !== undefined && directory.isGuarded(who, action, unit),
    })
    return { ...expectation, allowed, lines, isMet: allowed === (expected === 'allow') }
  })
}

function factsOf(name: string, labels: Expectation['labels'], directory: Directory): UnitFacts {
  const found = directory.unitOf(name) ?? { id: null, name, labels: {} }
  // An id that no pattern names: the unit counts as one that exists.
  return labels === undefined ? found : { id: found.id ?? '', name: found.name, labels }
}

function actionsOf(pattern: string, at: readonly PropertyKey[], faults: Faults): readonly Action[] {
  const fault = actionFault(pattern)
  if (fault !== undefined) faults.add(at, `${fault.message} ${fault.hint}`)
  return POLICY_ACTIONS.filter((action) => matchesAction(pattern, action))
}

function checkUnit(unit: string, at: readonly PropertyKey[], faults: Faults): void {
  const fault = patternFault(unit)
  if (unit.includes('*')) faults.add(at, `"${unit}" is a pattern. Name units, such as prod/app.`)
  else if (fault !== undefined) faults.add(at, `${fault.message} ${fault.hint}`)
}

function asList(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}
