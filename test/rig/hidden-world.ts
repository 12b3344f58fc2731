import { bind, putRole } from '../../src/access/organization/transitions.ts'
import { stateText } from '../support/state.ts'
import { type Credential, type Person, bearer, startSsoFace } from './sso-face.ts'

/**
 * `dev/secret` and `dev/user` are hidden from some. They are all around what is visible: prod/web uses dev/secret, and
 * dev/user uses prod/web.
 */
export async function startHiddenWorld() {
  const face = await startSsoFace()
  const { send, root, policy, signIn, setUp } = face
  const asRoot = async (method: string, path: string, body?: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { ...root, 'content-type': 'application/json' }
    const answer = await send(path, { method, headers, ...(body === undefined ? {} : { body: text }) })
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.text === '' ? {} : answer.json()
  }

  await asRoot('POST', '/v1/units', { name: 'base' })
  const ids: Record<string, string> = {}
  for (const name of ['prod/web', 'prod/db', 'dev/secret', 'dev/user']) {
    const labels = { env: name.split('/')[0] }
    ids[name] = String((await asRoot('POST', '/v1/units', { name, labels }))['id'])
    const output = name.startsWith('dev') ? 'hidden-value' : 'shown-value'
    await asRoot('PUT', `/v1/units/${ids[name]}/state`, stateText(1, output, name))
  }
  await asRoot('POST', '/v1/units/prod--web/dependencies', { on: 'dev/secret' })
  await asRoot('POST', '/v1/units/prod--web/dependencies', { on: 'prod/db' })
  await asRoot('POST', '/v1/units/dev--user/dependencies', { on: 'prod/web' })
  const all = await asRoot('POST', '/v1/rollouts', { from: ['dev/secret'] })
  const some = await asRoot('POST', '/v1/rollouts', { from: ['dev/user'] })
  await asRoot('PUT', `/v1/units/dev--secret/state`, stateText(2, 'hidden-value-2', 'dev/secret'))
  await asRoot('POST', '/v1/units/dev--secret/lock', { id: 'hidden-lock' })
  await asRoot('POST', '/v1/orgs/default/guards', { units: ['dev/user'] })
  await asRoot('POST', '/v1/units/dev--user/break-glass', { reason: 'hidden-reason' })

  const owner = async () => {
    const one = await face.person(face.fresh('person'))
    return { one, to: `user:${one.id}` }
  }
  const byPattern = await owner()
  await policy('default', (all) => bind(all, { role: 'owner', to: byPattern.to, units: ['prod/**'] }))
  const byLabel = await owner()
  const rules = [{ effect: 'allow' as const, actions: ['*'], labels: { env: 'prod' } }]
  await policy('default', (all) =>
    bind(putRole(all, { name: 'prod', rules }), { role: 'prod', to: byLabel.to }),
  )
  const byScope = await owner()
  await policy('default', (all) => bind(all, { role: 'owner', to: byScope.to }))
  const scoped = await signIn.tokens.create(
    { name: 't', owner: { kind: 'personal', user: byScope.one.id }, scope: { units: ['prod/**'] } },
    setUp,
  )
  const people: Readonly<Record<string, Person>> = {
    'a binding with units': byPattern.one,
    'a role by label': byLabel.one,
  }
  const limited: Readonly<Record<string, Credential>> = {
    'a binding with units': byPattern.one.token,
    'a role by label': byLabel.one.token,
    'the scope of a token': bearer(scoped.text),
  }
  return {
    face,
    ids,
    limited,
    /** Those of them who can have a session. */
    people,
    asRoot,
    rollouts: [all, some].map(({ id }) => String(id)),
    person: byPattern.one,
  }
}

/** What no answer to them may have in it. */
export const HIDDEN = ['dev/secret', 'dev/user', 'hidden-']
