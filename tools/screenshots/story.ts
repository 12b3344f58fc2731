import { organize, setVariables } from './organization.ts'
import type { Actor, StoryServer } from './server.ts'

/**
 * A month in the life of a made-up shop: what the pictures of the documentation show. Everything happens through the
 * API, as engines, people and workers would do it.
 */

const DAY = 86_400_000
const MINUTE = 60_000
const ORG = 'acme'

/** What is in each folder, and what of other folders it uses. Those before come first. */
const FOLDERS: readonly { path: string; units: string; uses: readonly string[] }[] = [
  { path: 'prod/network/eu-west-1', units: 'vpc subnets nat peering flow-logs endpoints', uses: [] },
  { path: 'prod/network/us-east-1', units: 'vpc subnets nat peering flow-logs', uses: [] },
  { path: 'prod/iam', units: 'roles policies oidc break-glass', uses: [] },
  {
    path: 'prod/data/postgres',
    units: 'orders users invoices catalog sessions ledger audit reports',
    uses: ['prod/network/eu-west-1/subnets', 'prod/iam/roles'],
  },
  {
    path: 'prod/data/kafka',
    units: 'cluster topics connect registry mirror',
    uses: ['prod/network/eu-west-1/subnets', 'prod/iam/roles'],
  },
  {
    path: 'prod/platform',
    units: 'cluster nodes ingress certs metrics logs',
    uses: ['prod/network/eu-west-1/vpc'],
  },
  {
    path: 'prod/apps/shop',
    units: 'web api worker cron cart checkout search media mail images',
    uses: ['prod/data/postgres/orders', 'prod/platform/cluster'],
  },
  {
    path: 'prod/apps/billing',
    units: 'api worker invoices export tax reminders ledger',
    uses: ['prod/data/postgres/invoices', 'prod/platform/cluster'],
  },
  {
    path: 'prod/apps/search',
    units: 'indexer api suggest ranking cache',
    uses: ['prod/data/kafka/topics', 'prod/platform/cluster'],
  },
  { path: 'prod/edge/dns', units: 'zones records health failover', uses: ['prod/platform/ingress'] },
  { path: 'prod/edge/cdn', units: 'assets images pages waf', uses: ['prod/apps/shop/web'] },
  { path: 'staging/network', units: 'vpc subnets nat', uses: [] },
  { path: 'staging/data', units: 'postgres kafka', uses: ['staging/network/subnets'] },
  {
    path: 'staging/apps',
    units: 'web api worker cart checkout search billing mail',
    uses: ['staging/data/postgres'],
  },
  { path: 'dev', units: 'network postgres web api worker search playground load-test', uses: [] },
]

const NEVER_APPLIED = new Set([
  'prod/edge/cdn/waf',
  'prod/apps/shop/images',
  'dev/load-test',
  'staging/apps/mail',
])
/** Applied by hand from somewhere that did not say what it read. */
const READS_UNKNOWN = new Set(['prod/apps/billing/tax', 'dev/playground', 'staging/apps/search'])

const flat = (unit: string) => unit.replaceAll('/', '--')
const at = (unit: string, rest = '') =>
  `/v1/units/${flat(unit)}${rest}${rest.includes('?') ? '&' : '?'}org=${ORG}`

interface Unit {
  readonly name: string
  readonly uses: readonly string[]
}

/** Not each unit of a folder uses everything that the others use. */
function allUnits(): readonly Unit[] {
  const random = dice()
  return FOLDERS.flatMap(({ path, units, uses }) =>
    units.split(' ').map((word, at) => ({
      name: `${path}/${word}`,
      uses: uses.filter(() => random(10) < 6 || at === 0),
    })),
  )
}

/** Steady from one run to the next, so that pictures change only where the pages do. */
function dice(seed = 7) {
  let last = seed
  return (below: number) => (last = (last * 48_271) % 2_147_483_647) % below
}

const TYPES = ['aws_db_instance', 'aws_subnet', 'aws_security_group', 'aws_iam_role', 'aws_s3_bucket']

