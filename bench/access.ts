import { type EntityJson, preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import type { Action } from '../src/access/actions.ts'
import { compile } from '../src/access/policy/compile.ts'
import { evaluate } from '../src/access/policy/evaluate.ts'
import type { Grant, Rule, UnitFacts } from '../src/access/policy/rules.ts'
import type { Row } from './report.ts'
import type { Site } from './site.ts'

const GROUPS = 50
const RULES_EACH = 10
const LISTED = 10_000
/** Cedar takes milliseconds for each, and Node 20 crashed (in the deoptimizer of V8) after some thousands of its calls. */
const FEW = 300
const ASKED: readonly Action[] = [
  'unit:read',
  'state:read',
  'state:write',
  'outputs:read',
  'lock',
  'run:apply',
]

interface Question {
  readonly action: Action
  readonly unit: UnitFacts
}

/**
 * (n) Deciding one request of a person who is in 50 groups, which have 500 rules: with our evaluator, and with Cedar as
 * the alternative. Both must give the same answers.
 */
export async function* access(site: Site): AsyncGenerator<Row> {
  const grants = Array.from({ length: GROUPS }, (_, i) => grantOf(i))
  const questions = Array.from({ length: site.isQuick ? 2000 : 20_000 }, (_, i) => questionOf(i))
  const policy = compile(grants)
  const ask = cedar(grants)
  for (const { action, unit } of questions.slice(0, FEW)) {
    const { allowed } = evaluate(grants, action, unit)
    if (ask({ action, unit }) !== allowed || policy.allows(action, unit) !== allowed)
      throw new Error(`${action} on ${unit.name} is not always ${allowed}`)
  }

  const contenders: Readonly<Record<string, (question: Question) => boolean>> = {
    'compiled once per person': ({ action, unit }) => policy.allows(action, unit),
    'compiled for each request': ({ action, unit }) => compile(grants).allows(action, unit),
    'with the reasons': ({ action, unit }) => evaluate(grants, action, unit).allowed,
    'Cedar, policies parsed before': ask,
  }
  for (const [name, decide] of Object.entries(contenders)) {
    const times = timesOf(decide, name.startsWith('Cedar') ? questions.slice(0, FEW) : questions)
    const goal = name === 'compiled once per person' ? { goal: { atMost: 0.2 } } : {}
    const [half, most] = [at(times, 0.5), at(times, 0.99)]
    yield {
      part: 'n',
      name: `decision, 500 rules, 50 groups, p99: ${name}`,
      value: most,
      unit: 'ms',
      ...goal,
      note: `median ${(half * 1000).toFixed(1)} µs`,
    }
  }

  const units = Array.from({ length: LISTED }, (_, i) => questionOf(i).unit)
  const lists = Array.from({ length: 21 }, () => {
    const started = performance.now()
    const isSeen = compile(grants).unitTest('unit:read')
    units.filter((unit) => isSeen(unit))
    return performance.now() - started
  })
  yield {
    part: 'n',
    name: `which of ${LISTED} units a person may see (median)`,
    value: at(sorted(lists), 0.5),
    unit: 'ms',
  }
  yield* shareOfRequest(
    site,
    at(
      timesOf((question) => policy.allows(question.action, question.unit), questions),
      0.5,
    ),
  )
}

/** What a decision costs of a whole request. */
async function* shareOfRequest(site: Site, decisionMs: number): AsyncGenerator<Row> {
  const server = await site.server(await site.newStore('file'))
  const paths = Array.from({ length: 64 }, (_, i) => `/v1/backend/default/access/unit-${i}`)
  const load = { port: server.port, connections: 16, paths }
  await site.load.ask('fill', { ...load, bytes: 50_000, ms: 0 })
  await site.load.ask('get', { ...load, ms: 500 })
  const { count, ms } = await site.load.ask('get', { ...load, ms: site.isQuick ? 1000 : 4000 })
  await site.load.ask('disconnect', { port: server.port })
  await server.stop()
  yield {
    part: 'n',
    name: 'decision, of the time of a GET of 50 kB, file',
    value: (100 * decisionMs * count) / ms,
    unit: '%',
    goal: { atMost: 10 },
    note: `${((1000 * count) / ms).toFixed(0)} GET/s`,
  }
}

function grantOf(group: number): Grant {
  const rules = Array.from({ length: RULES_EACH }, (_, i) => ruleOf(group, i))
  return { role: { name: `role-${group}`, rules }, through: `group:okta/g${group}` }
}

function ruleOf(group: number, i: number): Rule {
  const actions = [ASKED[(group + i) % ASKED.length] ?? 'lock', ASKED[(group * i) % ASKED.length] ?? 'lock']
  if (i === 9) return { effect: 'deny', actions, units: [`team-${group}/unit-${group}`] }
  if (i === 8) return { effect: 'allow', actions, units: [`*/unit-${group * 7}`] }
  if (i === 7) return { effect: 'allow', actions, labels: { env: `env-${group}`, tier: 'web' } }
  if (i === 6) return { effect: 'allow', actions, units: [`team-${group}/**`] }
  return { effect: 'allow', actions, units: [`team-${group}/unit-${i}`, `team-${i}/unit-${group}`] }
}

function questionOf(i: number): Question {
  const [team, unit] = [(i * 7) % 80, (i * 13) % 400]
  return {
    action: ASKED[i % ASKED.length] ?? 'lock',
    unit: {
      id: `ws-${i}`,
      name: `team-${team}/unit-${unit}`,
      labels: { env: `env-${i % 60}`, tier: i % 3 === 0 ? 'web' : 'db' },
    },
  }
}

/** The same rules as Cedar policies. Its `like` crosses "/", which makes no difference to names of two parts. */
function cedar(grants: readonly Grant[]): (question: Question) => boolean {
  const text = grants.flatMap(({ role, through }) =>
    role.rules.map(({ effect, actions, units, labels }) => {
      const named = units?.map((one) =>
        one.includes('*') ? `resource.name like "${one.replace('**', '*')}"` : `resource.name == "${one}"`,
      )
      const labelled = Object.entries(labels ?? {}).map(
        ([name, value]) => `resource.labels has ${name} && resource.labels.${name} == "${value}"`,
      )
      const when = named === undefined ? labelled.join(' && ') : named.join(' || ')
      const listed = actions.map((action) => `Action::"${action}"`).join(', ')
      const kind = effect === 'allow' ? 'permit' : 'forbid'
      return `${kind}(principal in Group::"${through}", action in [${listed}], resource) when { ${when} };`
    }),
  )
  const parsed = preparsePolicySet('bench', { staticPolicies: text.join('\n') })
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors))
  const principal = { type: 'User', id: 'alice' }
  const alice: EntityJson = {
    uid: principal,
    attrs: {},
    parents: grants.map(({ through }) => ({ type: 'Group', id: through })),
  }
  return ({ action, unit }) => {
    const resource = { type: 'Unit', id: unit.name }
    const answer = statefulIsAuthorized({
      principal,
      action: { type: 'Action', id: action },
      resource,
      context: {},
      preparsedPolicySetId: 'bench',
      entities: [alice, { uid: resource, attrs: { name: unit.name, labels: unit.labels }, parents: [] }],
    })
    if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors))
    return answer.response.decision === 'allow'
  }
}

/** Sorted. */
function timesOf(decide: (question: Question) => boolean, questions: readonly Question[]): readonly number[] {
  for (const question of questions.slice(0, 100)) decide(question)
  const times: number[] = []
  for (const question of questions) {
    const started = performance.now()
    decide(question)
    times.push(performance.now() - started)
  }
  return sorted(times)
}

function sorted(values: readonly number[]): readonly number[] {
  return values.toSorted((a, b) => a - b)
}

function at(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
}
