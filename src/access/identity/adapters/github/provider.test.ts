import { afterAll, beforeAll, expect, test } from 'vitest'
import { REDIRECT_URI, expectRefusal, openTestProvider } from '../../../../../test/contract/identity.ts'
import { type GithubPeer, startGithub } from '../../../../../test/peers/github.ts'
import { GithubSettings } from '../../settings.ts'
import { apiUrlOf } from './api.ts'

let peer: GithubPeer
beforeAll(async () => (peer = await startGithub()))
afterAll(() => peer.dispose())

const settings = (changes = {}) => ({
  kind: 'github',
  id: 'test',
  label: 'GitHub',
  url: peer.url,
  clientId: peer.clientId,
  clientSecret: peer.clientSecret,
  ...changes,
})
const callback = { redirectUri: REDIRECT_URI }

async function signIn(login: string, changes = {}) {
  const { provider, time } = openTestProvider(settings(changes))
  const opened = await provider
  const { url, keep } = await opened.begin(callback)
  const identity = await opened.complete({ ...callback, keep, url: await peer.signIn(url, login) })
  return { identity, provider: opened, time }
}

test('groups are organizations and teams with their parents, in lower case', async () => {
  peer.setUser('bob', {
    id: 1,
    organizations: ['Acme', 'other'],
    teams: ['Acme/Platform<everyone', 'other/x'],
  })

  const { identity } = await signIn('bob')

  expect(identity).toMatchObject({ subject: '1', login: 'bob' })
  expect(identity.groups).toEqual(['acme', 'acme/everyone', 'acme/platform', 'other', 'other/x'])
})

test('lists are read to their end', async () => {
  const teams = Array.from({ length: 250 }, (_, at) => `acme/team-${at}`)
  peer.setUser('bob', { id: 1, organizations: ['acme'], teams })

  const { identity } = await signIn('bob')

  expect(identity.groups).toHaveLength(251)
})

test('a list without an end is refused', async () => {
  const organizations = Array.from({ length: 2001 }, (_, at) => `org-${at}`)
  peer.setUser('bob', { id: 1, organizations })

  await expectRefusal(signIn('bob'), 'PROVIDER_REFUSED', 'misconfigured', settings())
})

test('only members of the allowed organizations are admitted, and other groups stay out', async () => {
  const changes = { allowedOrganizations: ['ACME'] }
  peer.setUser('bob', { id: 1, organizations: ['acme', 'other'], teams: ['acme/platform', 'other/admins'] })
  peer.setUser('eve', { id: 2, organizations: ['other'], teams: ['other/platform'] })

  expect((await signIn('bob', changes)).identity.groups).toEqual(['acme', 'acme/platform'])
  expect((await signIn('bob', { allowedGroups: ['Acme/Platform'] })).identity.subject).toBe('1')
  const error = await expectRefusal(signIn('eve', changes), 'FORBIDDEN', 'not-admitted', settings())
  expect(error.hint).toContain('approve OpenTaco')
})

test('an organization that is hidden until single sign-on is not taken for absent', async () => {
  peer.setUser('bob', { id: 1, organizations: ['acme'] })
  peer.setSsoHeader('partial-results; organizations=21955855')
  try {
    const error = await expectRefusal(signIn('bob'), 'FORBIDDEN', 'not-admitted', settings())
    expect(error.hint).toContain('grant OpenTaco access')
    const both = signIn('bob', { allowedOrganizations: ['acme', 'other'] })
    await expectRefusal(both, 'FORBIDDEN', 'not-admitted', settings())
    expect((await signIn('bob', { allowedOrganizations: ['acme'] })).identity.groups).toEqual(['acme'])
  } finally {
    peer.setSsoHeader(undefined)
  }
})

test('the primary address counts only if it is verified', async () => {
  const emails = [
    { email: 'old@example.com', primary: false, verified: true },
    { email: 'bob@example.com', primary: true, verified: false },
  ]
  peer.setUser('bob', { id: 1, emails })

  expect((await signIn('bob')).identity.email).toEqual({ address: 'bob@example.com', isVerified: false })
})

test('a renamed account has the same subject, and a new account under the old name another', async () => {
  peer.setUser('bob', { id: 1 })
  const before = (await signIn('bob')).identity
  peer.setUser('robert', { id: 1 })
  peer.setUser('bob', { id: 2 })

  expect((await signIn('robert')).identity.subject).toBe(before.subject)
  expect((await signIn('bob')).identity.subject).not.toBe(before.subject)
})

test('tokens that expire are renewed, and a used refresh token ends the access', async () => {
  peer.setUser('bob', { id: 1, organizations: ['acme'] })
  peer.setExpiring(true)
  try {
    const { identity, provider, time } = await signIn('bob')
    time.offsetMs = 9 * 3_600_000

    const again = await provider.refresh?.(identity.refresh ?? '')
    expect(again).toMatchObject({ subject: '1', groups: ['acme'] })
    expect(again?.refresh).not.toBe(identity.refresh)
    expect(await provider.refresh?.(identity.refresh ?? '')).toBeUndefined()
  } finally {
    peer.setExpiring(false)
  }
})

test('a revoked token ends the access', async () => {
  peer.setUser('bob', { id: 1 })
  const { identity, provider } = await signIn('bob')
  peer.revokeTokens()

  expect(await provider.refresh?.(identity.refresh ?? '')).toBeUndefined()
})

test.each([
  ['clientSecret', { clientSecret: 'wrong-secret' }],
  ['clientId', { clientId: 'wrong' }],
  ['apiUrl', { apiUrl: 'API/nothing' }],
  ['url', { url: 'API/nothing' }],
])('a wrong %s is found by a check', async (field, changes) => {
  const there = Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [name, value.replace('API', peer.url)]),
  )
  const provider = await openTestProvider(settings(there)).provider

  const error = await expectRefusal(
    provider.check(callback),
    'PROVIDER_REFUSED',
    'misconfigured',
    settings(there),
  )
  expect(error.hint).toContain(field)
})

test('a check warns if everyone with an account could sign in', async () => {
  const open = await openTestProvider(settings()).provider
  const closed = await openTestProvider(settings({ allowedOrganizations: ['acme'] })).provider

  expect((await open.check(callback)).warnings).toEqual([expect.stringContaining('Everyone with an account')])
  expect((await closed.check(callback)).warnings).toEqual([])
})

test.each([
  [{}, 'https://api.github.com'],
  [{ url: 'https://acme.ghe.com' }, 'https://api.acme.ghe.com'],
  [{ url: 'https://github.acme.example/' }, 'https://github.acme.example/api/v3'],
  [{ apiUrl: 'https://api.acme.example/' }, 'https://api.acme.example'],
])('the API of %j is at %s', (changes, expected) => {
  const parsed = GithubSettings.parse({
    kind: 'github',
    id: 'github',
    label: 'GitHub',
    clientId: 'c',
    clientSecret: 's',
    ...changes,
  })

  expect(apiUrlOf(parsed)).toBe(expected)
})
