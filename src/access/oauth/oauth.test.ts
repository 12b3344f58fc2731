import { createHash, generateKeySync, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { silentJournal } from '../../../test/support/journal.ts'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { systemCaller } from '../caller.ts'
import type { Via } from '../principal.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { createTokens } from '../tokens/tokens.ts'
import { clientOf } from './clients.ts'
import { type OAuth, createOAuth } from './oauth.ts'

const alice = { id: 'user-1', name: 'alice', session: 's-1' }
const taco = clientOf('taco-cli')
const redirectUri = 'http://127.0.0.1:50123/callback'
const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')
const asked = { client: taco, redirectUri, challenge }
const given = { client: 'taco-cli', redirectUri, verifier, program: 'taco login' }

/** What several servers over one bucket have, at a time that the test moves. */
function fleet(bucket: Bucket = openMemoryBucket()) {
  let ahead = 0
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  const ring = createKeyRing([{ id: 'k1', key: generateKeySync('hmac', { length: 256 }) }])
  const { journal } = silentJournal()
  const owners = {
    user: (id: string, via: Via) => ({ kind: 'user', id, name: 'alice', groups: [], via }) as const,
    team: () => undefined,
  }
  const server = () => {
    const deps = { bucket, clock, ids: randomIds, ring, log: silentLog, owners, journal }
    const tokens = createTokens(deps)
    return { ...createOAuth({ ...deps, tokens }), tokens }
  }
  const issued = () => server().tokens.list({ user: alice.id }, systemCaller('opentaco'))
  return { bucket, server, issued, pass: (ms: number) => (ahead += ms) }
}

const refused = (name: string) => ({ facts: { oauth: name } })

async function contentOf(bucket: Bucket): Promise<{ keys: string[]; text: string }> {
  const keys: string[] = []
  let text = ''
  for await (const page of bucket.list('')) {
    for (const { key } of page) {
      keys.push(key)
      text += (await (await bucket.get(key))?.bytes())?.toString() ?? ''
    }
  }
  return { keys, text }
}

test('a code issued by one server is redeemed at another, for a token of that person', async () => {
  const { server, issued } = fleet()
  const code = await server().issueCode({ ...asked, machine: 'laptop' }, alice)

  const { token, id } = await server().redeemCode({ ...given, code })
  expect(await issued()).toMatchObject([
    { id, name: 'taco login (laptop)', status: 'active', createdBy: 'user:alice' },
  ])
  expect(await server().tokens.check(token)).toMatchObject({ kind: 'user', id: 'user-1', via: { id } })
})

test('neither the code nor the user code can be read from the bucket', async () => {
  const { server, bucket } = fleet()
  const code = await server().issueCode(asked, alice)
  const { deviceCode, userCode } = await server().startDevice({ client: 'taco-cli', address: '10.0.0.5' })

  const { keys, text } = await contentOf(bucket)
  expect(keys).toHaveLength(2)
  expect(keys.every((key) => key.startsWith('.taco/access/grants/'))).toBe(true)
  for (const secret of [code.split('.')[1], deviceCode.split('.')[1], userCode]) {
    expect(secret).toMatch(/.{8}/)
    expect(keys.join() + text).not.toContain(secret)
  }
})

test.each<[string, object]>([
  ['another client', { client: 'terraform-cli' }],
  ['another redirect URI', { redirectUri: 'http://127.0.0.1:50124/callback' }],
  ['the verifier of somebody else', { verifier: randomBytes(32).toString('base64url') }],
  ['the challenge in place of the verifier', { verifier: challenge }],
  ['no verifier', { verifier: '' }],
])('%s is refused, and neither spends the code nor revokes its token', async (_, wrong) => {
  const { server, issued } = fleet()
  const code = await server().issueCode(asked, alice)

  await expect(server().redeemCode({ ...given, code, ...wrong })).rejects.toMatchObject(
    refused('invalid_grant'),
  )
  expect(await issued()).toEqual([])
  await server().redeemCode({ ...given, code })
  await expect(server().redeemCode({ ...given, code, ...wrong })).rejects.toMatchObject(
    refused('invalid_grant'),
  )
  expect(await issued()).toMatchObject([{ status: 'active' }])
})

test.each(['', 'x', '../../org.json.x', `${'a'.repeat(16)}.${'b'.repeat(43)}`])(
  'an unknown or malformed code is refused: %j',
  async (code) => {
    const { server } = fleet()
    await expect(server().redeemCode({ ...given, code })).rejects.toMatchObject(refused('invalid_grant'))
  },
)

test('a code with another secret half is refused', async () => {
  const { server } = fleet()
  const code = await server().issueCode(asked, alice)
  const other = await server().issueCode(asked, alice)
  const mixed = `${code.split('.')[0]}.${other.split('.')[1]}`
  await expect(server().redeemCode({ ...given, code: mixed })).rejects.toMatchObject(refused('invalid_grant'))
})

test('a code expires after a minute', async () => {
  const { server, issued, pass } = fleet()
  const code = await server().issueCode(asked, alice)
  pass(60_000)
  await expect(server().redeemCode({ ...given, code })).rejects.toMatchObject(refused('invalid_grant'))
  expect(await issued()).toEqual([])
})

test('a code that is presented again is refused, and its token is revoked', async () => {
  const { server, issued } = fleet()
  const code = await server().issueCode(asked, alice)
  await server().redeemCode({ ...given, code })
  await expect(server().redeemCode({ ...given, code })).rejects.toMatchObject(refused('invalid_grant'))
  expect(await issued()).toMatchObject([{ status: 'revoked' }])
})

test.each([{}, { contentHashTags: true }])(
  'of many who present one code at the same time, at most one gets a token, which does not stay valid (%o)',
  async (options) => {
    const { server, issued } = fleet(openMemoryBucket(options))
    const code = await server().issueCode(asked, alice)
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => server().redeemCode({ ...given, code })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    expect(await issued()).toMatchObject([{ status: 'revoked' }])
  },
)

function started(server: OAuth) {
  return server.startDevice({ client: 'taco-cli', machine: 'build-7', address: '10.0.0.5' })
}

const ask = (server: OAuth, deviceCode: string, client = 'taco-cli') =>
  server.redeemDevice({ client, deviceCode, program: 'taco login' })

test('a device waits until a person allows it, and gets one token', async () => {
  const { server, issued, pass } = fleet()
  const { deviceCode, userCode, intervalMs } = await started(server())
  expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/)
  await expect(ask(server(), deviceCode)).rejects.toMatchObject(refused('authorization_pending'))

  const typed = ` ${userCode.slice(0, 4).toLowerCase()}-${userCode.slice(4)} `
  expect(await server().findDevice(typed)).toMatchObject({
    client: { label: 'taco' },
    machine: 'build-7',
    address: '10.0.0.5',
  })
  expect(await server().decideDevice(typed, alice, true)).toBe(true)
  expect(await server().findDevice(typed)).toBeUndefined()
  expect(await server().decideDevice(typed, { id: 'user-2', name: 'eve', session: 's-2' }, false)).toBe(false)

  pass(intervalMs)
  await ask(server(), deviceCode)
  expect(await issued()).toMatchObject([{ name: 'taco login (build-7)', status: 'active' }])
  await expect(ask(server(), deviceCode)).rejects.toMatchObject(refused('invalid_grant'))
  expect(await issued()).toMatchObject([{ status: 'revoked' }])
})

