import { expect, test } from 'vitest'
import { startFace } from '../../../../test/rig/http-face.ts'
import { rootToken as rootPrincipal, stranger } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import { tokenGuard } from './auth.ts'
import { runTokenGuard } from './run-token-guard.ts'

const rootToken = 'the-root-token-of-some-length'
const [right, old, wrong] = ['right', 'old00', 'wrong'].map(
  (name) => `taco_run_default.${name.padEnd(16, 'x')}.${'s'.repeat(43)}`,
) as [string, string, string]
const principal = {
  kind: 'run',
  id: 'right',
  issuedTo: { by: 'user:alice' },
  scope: { org: 'default', unit: { id: null, name: 'a' } },
} as const
const runTokens = {
  check: (token: string) =>
    Promise.resolve(
      token === right ? principal : token === old ? ('expired' as const) : ('unknown' as const),
    ),
}

function guarded() {
  const time = { now: 0 }
  const clock = { now: () => time.now, sleep: () => Promise.resolve() }
  const seen: string[] = []
  const watch = {
    refused: (reason: string) => void seen.push(reason),
    limited: (address: string) => void seen.push(`limited ${address}`),
  }
  const guard = runTokenGuard({
    runTokens,
    otherwise: tokenGuard({ token: rootToken, clock, watch }),
    limit: { clock, watch },
  })
  const said = (given: string) => saidBy(guard, given)
  return { time, seen, said }
}

async function saidBy(guard: ReturnType<typeof runTokenGuard>, given: string): Promise<unknown> {
  const headers = { authorization: `Basic ${Buffer.from(`taco:${given}`).toString('base64')}` }
  try {
    return await guard.identify({ headers, address: '10.0.0.1' })
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a run token brings its principal, and every other credential is judged as ever', async () => {
  const { said } = guarded()

  expect(await said(right)).toBe(principal)
  expect(await said(rootToken)).toBe(rootPrincipal)
  expect(await said(old)).toBe('UNAUTHENTICATED')
  expect(await said(wrong)).toBe('UNAUTHENTICATED')
  expect(await said(`${right}x`)).toBe('UNAUTHENTICATED')
})

test('wrong run tokens are limited, and do not delay tokens of another kind', async () => {
  const { said, seen, time } = guarded()
  for (let i = 0; i < 100; i++) expect(await said(wrong)).toBe('UNAUTHENTICATED')

  expect(await said(wrong)).toBe('RATE_LIMITED')
  expect(seen.slice(-3)).toEqual(['limited 10.0.0.1', 'wrong', 'limited'])
  expect(await said(rootToken)).toBe(rootPrincipal)
  time.now += 100
  expect(await said(right)).toBe(principal)
})

test('neither wrong root tokens nor expired run tokens hold up an engine', async () => {
  const { said } = guarded()
  for (let i = 0; i < 200; i++) await said('guess')
  for (let i = 0; i < 200; i++) await said(old)

  expect(await said(rootToken)).toBe('RATE_LIMITED')
  expect(await said(right)).toBe(principal)
})

test('where only run tokens are accepted, nothing else is, and guesses delay no one', async () => {
  const guard = runTokenGuard({ runTokens })
  const visit = { headers: {}, address: '10.0.0.1' }
  for (let i = 0; i < 200; i++) await saidBy(guard, wrong)

  expect(guard.identify(visit)).toBe(stranger)
  expect(await saidBy(guard, rootToken)).toBe('UNAUTHENTICATED')
  expect(await saidBy(guard, right)).toBe(principal)
})

test('of many at once, no more wrong ones are looked up than the limit allows', async () => {
  let looked = 0
  const check = async () => {
    looked++
    await new Promise((resolve) => setTimeout(resolve, 1))
    return 'unknown' as const
  }
  const clock = { now: () => 0, sleep: () => Promise.resolve() }
  const guard = runTokenGuard({ runTokens: { check }, limit: { clock } })
  const said = await Promise.all(Array.from({ length: 500 }, () => saidBy(guard, wrong)))

  expect(looked).toBe(100)
  expect(said.filter((code) => code === 'RATE_LIMITED')).toHaveLength(400)
})

test('any number of right ones at once is let in, also beside wrong ones and failing lookups', async () => {
  let underWay = 0
  let most = 0
  const check = async (token: string) => {
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setTimeout(resolve, 1))
    underWay--
    if (token === old) throw new Error('the bucket is away')
    return token === right ? principal : ('unknown' as const)
  }
  const clock = { now: () => 0, sleep: () => Promise.resolve() }
  const guard = runTokenGuard({ runTokens: { check }, limit: { clock } })
  const sent = Array.from({ length: 1_000 }, (_, i) => (i % 50 === 0 ? wrong : i % 7 === 0 ? old : right))
  const said = await Promise.all(sent.map((token) => saidBy(guard, token)))

  expect(most).toBe(100)
  expect(said).toEqual(
    sent.map((token) => (token === right ? principal : token === wrong ? 'UNAUTHENTICATED' : undefined)),
  )
})

test('a client with an invented run token learns nothing about a failing bucket', async () => {
  const failure = new TacoError('BUCKET_UNAVAILABLE', 's3://secret-place does not answer', {
    facts: { bucket: 's3://secret-place' },
    hint: 'look at secret-place',
  })
  const guard = runTokenGuard({ runTokens: { check: () => Promise.reject(failure) } })
  const face = await startFace({ guard })
  const { status, text } = await face.send('/v1/backend/default/a', {
    headers: { authorization: `Bearer ${wrong}` },
  })

  expect(status).toBe(503)
  expect(text).not.toContain('secret-place')
})
