import type { Clock } from '../base/clock.ts'
import { badRequest, isTacoError } from '../base/errors.ts'
import { forEachLimit } from '../base/for-each-limit.ts'
import { type Access, type AccessDeps, isAdministrator, isGuarded, locatedUnit } from './access.ts'
import { ACTIONS, type Action } from './actions.ts'
import { isGuardedAction } from './authorize.ts'
import type { Caller } from './caller.ts'
import type { OrgPolicy } from './organization/document.ts'
import type { OrgAccess } from './organization/org-access.ts'
import { type People, principalOf } from './people/people.ts'
import { actionFault } from './policy/action-patterns.ts'
import { grantsOf } from './policy/bindings.ts'
import type { CheckedExpectation, Directory } from './policy/expectations.ts'
import { type Explanation, explain } from './policy/explain.ts'
import { UNIT_ACTIONS } from './policy/on-unit.ts'
import type { Grant, UnitFacts } from './policy/rules.ts'
import { type Principal, type UserPrincipal, stranger } from './principal.ts'
import type { ServerSettings } from './settings/server-settings.ts'
import { EVERYONE, grantsIn } from './subjects.ts'

export interface AccessQuestion {
  /** `alice` or `user:alice`, `team:ops`, `group:okta/platform`, `everyone`. */
  readonly who: string
  readonly action: string
  /** A name or an id. Undefined: the organization. */
  readonly unit?: string | undefined
}

/** Answers who may do what, without doing it. Units that the caller may not see count as units that do not exist. */
export interface AccessQuestions {
  explain(org: string, question: AccessQuestion, caller: Caller): Promise<Explanation>
  /** The same for everything that can be done with one unit. */
  explainUnit(
    org: string,
    question: { readonly who: string; readonly unit: string },
    caller: Caller,
  ): Promise<readonly (Explanation & { readonly action: Action })[]>
  /** Checks a file of expectations, in YAML or JSON. `path` names it in messages. */
  test(
    org: string,
    file: { readonly text: string; readonly path: string },
    caller: Caller,
  ): Promise<readonly CheckedExpectation[]>
}

export interface QuestionDeps extends Pick<AccessDeps, 'findUnit' | 'projectOf'> {
  readonly clock: Clock
  readonly access: Pick<Access, 'sight'>
  readonly orgs: Pick<OrgAccess, 'get'>
  /** Undefined: people cannot sign in here, so only teams and groups are known. */
  readonly signIn?:
    | { readonly people: Pick<People, 'get'>; readonly settings: Pick<ServerSettings, 'fresh'> }
    | undefined
}

/** Somebody whom a question is about. */
interface Asked {
  readonly grants: readonly Grant[]
  readonly principal: Principal
}

