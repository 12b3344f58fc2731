import { expect, test } from 'vitest'
import { callerNamed } from '../../test/support/caller.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { type Bucket, bodyOf } from '../bucket/index.ts'
import { MAX_TTL_MS } from './run-scope.ts'
import { createRunTokens } from './run-tokens.ts'

const scope = { org: 'default', unit: { id: 'ws-1', name: 'prod/network' } }
const alice = callerNamed('alice')
const ttlMs = 60_000

/** What several servers over one bucket have, at a time that the test moves. */
function fleet(bucket: Bucket = openMemoryBucket()) {
  let ahead = 0
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  const server = () => createRunTokens({ bucket, clock, ids: randomIds })
  return { bucket, server, pass: (ms: number) => (ahead += ms) }
}

const refOf = ({ id }: { id: string }) => ({ org: 'default', id })

async function stored(bucket: Bucket): Promise<string[]> {
  const keys: string[] = []
  for await (const page of bucket.list('')) keys.push(...page.map(({ key }) => key))
  return keys
}

test('a token issued by one server is valid on every other, in the name of the caller that requested it', async () => {
  const { server } = fleet()
  const { token } = await server().issue(scope, { ttlMs }, alice)

  expect(token).toMatch(/^taco_run_default\.[0-9A-Za-z]{16}\.[\w-]{43}$/)
  expect(await server().check(token)).toEqual({
    kind: 'run',
    id: token.split('.')[1],
    scope,
    issuedTo: { by: 'user:alice' },
    reader: alice.principal,
  })
})

test('once revoked, it is unknown to every server, and nothing of it is left', async () => {
  const { server, bucket } = fleet()
  const issued = await server().issue(scope, { ttlMs }, alice)
  await server().revoke(refOf(issued), alice)
  await server().revoke(refOf(issued), alice)

  expect(await server().check(issued.token)).toBe('unknown')
  await expect(server().renew(refOf(issued), { ttlMs }, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await stored(bucket)).toEqual([])
})

test.each([{ contentHashTags: true }, { conditionalDelete: false }])(
  'revoking wins over renewals at the same time (%o)',
  async (options) => {
    const { server, bucket } = fleet(openMemoryBucket(options))
    const issued = await server().issue(scope, { ttlMs }, alice)
    const renewals = Array.from({ length: 5 }, () =>
      server()
        .renew(refOf(issued), { ttlMs }, alice)
        .catch(() => {}),
    )
    await Promise.all([server().revoke(refOf(issued), alice), ...renewals])

    expect(await stored(bucket)).toEqual([])
  },
)

test('it expires unless it is renewed, which also revives one that has expired', async () => {
  const { server, pass } = fleet()
  const issued = await server().issue(scope, { ttlMs }, alice)
  pass(ttlMs - 1000)
  await server().renew(refOf(issued), { ttlMs }, alice)
  pass(ttlMs - 1000)
  expect(await server().check(issued.token)).toMatchObject({ kind: 'run' })
  pass(1000)
  expect(await server().check(issued.token)).toBe('expired')
  await server().renew(refOf(issued), { ttlMs }, alice)
  expect(await server().check(issued.token)).toMatchObject({ kind: 'run' })
})

test('a renewal never shortens it', async () => {
  const { server, pass } = fleet()
  const issued = await server().issue(scope, { ttlMs }, alice)
  await server().renew(refOf(issued), { ttlMs: 1000 }, alice)
  pass(2000)

  expect(await server().check(issued.token)).toMatchObject({ kind: 'run' })
})

test('any other secret, id or organization is unknown', async () => {
  const { server } = fleet()
  const { token, id } = await server().issue(scope, { ttlMs }, alice)
  const other = await server().issue({ ...scope, org: 'acme' }, { ttlMs }, alice)
  const wrong = [
    '',
    'taco_run_',
    token.slice(0, -1),
    `${token}x`,
    ` ${token}`,
    token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
    token.replace('_default.', '_acme.'),
    token.replace(id, other.id),
    token.replace('_default.', '_../../orgs/default.'),
    token.replace(id, '../units/ws-1111'),
  ]

  expect(await Promise.all(wrong.map((text) => server().check(text)))).toEqual(wrong.map(() => 'unknown'))
})

test('an unreadable record admits no one', async () => {
  const { server, bucket } = fleet()
  const { token } = await server().issue(scope, { ttlMs }, alice)
  const [key = ''] = await stored(bucket)
  const entry = await bucket.head(key)
  await bucket.put(key, bodyOf('{}'), entry?.tag ?? 'absent')

  await expect(server().check(token)).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
})

test('the bucket holds no secret', async () => {
  const { server, bucket } = fleet()
  const { token } = await server().issue(scope, { ttlMs }, alice)
  const [key = ''] = await stored(bucket)
  const record = `${key} ${String(await (await bucket.get(key))?.bytes())}`

  expect(record).toContain('alice')
  expect(record).not.toContain(token.split('.').at(-1))
})

test('records that were never revoked are removed long after they expired', async () => {
  const { server, bucket, pass } = fleet()
  await server().issue(scope, { ttlMs: MAX_TTL_MS }, alice)
  pass(MAX_TTL_MS + ttlMs)
  expect(await server().removeExpired('default', alice)).toBe(0)
  pass(MAX_TTL_MS)

  expect(await server().removeExpired('acme', alice)).toBe(0)
  expect(await server().removeExpired('default', alice)).toBe(1)
  expect(await stored(bucket)).toEqual([])
})