function outputsOf(unit: string, revision: number): Readonly<Record<string, unknown>> {
  const [word = ''] = unit.split('/').slice(-1)
  if (word === 'subnets') {
    const ids = ['subnet-0a1f', 'subnet-0b27', ...(revision > 1 ? ['subnet-0c93'] : [])]
    return { subnet_ids: ids, vpc_id: 'vpc-0d41' }
  }
  if (unit.includes('/postgres'))
    return { url: `postgres://${word}.acme.internal:5432/${word}`, port: 5432, password: 'correct-horse' }
  return {
    address: `${word}.acme.internal`,
    arn: `arn:aws:acme:eu-west-1:${word}/${revision > 1 ? 'b' : 'a'}`,
  }
}

const OUTPUT_USED: Readonly<Record<string, string>> = { subnets: 'subnet_ids', roles: 'arn', topics: 'arn' }
const usedOf = (unit: string) =>
  unit.includes('/postgres') ? 'url' : (OUTPUT_USED[unit.split('/').at(-1) ?? ''] ?? 'address')

function typeOf(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', 'string']
  return typeof value === 'number' ? 'number' : 'string'
}

function stateOf(unit: string, serial: number, resources: number): string {
  const outputs = Object.entries(outputsOf(unit, serial)).map(([name, value]) => [
    name,
    { value, type: typeOf(value), ...(name === 'password' ? { sensitive: true } : {}) },
  ])
  const one = (i: number) => ({
    mode: 'managed',
    type: TYPES[i % TYPES.length],
    name: ['this', 'primary', 'replica', 'backup', 'internal', 'public'][Math.floor(i / TYPES.length) % 6],
    ...(i >= 30 ? { module: `module.part_${Math.floor(i / 30)}` } : {}),
    provider: 'provider["registry.opentofu.org/hashicorp/aws"]',
    instances: [
      {
        schema_version: 0,
        attributes: {
          id: `${unit.split('/').at(-1)}-${i}`,
          instance_class: i === 0 && serial > 2 ? 'db.r6g.2xlarge' : 'db.r6g.large',
          multi_az: true,
        },
        sensitive_attributes: [],
      },
    ],
  })
  return JSON.stringify({
    version: 4,
    terraform_version: '1.12.6',
    serial,
    lineage: `of-${flat(unit)}`,
    outputs: Object.fromEntries(outputs),
    resources: Array.from({ length: resources }, (_, i) => one(i)),
  })
}

interface Change {
  /** The lock that it holds already. */
  readonly lock?: string
  /** Nothing is known about what it read. */
  readonly isBlind?: boolean
}

export interface Story {
  readonly alex: Actor
  readonly rollout: string
}

export async function tellStory(server: StoryServer, now: number): Promise<Story> {
  const { root } = server
  const begin = now - 30 * DAY
  server.at(begin)
  const alex = await server.person('alex', 'Alex Lindqvist')
  const maria = await server.person('maria', 'Maria Okafor')
  const sam = await server.person('sam', 'Sam Petrov')
  await root.send('POST', '/v1/orgs', { name: ORG })
  await root.send('POST', `/v1/orgs/${ORG}/bindings`, { role: 'owner', to: 'user:alex' })
  await organize(alex, ORG)

  const units = allUnits()
  const serials = new Map<string, number>()
  const random = dice()
  // As an engine does it: lock, read, write, unlock.
  const apply = async (who: Actor, unit: string, { lock, isBlind = false }: Change = {}) => {
    const serial = (serials.get(unit) ?? 0) + 1
    const backend = `/v1/backend/${ORG}/${unit}`
    const own = { ID: `apply-${unit}-${serial}`, Operation: 'OperationTypeApply', Who: '' }
    if (lock === undefined) await who.send('LOCK', backend, own)
    if (!isBlind) await who.send('GET', at(unit, '/inputs'))
    const state = stateOf(unit, serial, 3 + ((unit.length * 7) % 29) + serial)
    await who.send('POST', `${backend}?ID=${encodeURIComponent(lock ?? own.ID)}`, state)
    if (lock === undefined) await who.send('UNLOCK', backend, own)
    serials.set(unit, serial)
  }

  for (const [i, { name, uses }] of units.entries()) {
    server.at(begin + (i + 1) * 30 * MINUTE)
    const [env = '', team = ''] = name.split('/')
    await alex.send('POST', at('').replace('/units/', '/units'), { name, labels: { env, team } })
    for (const on of uses) await alex.send('POST', at(name, '/dependencies'), { on, outputs: [usedOf(on)] })
    if (NEVER_APPLIED.has(name)) continue
    const who = [alex, maria, sam][random(3)] ?? alex
    await apply(who, name, { isBlind: READS_UNKNOWN.has(name) })
  }

  // Some were applied again, with other resources and the same outputs.
  for (const [i, name] of [
    'prod/data/postgres/users',
    'prod/apps/shop/api',
    'dev/web',
    'dev/api',
  ].entries()) {
    server.at(now - 9 * DAY + i * DAY)
    await apply(sam, name)
  }
  server.at(now - 5 * DAY)
  await apply(alex, 'prod/data/postgres/orders')
  server.at(now - 3 * DAY)
  await apply(maria, 'prod/data/postgres/orders')

  await setVariables(alex, ORG, 'prod/data/postgres/orders')
  const rollout = await rollOut(server, { maria, sam, apply, now })
  server.at(now - 12 * MINUTE)
  await apply(maria, 'prod/network/eu-west-1/subnets')
  server.at(now - 8 * MINUTE)
  await sam.send('POST', at('prod/network/us-east-1/peering', '/lock'), {
    reason: 'Moving the peering by hand',
  })
  server.at(now - 2 * MINUTE)
  server.announce()
  server.at(now)
  return { alex, rollout }
}