export function createAccessQuestions({
  clock,
  access,
  orgs,
  signIn,
  findUnit,
  projectOf,
}: QuestionDeps): AccessQuestions {
  async function find(policy: OrgPolicy, who: string, caller: Caller): Promise<Asked | undefined> {
    const [, kind = 'user', name = ''] = /^(?:(user|team|group):)?(.*)$/s.exec(who) ?? []
    if (kind === 'group' || who === EVERYONE) return anyoneIn(policy, kind === 'group' ? [name] : [])
    if (kind === 'team') return teamNamed(policy, name)
    return personNamed(policy, name, caller)
  }

  async function personNamed(policy: OrgPolicy, name: string, caller: Caller): Promise<Asked | undefined> {
    try {
      const person = await signIn?.people.get(name, caller)
      if (person === undefined || signIn === undefined) return undefined
      const principal = principalOf(person, VIA)
      if (principal === undefined) return { grants: [], principal: stranger }
      const isAdmin = isAdministrator(principal, await signIn.settings.fresh())
      return { grants: grantsIn(policy, principal, isAdmin), principal }
    } catch (error) {
      if (isTacoError(error, 'NOT_FOUND')) return undefined
      throw error
    }
  }

  /** Reads everything that is asked about, so that the answers themselves are pure. */
  async function directoryFor(
    org: string,
    asked: readonly AccessQuestion[],
    caller: Caller,
  ): Promise<Directory> {
    const policy = await orgs.get(org, caller)
    const sight = await access.sight(caller.principal, org)
    const people = new Map<string, Asked | undefined>(asked.map(({ who }) => [who, undefined]))
    const units = new Map<string, UnitFacts | undefined>()
    for (const { unit } of asked) if (unit !== undefined) units.set(unit, undefined)
    await forEachLimit(
      [...people.keys()],
      8,
      async (who) => void people.set(who, await find(policy, who, caller)),
    )
    await forEachLimit([...units.keys()], 8, async (name) => {
      const facts = locatedUnit(await findUnit(org, name), projectOf)
      if (facts !== undefined && (sight === undefined || sight.may('unit:read', facts)))
        units.set(name, facts)
    })
    const now = clock.now()
    return {
      grantsOf: (who) => people.get(who)?.grants,
      unitOf: (name) => units.get(name),
      isGuarded: (who, action, unit) =>
        isGuardedAction(action) && isGuarded(policy, unit, people.get(who)?.principal ?? stranger, now),
    }
  }

  async function explainAll(
    org: string,
    { who, unit: name, actions }: Omit<AccessQuestion, 'action'> & { readonly actions: readonly Action[] },
    caller: Caller,
  ) {
    const directory = await directoryFor(org, [{ who, unit: name, action: '' }], caller)
    const grants = directory.grantsOf(who)
    if (grants === undefined)
      throw badRequest(
        'who',
        `There is no ${who} in the organization ${org}.`,
        'Give a login name, team:<name>, group:<provider>/<group> or everyone.',
      )
    const unit = name === undefined ? undefined : (directory.unitOf(name) ?? { id: null, name, labels: {} })
    return actions.map((action) => {
      const isGuardedHere = unit !== undefined && directory.isGuarded(who, action, unit)
      return { action, ...explain(grants, { who, action, unit, isGuarded: isGuardedHere }) }
    })
  }

  return {
    async explain(org, { who, unit, action }, caller) {
      const [found] = await explainAll(org, { who, unit, actions: [parseAction(action)] }, caller)
      if (found === undefined) throw new Error('one question has one answer')
      const { action: _, ...explanation } = found
      return explanation
    },
    explainUnit: (org, question, caller) => explainAll(org, { ...question, actions: UNIT_ACTIONS }, caller),
    async test(org, { text, path }, caller) {
      // With the YAML parser, which nothing else of this layer needs.
      const { checkExpectations, readExpectations } = await import('./policy/expectations.ts')
      const expectations = readExpectations(text, path)
      return checkExpectations(expectations, await directoryFor(org, expectations, caller))
    },
  }
}

/** Only asked about: this principal never calls. */
const VIA: UserPrincipal['via'] = { kind: 'session', id: 'question' }

function teamNamed(policy: OrgPolicy, name: string): Asked | undefined {
  const team = policy.teams.find((one) => one.name === name || one.id === name)
  if (team === undefined) return undefined
  const principal = { kind: 'team', id: team.id, name: team.name, org: policy.org, via: VIA } as const
  return { grants: grantsIn(policy, principal, false), principal }
}

/** What every person in these groups has at least. */
function anyoneIn(policy: OrgPolicy, groups: readonly string[]): Asked {
  const teams = policy.teams.filter((team) => team.groups.some((group) => groups.includes(group)))
  const subjects = [
    ...groups.map((group) => ({ to: `group:${group}`, through: `group:${group}` })),
    ...teams.map(({ id, name }) => ({ to: `team:${id}`, through: `team:${name}` })),
    { to: EVERYONE, through: EVERYONE },
  ]
  return { grants: grantsOf(policy, subjects), principal: stranger }
}

function parseAction(text: string): Action {
  const found = ACTIONS.find((action) => action === text)
  if (found !== undefined) return found
  const fault = actionFault(text)
  throw fault === undefined
    ? badRequest('action', `${text} is several actions.`, 'Name one of them, such as state:read.')
    : badRequest('action', fault.message, fault.hint)
}
