import { randomBytes } from 'node:crypto'
import { createPeople, createTokenOwners, createTokens, systemCaller } from '../src/access/index.ts'
import { createOrgAccess } from '../src/access/organization/org-access.ts'
import { createKeyRing } from '../src/access/secrets/key-ring.ts'
import { parseKeys } from '../src/access/secrets/keys.ts'
import { systemClock } from '../src/base/clock.ts'
import { randomIds } from '../src/base/ids.ts'
import { silentLog } from '../src/base/log.ts'
import { openBucket } from '../src/wire/buckets.ts'
import { silentJournal } from '../test/support/journal.ts'
import type { Row } from './report.ts'
import type { BenchServer, Site, Store } from './site.ts'
import { interleaved, median, percent } from './slices.ts'

const BYTES = 50_000
const UNITS = 64
const CONNECTIONS = 16
const SERVERS = 3

/** (o) Tokens: what they cost a read, and how soon every server refuses one that was revoked. */
export async function* tokens(site: Site): AsyncGenerator<Row> {
  const store = await site.newStore('file')
  const rootToken = randomBytes(32).toString('hex')
  const secretKey = `k1:${randomBytes(32).toString('base64')}`
  const open = await site.server(store)
  const env = { TACO_AUTH: 'sso', TACO_ROOT_TOKEN: rootToken, TACO_SECRET_KEY: secretKey }
  const servers: BenchServer[] = []
  for (let i = 0; i < SERVERS; i++) servers.push(await site.server(store, env))
  const [first] = servers
  if (first === undefined) return
  const ask = (port: number, method: string, path: string, body?: object, token = rootToken) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const { token, login } = await personalToken(store, secretKey)
  const bound = await ask(first.port, 'POST', '/v1/orgs/default/bindings', {
    role: 'reader',
    to: `user:${login}`,
  })
  if (!bound.ok) throw new Error(await bound.text())

  const paths = Array.from({ length: UNITS }, (_, i) => `/v1/backend/default/read/unit-${i}`)
  const load = { connections: CONNECTIONS, ms: 0 }
  await site.load.ask('fill', { ...load, port: open.port, paths, bytes: BYTES })
  const bare = await site.bare()
  const constant = paths.map(() => `/${BYTES}`)
  const rates = await interleaved(site.pace, {
    withToken: (ms) => site.load.ask('get', { ...load, port: first.port, paths, ms, token }),
    without: (ms) => site.load.ask('get', { ...load, port: open.port, paths, ms }),
    bare: (ms) => site.load.ask('get', { ...load, port: bare, paths: constant, ms }),
  })
  yield {
    part: 'o',
    name: 'GET 50 kB, file, with a personal token, against bare node:http',
    value: percent(rates.withToken, rates.bare),
    unit: '%',
    goal: { atLeast: 40 },
    note: `${median(rates.withToken).toFixed(0)} of ${median(rates.bare).toFixed(0)} /s`,
  }
  yield {
    part: 'o',
    name: 'GET 50 kB, file, with a personal token, against --auth none',
    value: percent(rates.withToken, rates.without),
    unit: '%',
    note: `of ${median(rates.without).toFixed(0)} /s`,
  }
  yield* revocations(site, servers, ask)
  for (const server of [open, ...servers]) {
    await site.load.ask('disconnect', { port: server.port })
    await server.stop()
  }
}

/** The longest of several: each time until all servers refuse the token. */
async function* revocations(
  site: Site,
  servers: readonly BenchServer[],
  ask: (port: number, method: string, path: string, body?: object, token?: string) => Promise<Response>,
): AsyncGenerator<Row> {
  const path = '/v1/orgs/default/tokens'
  let longest = 0
  const times = site.isQuick ? 3 : 10
  for (let i = 0; i < times; i++) {
    const port = servers[i % servers.length]?.port ?? 0
    const made = await ask(port, 'POST', path, { name: 'x', kind: 'organization', roles: ['reader'] })
    const { id, token } = (await made.json()) as { id: string; token: string }
    const statusAt = async (at: number) => (await ask(at, 'GET', '/v1/server', undefined, token)).status
    // Everywhere in use until the very moment.
    for (const server of servers)
      if ((await statusAt(server.port)) !== 200) throw new Error('the token is refused')
    await ask(port, 'DELETE', `${path}/${id}`)
    const revokedAt = performance.now()
    await Promise.all(
      servers.map(async (server) => {
        while ((await statusAt(server.port)) !== 401) await systemClock.sleep(20)
      }),
    )
    longest = Math.max(longest, performance.now() - revokedAt)
  }
  yield {
    part: 'o',
    name: `a revoked token is refused by all of ${servers.length} servers, the longest of ${times} times`,
    value: longest,
    unit: 'ms',
    goal: { atMost: 5_000 },
  }
}

/** Of somebody who has signed in: made as a server makes it, on the same bucket. */
async function personalToken(store: Store, secretKey: string): Promise<{ token: string; login: string }> {
  const { bucket } = await openBucket(store.url)
  const deps = {
    bucket,
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    journal: silentJournal().journal,
  }
  const caller = systemCaller('opentaco')
  const people = createPeople(deps)
  const person = await people.signIn({ provider: 'bench', subject: '1', login: 'alice', groups: [] }, caller)
  const ring = createKeyRing(parseKeys(secretKey, 'the benchmark'))
  const owners = createTokenOwners(people, createOrgAccess(deps))
  const owner = { kind: 'personal', user: person.id } as const
  const { text } = await createTokens({ ...deps, ring, owners }).create({ name: 'bench', owner }, caller)
  await bucket.close()
  return { token: text, login: person.login }
}
