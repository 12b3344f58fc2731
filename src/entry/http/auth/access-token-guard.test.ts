import { expect, test } from 'vitest'
import { alice } from '../../../../test/support/caller.ts'
import { tokenFleet } from '../../../../test/support/tokens.ts'
import { rootToken as rootPrincipal, stranger } from '../../../access/index.ts'
import { openMemoryBucket } from '../../../bucket/adapters/memory.ts'
import { accessTokenGuard } from './access-token-guard.ts'
import { tokenGuard } from './auth.ts'

const rootToken = 'the-root-token-of-some-length'
const personal = { name: 'laptop', owner: { kind: 'personal', user: 'user-alice' } } as const
const unknown = `taco_pat_${'1'.repeat(16)}.${'s'.repeat(43)}`

function guarded(fleet = tokenFleet()) {
  const seen: string[] = []
  const watch = {
    refused: (reason: string) => void seen.push(reason),
    limited: (address: string) => void seen.push(`limited ${address}`),
  }
  const { clock } = fleet
  const tokens = fleet.server()
  const otherwise = tokenGuard({ token: rootToken, clock, watch })
  const guard = accessTokenGuard({ tokens, otherwise, limit: { clock, watch } })
  const identify = (authorization: string | undefined, address = '10.0.0.1') =>
    guard.identify({ headers: authorization === undefined ? {} : { authorization }, address })
  const refusal = async (token: string, address?: string) => {
    try {
      return await identify(`Bearer ${token}`, address)
    } catch (error) {
      return error
    }
  }
  return { ...fleet, tokens, guard, seen, identify, refusal }
}

test('a token is taken as bearer and as the password of Basic; other credentials are judged as before', async () => {
  const { tokens, identify } = guarded()
  const { text } = await tokens.create(personal, alice)
  const basic = `Basic ${Buffer.from(`anything:${text}`).toString('base64')}`

  expect(await identify(`Bearer ${text}`)).toMatchObject({ kind: 'user', name: 'alice' })
  expect(await identify(basic)).toMatchObject({ kind: 'user', name: 'alice' })
  expect(await identify(`Bearer ${rootToken}`)).toBe(rootPrincipal)
  expect(identify(undefined)).toBe(stranger)
})

test('a token in use is answered in the turn in which it is sent', async () => {
  const { tokens, identify } = guarded()
  const { text } = await tokens.create(personal, alice)

  expect(identify(`Bearer ${text}`)).toBeInstanceOf(Promise)
  await identify(`Bearer ${text}`)
  expect(identify(`Bearer ${text}`)).toMatchObject({ kind: 'user' })
})

test('its owner learns why it is refused, and nothing that could be used', async () => {
  const { tokens, refusal, pass, gone } = guarded()
  const [revoked, expired, suspended] = await Promise.all(
    Array.from({ length: 3 }, () => tokens.create(personal, alice)),
  )
  const bob = await tokens.create({ name: 'x', owner: { kind: 'personal', user: 'user-bob' } }, alice)
  await tokens.revoke(revoked?.token.id ?? '', { user: 'user-alice' }, alice)
  gone.add('user-bob')

  const said = [await refusal(revoked?.text ?? ''), await refusal(bob.text), await refusal(unknown)]
  pass(91 * 86_400_000)
  said.push(await refusal(expired?.text ?? ''))

  expect(said.map(String)).toEqual([
    expect.stringContaining('revoked by user:alice at'),
    expect.stringContaining('suspended or was removed'),
    expect.stringContaining('wrong, or it was removed'),
    expect.stringContaining('has expired'),
  ])
  for (const error of said) expect(error).toMatchObject({ code: 'UNAUTHENTICATED' })
  for (const { text } of [revoked, expired, suspended, bob].flatMap((one) => one ?? []))
    expect(JSON.stringify(said.map((error) => ({ ...(error as Error), text: String(error) })))).not.toContain(
      text.split('.')[1],
    )
})

test('unknown tokens are looked up a limited number of times; tokens that are right are not delayed', async () => {
  const bucket = openMemoryBucket()
  let gets = 0
  const counted = {
    ...bucket,
    get: (...given: Parameters<typeof bucket.get>) => (gets++, bucket.get(...given)),
  }
  const { tokens, refusal, seen } = guarded(tokenFleet(counted))
  const { text } = await tokens.create(personal, alice)
  const guess = (i: number) => unknown.replace('1'.repeat(16), String(i).padStart(16, '0'))
  gets = 0

  const said = await Promise.all(Array.from({ length: 150 }, (_, i) => refusal(guess(i))))

  expect(said.filter((error) => (error as { code: string }).code === 'RATE_LIMITED')).toHaveLength(50)
  expect(gets).toBe(100)
  expect(seen.filter((one) => one === 'limited 10.0.0.1')).toHaveLength(1)
  expect(await refusal(text, '10.0.0.2')).toMatchObject({ kind: 'user' })
  // Validated a moment ago, so there is nothing to look up.
  expect(await refusal(text)).toMatchObject({ kind: 'user' })
})

test('a bucket that does not answer lets nobody in, and a stranger does not learn its name', async () => {
  const bucket = openMemoryBucket()
  const { tokens, refusal } = guarded(
    tokenFleet({ ...bucket, get: () => Promise.reject(new Error('s3://secret-name')) }),
  )
  const { text } = await tokens.create(personal, alice)

  expect(await refusal(text)).toBeInstanceOf(Error)
})
