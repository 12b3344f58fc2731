import type { Action } from '../actions.ts'
import type { Reason } from './evaluate.ts'
import type { Role, Rule } from './rules.ts'

/** What each action is, to be read after "may". */
export const ACTION_WORDS: Readonly<Record<Action, string>> = {
  'server:health': 'ask whether the server is healthy',
  'server:metrics': 'read the metrics of the server',
  'server:read': 'read about the server',
  'server:admin': 'administer the server',
  'provider:manage': 'change sign-in providers',
  'account:manage': 'use their own account',
  'org:read': 'see the organization',
  'org:create': 'create organizations',
  'org:admin': 'change settings of the organization, adopt, clean up and repair',
  'org:delete': 'delete and restore the organization',
  'access:read': 'see members, teams, roles and bindings',
  'member:manage': 'add and remove members',
  'team:manage': 'change teams',
  'role:manage': 'change roles and who has them',
  'token:manage': 'change tokens of teams, agents, workloads and the organization',
  'audit:read': 'read the audit log',
  'unit:read': 'see units',
  'unit:create': 'create units',
  'unit:update': 'change descriptions and labels',
  'unit:rename': 'rename units',
  'unit:delete': 'delete units',
  'unit:restore': 'restore deleted units',
  'unit:admin': 'change what protects a unit',
  'guard:set': 'turn guards on and off',
  'state:read': 'read states',
  'state:write': 'write states',
  'state:delete': 'delete states',
  'state:force': 'write states without checks',
  'state:break-glass': 'write guarded states with a reason',
  'state:rollback': 'roll states back',
  'versions:read': 'list versions of states',
  'versions:read-state': 'read old states and compare them',
  'outputs:read': 'read outputs',
  'outputs:read-sensitive': 'read sensitive outputs',
  'reads:record': 'read on behalf of a unit',
  lock: 'lock units',
  'unlock-others': "break other people's locks",
  'graph:read': 'see dependencies and status',
  'graph:write': 'change dependencies',
  'run:plan': 'plan',
  'run:apply': 'apply',
  'run:approve': 'approve runs',
  'run:token': 'issue run tokens',
  'rollout:read': 'see rollouts',
  'rollout:start': 'start rollouts',
  'rollout:work': 'run steps of rollouts',
  'rollout:control': 'pause, resume and cancel rollouts',
  'vars:read': 'read variables',
  'vars:read-sensitive': 'use the values of sensitive variables',
  'vars:write': 'change variables',
  'events:read': 'read events',
  'registry:read': 'use modules and providers of the registry',
  'registry:publish': 'publish modules and providers',
  'policy:read': 'see policies, run tasks and connections to code hosts',
  'policy:manage': 'change policies, run tasks and connections to code hosts',
  'notification:read': 'see notification settings',
  'notification:manage': 'change notification settings',
}

/** What the actions of each family are about. */
const FAMILY_WORDS: Readonly<Record<string, string>> = {
  org: 'the organization',
  access: 'the list of who may do what',
  member: 'members',
  team: 'teams',
  role: 'roles',
  token: 'tokens',
  audit: 'the audit log',
  unit: 'units',
  guard: 'guards',
  state: 'states',
  versions: 'versions of states',
  outputs: 'outputs',
  reads: 'reads on behalf of units',
  graph: 'dependencies and status',
  run: 'plans, applies and runs',
  rollout: 'rollouts',
  vars: 'variables',
  events: 'events',
  registry: 'the registry',
  policy: 'policies, run tasks and code hosts',
  notification: 'notifications',
}

/** A role in words, one line for each rule: `may read outputs of prod/** with env=prod`. */
export function roleInWords({ rules }: Pick<Role, 'rules'>, units?: readonly string[]): readonly string[] {
  return rules.map((rule) => {
    const isAllow = rule.effect === 'allow'
    const actions = rule.actions.map((one) => actionInWords(one, isAllow ? 'everything' : 'anything'))
    const what = isAllow ? `may ${listed(actions, 'and')}` : `may not ${listed(actions, 'or')}`
    return `${what}${whereInWords(rule, units)}`
  })
}

/** ` on prod/** with env=prod`; empty for a rule about everything. */
export function whereInWords({ units, labels }: Rule, within?: readonly string[], project?: string): string {
  const named = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`)
  const [first, second] = [units, within].filter((patterns) => patterns !== undefined)
  return [
    first === undefined ? (named.length > 0 ? ' on units' : '') : ` on ${listed(first, 'and')}`,
    second === undefined ? '' : ` within ${listed(second, 'and')}`,
    project === undefined ? '' : ` in the project ${project}`,
    named.length === 0 ? '' : ` with ${listed(named, 'and')}`,
  ].join('')
}

/** `the role freeze, through team:ops,`. */
export function originInWords({ role, through }: Pick<Reason, 'role' | 'through'>): string {
  return `the role ${role}, ${through === 'direct' ? 'given directly' : `through ${through}`},`
}

function actionInWords(pattern: string, all: 'everything' | 'anything'): string {
  if (pattern === '*') return `do ${all}`
  if (Object.hasOwn(ACTION_WORDS, pattern)) return ACTION_WORDS[pattern as Action]
  const family = pattern.replace(/:\*$/, '')
  const isFamily = pattern.endsWith(':*') && Object.hasOwn(FAMILY_WORDS, family)
  return isFamily ? `do ${all} with ${FAMILY_WORDS[family]}` : `do ${pattern}`
}

export function listed(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
