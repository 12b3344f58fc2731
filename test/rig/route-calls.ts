import { addGuard, addTeam, bind, putRole, putWorkload } from '../../src/access/organization/transitions.ts'
import type { Route } from '../../src/entry/http/kit/routes/route.ts'
import { stateText } from '../support/state.ts'
import type { Answer, Sent } from './http-face.ts'
import { publishBoth } from './registry-world.ts'
import type { Person, SsoFace } from './sso-face.ts'

type Things = Readonly<Record<string, string>>
type Make = (face: SsoFace, things: Things, person: Person) => Promise<Things>

const json = { 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

async function asRoot({ send, root }: SsoFace, path: string, sent: Sent): Promise<Answer> {
  const answer = await send(path, { ...sent, headers: { ...root, ...json } })
  if (answer.status > 299) throw new Error(`${sent.method} ${path}: ${answer.text}`)
  return answer
}

async function makeUnit(face: SsoFace): Promise<Things> {
  const unit = face.fresh('unit')
  await write(face, unit, 1)
  return { unit, version: '1' }
}

async function write(face: SsoFace, unit: string, serial: number): Promise<void> {
  await asRoot(face, `/v1/units/${unit}/state`, { method: 'PUT', body: stateText(serial) })
}

/** What a call is about: made for this call alone, so that no call changes what another one finds. */
const makers: readonly (readonly [RegExp, Make])[] = [
  [/\{unit\}|rollouts/, makeUnit],
  [
    /\/(diff|rollback)$/,
    async (face, { unit = '' }) => {
      await write(face, unit, 2)
      return {}
    },
  ],
  [
    /\{team\}/,
    async ({ policy, fresh, id }) => {
      const team = fresh('team')
      await policy('default', (all) =>
        addTeam(all, { id: id('team'), name: team, members: [], groups: [], createdAt: 1 }),
      )
      return { team }
    },
  ],
  [
    /\{role\}/,
    async ({ policy, fresh }) => {
      const role = fresh('role')
      await policy('default', (all) => putRole(all, { name: role, rules: [] }))
      return { role }
    },
  ],
  [
    /\{guard\}/,
    async ({ policy, id, fresh }) => {
      const guard = id('guard')
      await policy('default', (all) =>
        addGuard(all, { id: guard, units: [fresh('guarded')], at: 1, by: 'x' }),
      )
      return { guard }
    },
  ],
  [
    /\{rule\}/,
    async ({ policy, fresh }) => {
      const rule = fresh('rule')
      const stored = { ...workload, name: rule, claims: { sub: ['job'] }, ttlMs: 60_000 }
      await policy('default', (all) => putWorkload(all, stored))
      return { rule }
    },
  ],
  [
    /\{set\}/,
    async (face) => {
      const set = face.fresh('set')
      const body = JSON.stringify({ name: set })
      await asRoot(face, '/v1/orgs/default/variable-sets', { method: 'POST', body })
      return { set }
    },
  ],
  [
    /\{project\}/,
    async (face) => {
      const body = JSON.stringify({ name: face.fresh('project') })
      const made = await asRoot(face, '/v1/orgs/default/projects', { method: 'POST', body })
      return { project: String(made.json()['id']) }
    },
  ],
  [
    /bindings/,
    async ({ policy, fresh }) => {
      const group = `group:hub/${fresh('g')}`
      await policy('default', (all) => bind(all, { role: 'reader', to: group }))
      return { group }
    },
  ],
  [
    /\{person\}|\{subject\}/,
    async ({ person, fresh, signIn, setUp }) => {
      const { id, login } = await person(fresh('bystander'))
      const subject = `user:${id}`
      await signIn.settings.addAdministrator(subject, setUp)
      return { person: login, subject }
    },
  ],
  [
    /(v1|server)\/providers\/\{provider\}/,
    async ({ signIn, fresh, setUp }) => {
      const id = fresh('hub')
      await signIn.settings.putProvider({ id, ...github }, setUp)
      return { provider: id }
    },
  ],
  [
    /\{record\}/,
    async (face) => {
      // What has just been made has a record soon.
      await makeUnit(face)
      for (;;) {
        const { items } = (await asRoot(face, '/v1/audit?org=default&limit=1', { method: 'GET' })).json() as {
          readonly items: readonly { readonly id: string }[]
        }
        if (items[0] !== undefined) return { record: items[0].id }
      }
    },
  ],
  [
    /v1\/tokens\/\{id\}/,
    async ({ signIn, setUp }, _, { id: user }) => {
      const { token } = await signIn.tokens.create({ name: 't', owner: { kind: 'personal', user } }, setUp)
      return { id: token.id }
    },
  ],
  [
    /\{org\}\/tokens\/\{id\}/,
    async ({ signIn, setUp }) => {
      const owner = { kind: 'organization' as const, org: 'default', roles: ['reader'] }
      const { token } = await signIn.tokens.create({ name: 't', owner }, setUp)
      return { id: token.id }
    },
  ],
  [/\{workspace\}/, async (face) => ({ workspace: (await makeUnit(face))['unit'] ?? '' })],
  [
    /notifications\/\{(id|notification)\}/,
    async ({ deps, setUp }) => {
      const { id } = await deps.notifications.create('default', disabledNotification, setUp)
      return { id, notification: id }
    },
  ],
  [
    /rollouts\/\{id\}/,
    async (face, { unit = '' }) => {
      const body = JSON.stringify({ from: [unit], claim: { worker: 'w' } })
      const rollout = (await asRoot(face, '/v1/rollouts', { method: 'POST', body })).json()
      const [claim] = rollout['claims'] as { token: string }[]
      return { id: String(rollout['id']), claim: claim?.token ?? '' }
    },
  ],
  [
    /run-tokens\/\{id\}/,
    async (face) => {
      const path = `/v1/units/${face.fresh('unit')}/run-tokens`
      return { id: String((await asRoot(face, path, { method: 'POST', body: '{}' })).json()['id']) }
    },
  ],
  [
    /units\/\{unit\}\/restore/,
    async (face, { unit = '' }) => {
      const { id } = (await asRoot(face, `/v1/units/${unit}`, { method: 'DELETE' })).json()
      return { unit: String(id) }
    },
  ],
  [
    /registry\/(modules|providers|keys)\/\{/,
    async (face) => {
      const { name, key, filename } = await publishBoth(face)
      return { name, provider: 'null', version: '1.0.0', file: filename, key: key.keyId }
    },
  ],
  [
    /DELETE .*\/dependencies/,
    async (face, { unit = '' }) => {
      const body = JSON.stringify({ on: 'base' })
      await asRoot(face, `/v1/units/${unit}/dependencies`, { method: 'POST', body })
      return {}
    },
  ],
]

const forms: Readonly<Record<string, string>> = {
  'POST /oauth/token':
    'grant_type=authorization_code&client_id=terraform-cli&code=x&redirect_uri=x&code_verifier=x',
  'POST /oauth/device': 'client_id=taco-cli',
  'POST /oauth/revoke': 'token=x',
}

const hook = {
  name: 'h',
  destination: 'generic',
  triggers: ['state:changed'],
  url: 'http://127.0.0.1:9/',
} as const
const disabledNotification = { ...hook, isEnabled: false, scope: { kind: 'organization' } } as const
const github = { kind: 'github', label: 'GitHub', clientId: 'c', clientSecret: 's' }
const workload = { issuer: 'https://issuer.example.com', claims: { sub: 'job' }, roles: ['reader'] }
const lock = { ID: 'l' }

/** What the calls must say to be understood. */
function bodyOf(name: string, { unit = '', group = '', claim: token = '' }: Things, face: SsoFace): unknown {
  const bodies: Readonly<Record<string, unknown>> = {
    'POST /v1/orgs': { name: face.fresh('org') },
    'PATCH /v1/orgs/{org}': { retention: null },
    'POST /v1/orgs/{org}/rename': { name: 'default' },
    'POST /v1/orgs/{org}/teams': { name: face.fresh('new') },
    'PUT /v1/orgs/{org}/roles/{role}': { rules: [{ effect: 'allow', actions: ['state:read'] }] },
    'POST /v1/orgs/{org}/bindings': { role: 'reader', to: group },
    'POST /v1/orgs/{org}/guards': { units: [face.fresh('guarded')] },
    'POST /v1/orgs/{org}/notifications': { ...hook, enabled: false },
    'PUT /v1/orgs/{org}/workloads/{rule}': workload,
    'POST /v1/orgs/{org}/workload-token': { idToken: 'x' },
    'POST /v1/orgs/{org}/tokens': { name: 'made', kind: 'organization', roles: ['reader'] },
    'POST /v1/orgs/{org}/access/test': {
      path: 'access.yaml',
      text: 'expectations: [{ who: everyone, action: lock, expect: deny }]',
    },
    'POST /v1/orgs/{org}/variable-sets': { name: face.fresh('made') },
    'POST /v1/orgs/{org}/projects': { name: face.fresh('made') },
    'PATCH /v1/orgs/{org}/projects/{project}': { description: 'd' },
    'PUT /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}/deprecation': { reason: 'r' },
    'POST /v1/tokens': { name: 'made' },
    'PATCH /v1/people/{person}': { isSuspended: true },
    'PUT /v1/providers/{provider}': github,
    'POST /v1/units': { name: face.fresh('made') },
    'POST /v1/units/{unit}/rename': { name: face.fresh('renamed') },
    'POST /v1/units/{unit}/restore': { name: face.fresh('restored') },
    'POST /v1/units/{unit}/break-glass': { reason: 'r' },
    'POST /v1/units/{unit}/lock/renew': { id: 'l', leaseMs: 1000 },
    'POST /v1/units/{unit}/rollback': { version: '1' },
    'POST /v1/units/{unit}/dependencies': { on: 'base' },
    'POST /v1/sync': { units: [] },
    'POST /v1/rollouts': { from: [unit] },
    'POST /v1/rollouts/{id}/claims': { worker: 'w' },
    'POST /v1/rollouts/{id}/renew': { tokens: [token] },
    'POST /v1/rollouts/{id}/steps/{unit}/begin': { token },
    'POST /v1/rollouts/{id}/steps/{unit}/run-token': { token },
    'POST /v1/rollouts/{id}/steps/{unit}/end': {
      token,
      end: { kind: 'failed', reason: 'r', exitCode: 1, engineMs: 1 },
    },
    'POST /v1/rollouts/{id}/steps/{unit}/skip': { reason: 'r' },
    'LOCK /v1/backend/{org}/{unit}': lock,
    'UNLOCK /v1/backend/{org}/{unit}': lock,
  }
  return bodies[name] ?? {}
}

function queryOf(name: string, { group = '' }: Things): string {
  const queries: Readonly<Record<string, string>> = {
    'DELETE /v1/orgs/{org}/bindings': `?role=reader&to=${group}`,
    'DELETE /v1/units/{unit}/dependencies': '?on=base',
    'DELETE /v1/units/{unit}/lock': '?id=l',
    'GET /v1/orgs/{org}/access/explain': '?who=everyone&action=lock',
    'GET /v1/events': '?org=default',
    'GET /v1/audit': '?org=default',
    'GET /v1/audit/verify': '?org=default',
    'POST /v1/gc': '?org=default',
  }
  return queries[name] ?? ''
}

export const nameOf = ({ method, pattern }: Pick<Route, 'method' | 'pattern'>) => `${method} ${pattern}`

/**
 * A call of that route that is understood, and that succeeds if it is allowed. `person`: whose own token it is about.
 * `given`: what it is about instead of something new.
 */
export async function callOf(
  face: SsoFace,
  of: Route,
  person: Person,
  given: Things = {},
): Promise<Sent & { readonly path: string }> {
  const name = nameOf(of)
  let things: Things = { org: 'default', provider: 'hub', name: 'taco.css' }
  for (const [pattern, make] of makers)
    if (pattern.test(name)) things = { ...things, ...(await make(face, things, person)) }
  things = { ...things, ...given }
  const path = of.pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(things[key] ?? key))
  const called = { path: `${path}${queryOf(name, things)}`, method: of.method }
  const form = forms[name]
  if (form !== undefined) return { ...called, headers: FORM, body: form }
  // It stays: the condition fails once everything else was checked.
  if (name === 'DELETE /v1/orgs/{org}') return { ...called, headers: { 'if-match': '"another"' } }
  if (['GET', 'DELETE'].includes(of.method)) return called
  const body = of.isRaw ? stateText(3) : JSON.stringify(bodyOf(name, things, face))
  return { ...called, headers: json, body }
}