test('a device that asks too often is told to slow down, by any server', async () => {
  const { server, pass } = fleet()
  const { deviceCode, userCode } = await started(server())
  await expect(ask(server(), deviceCode)).rejects.toMatchObject(refused('authorization_pending'))
  await expect(ask(server(), deviceCode)).rejects.toMatchObject(refused('slow_down'))
  pass(5_000)
  await expect(ask(server(), deviceCode)).rejects.toMatchObject(refused('slow_down'))
  pass(15_000)
  await expect(ask(server(), deviceCode)).rejects.toMatchObject(refused('authorization_pending'))
  await server().decideDevice(userCode, alice, true)
  expect(await ask(server(), deviceCode)).toMatchObject({ token: expect.stringMatching(/^taco_pat_/) })
})

test('a device learns that it was denied, and that its code has expired', async () => {
  const { server, pass } = fleet()
  const denied = await started(server())
  await server().decideDevice(denied.userCode, alice, false)
  await expect(ask(server(), denied.deviceCode)).rejects.toMatchObject(refused('access_denied'))

  const late = await started(server())
  pass(600_000)
  expect(await server().findDevice(late.userCode)).toBeUndefined()
  expect(await server().decideDevice(late.userCode, alice, true)).toBe(false)
  await expect(ask(server(), late.deviceCode)).rejects.toMatchObject(refused('expired_token'))
})

test('a device code is of no use to another client, and engines have none', async () => {
  const { server } = fleet()
  const { deviceCode, userCode } = await started(server())
  await server().decideDevice(userCode, alice, true)
  await expect(ask(server(), deviceCode, 'terraform-cli')).rejects.toMatchObject(refused('invalid_grant'))
  const request = { client: 'terraform-cli', address: '10.0.0.5' }
  await expect(server().startDevice(request)).rejects.toMatchObject(refused('unauthorized_client'))
})

test.each(['', 'ABC', 'AEIOU-AEI', 'BCDF-GHJK'])(
  'an unknown user code finds no device: %j',
  async (typed) => {
    const { server } = fleet()
    expect(await server().findDevice(typed)).toBeUndefined()
    expect(await server().decideDevice(typed, alice, true)).toBe(false)
  },
)

test('what was left behind is removed when new codes are made', async () => {
  const { server, bucket, pass } = fleet()
  await server().issueCode(asked, alice)
  await started(server())
  pass(2 * 3_600_000)
  await server().issueCode(asked, alice)
  await expect.poll(async () => (await contentOf(bucket)).keys.length).toBe(1)
})