interface Cast {
  readonly maria: Actor
  readonly sam: Actor
  readonly now: number
  apply(who: Actor, unit: string, change?: Change): Promise<void>
}

/** A rollout that is under way: steps that are done, skipped, failed, running, and those that wait for them. */
async function rollOut(server: StoryServer, { maria, sam, now, apply }: Cast): Promise<string> {
  server.at(now - 34 * MINUTE)
  const rollout = await maria.send('POST', `/v1/rollouts?org=${ORG}`, { from: ['prod/iam/roles'] })
  const id = String(rollout['id'])

  async function claim(who: Actor, worker: string, unit: string) {
    const asked = { worker, leaseMs: 3_600_000, units: [unit] }
    const answer = await who.send('POST', `/v1/rollouts/${id}/claims?org=${ORG}`, asked)
    const [found] = answer['claims'] as readonly { readonly token: string }[]
    if (found === undefined) throw new Error(`${unit} cannot be claimed: ${JSON.stringify(answer)}`)
    const step = `/v1/rollouts/${id}/steps/${flat(unit)}`
    const { token } = found
    const { lock } = await who.send('POST', `${step}/begin?org=${ORG}`, { token, leaseMs: 3_600_000 })
    return {
      lock: String(lock),
      end: (end: unknown) => who.send('POST', `${step}/end?org=${ORG}`, { token, end }),
    }
  }
  /** It takes less than a minute. */
  async function run(who: Actor, worker: string, unit: string, begin: number): Promise<void> {
    server.at(begin)
    const { lock, end } = await claim(who, worker, unit)
    server.at(begin + 20_000 + 1_000 * unit.length)
    await apply(who, unit, { lock })
    await end({ kind: 'applied', fingerprint: `code of ${unit}`, engineMs: 21_400 })
  }

  await run(maria, 'maria@laptop', 'prod/iam/roles', now - 33 * MINUTE)
  for (const [minute, unit] of [
    [30, 'prod/data/postgres/orders'],
    [26, 'prod/data/postgres/catalog'],
    [25, 'prod/data/postgres/sessions'],
    [21, 'prod/data/kafka/cluster'],
  ] as const)
    await run(sam, 'ci-runner-2', unit, now - minute * MINUTE)
  await maria.send('POST', `/v1/rollouts/${id}/steps/prod--data--kafka--mirror/skip?org=${ORG}`, {
    reason: 'The mirror is switched off',
  })
  server.at(now - 19 * MINUTE)
  await claim(maria, 'maria@laptop', 'prod/data/kafka/topics')
  await claim(sam, 'ci-runner-2', 'prod/data/kafka/registry')
  const failing = await claim(sam, 'ci-runner-1', 'prod/data/postgres/invoices')
  server.at(now - 16 * MINUTE)
  await failing.end({
    kind: 'failed',
    reason: 'creating RDS DB Instance: InstanceQuotaExceeded',
    exitCode: 1,
    engineMs: 48_200,
  })
  return id
}
