import { addTeam, bind } from '../../src/access/organization/transitions.ts'
import type { Route } from '../../src/entry/http/kit/routes/route.ts'
import type { Sent } from './http-face.ts'
import { callOf, nameOf } from './route-calls.ts'
import { type Credential, type Person, type SsoFace, bearer, startSsoFace } from './sso-face.ts'

interface Player {
  readonly credential: Credential
  /** Undefined: it is no person. */
  readonly person?: Person
}

/** Everyone who calls, in the order of the columns. */
export async function cast() {
  const face = await startSsoFace()
  const { signIn, setUp, policy, person, root, send } = face
  const headers = { ...root, 'content-type': 'application/json' }
  await send('/v1/orgs', { method: 'POST', headers, body: '{"name":"elsewhere"}' })
  await send('/v1/units', { method: 'POST', headers, body: '{"name":"base"}' })

  async function personWith(role?: string, org = 'default'): Promise<Player & { readonly person: Person }> {
    const made = await person(face.fresh('person'))
    if (role !== undefined) await policy(org, (all) => bind(all, { role, to: `user:${made.id}` }))
    return { credential: made.token, person: made }
  }
  const token = async (owner: Parameters<typeof signIn.tokens.create>[0]['owner'], expiresAt?: number) =>
    signIn.tokens.create({ name: 't', owner, ...(expiresAt && { expiresAt }) }, setUp)
  const ownToken = (user: string, expiresAt?: number) => token({ kind: 'personal', user }, expiresAt)

  const administrator = await personWith()
  await signIn.settings.addAdministrator(`user:${administrator.person.id}`, setUp)
  const team = { id: face.id('team'), name: 'ops', members: [], groups: [], createdAt: 1 }
  await policy('default', (all) => bind(addTeam(all, team), { role: 'operator', to: `team:${team.id}` }))
  const ofTeam = await token({ kind: 'team', org: 'default', team: team.id })
  const ofOrg = await token({ kind: 'organization', org: 'default', roles: ['reader'] })
  const owner = await personWith('owner')
  const expiresAt = Date.now() + 50
  const expired = await ownToken(owner.person.id, expiresAt)
  const revoked = await ownToken(owner.person.id)
  await signIn.tokens.revoke(revoked.token.id, { user: owner.person.id }, setUp)
  const suspended = await personWith('owner')
  await signIn.people.setSuspended(suspended.person.id, true, setUp)
  while (Date.now() <= expiresAt) await face.deps.clock.sleep(10)

  const players: readonly Player[] = [
    await personWith('reader'),
    await personWith('planner'),
    await personWith('operator'),
    await personWith('admin'),
    owner,
    await personWith('auditor'),
    { credential: bearer(ofTeam.text) },
    { credential: bearer(ofOrg.text) },
    { credential: root },
    administrator,
    await personWith(),
    await personWith('owner', 'elsewhere'),
    { credential: {} },
    { credential: bearer(expired.text) },
    { credential: bearer(revoked.text) },
    { credential: suspended.credential },
    { credential: await face.session(owner.person) },
  ]
  return { face, players, owner: owner.person }
}

const GROUPS = [6, 2, 2, 2, 5]

/** As the table writes it: `++++++ ++ ++ 44 11111`. */
export function row(marks: readonly string[]): string {
  let at = 0
  return GROUPS.map((size) => marks.slice(at, (at += size)).join('')).join(' ')
}

export function mark(status: number): string {
  return { 401: '1', 403: '3', 404: '4' }[status] ?? (status < 500 && status !== 429 ? '+' : `(${status})`)
}

export type Cast = Awaited<ReturnType<typeof cast>>
export type CallOf = (
  face: SsoFace,
  route: Route,
  person: Person,
) => Promise<Sent & { readonly path: string }>

/** How each of the players is answered, in the order of the columns. */
export async function rowOf(
  { face, players, owner }: Cast,
  route: Route,
  { isOfServer = false, call: make = callOf }: { readonly isOfServer?: boolean; readonly call?: CallOf } = {},
): Promise<string> {
  const marks: string[] = []
  let call: Awaited<ReturnType<CallOf>> | undefined
  for (const { credential, person = owner } of players) {
    call ??= await make(face, route, person)
    const path = isOfServer ? route.pattern : call.path
    const { status } = await face.send(path, { ...call, headers: { ...call.headers, ...credential } })
    const marked = mark(status)
    marks.push(marked)
    // Reading changes nothing, and neither does a call that was refused.
    const isUsedUp = marked === '+' && route.method !== 'GET'
    const isOwn = route.pattern === '/v1/tokens/{id}' || route.pattern.includes('{user}')
    if (isUsedUp || isOwn) call = undefined
  }
  return row(marks)
}

/**
 * The rows of a family of routes: `route · action · who is let in`, sorted. Compare it with a table in the test, which
 * then fails for a route without a row and for a row without a route. `call` makes a call that is understood, about
 * something new in the organization `default`, and that succeeds if it is allowed.
 */
export async function rowsOf(routes: readonly Route[], call: CallOf): Promise<readonly string[]> {
  const players = await cast()
  const rows: string[] = []
  for (const route of routes)
    rows.push([nameOf(route), route.action, await rowOf(players, route, { call })].join(' · '))
  return rows.toSorted()
}
