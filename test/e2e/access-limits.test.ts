import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { personalToken, startSignInServer } from '../rig/sign-in-server.ts'
import { stateText } from '../support/state.ts'

/** A server with the states of dev/app and prod/app, and people with roles on some units. */
async function open(roles: Readonly<Record<string, { readonly role: string; readonly units?: string[] }>>) {
  const server = await startSignInServer([])
  const as = (token: string) => async (method: string, path: string, body?: object | string) => {
    const answer = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await answer.text()
    return { status: answer.status, text, json: () => JSON.parse(text) as Record<string, unknown> }
  }
  const root = as(server.rootToken)
  const write = async (unit: string) =>
    expect((await root('POST', `/v1/backend/default/${unit}`, stateText(1))).status).toBe(200)
  for (const unit of ['dev/app', 'dev/db', 'prod/app']) await write(unit)
  const tokens: Record<string, string> = {}
  for (const [login, { role, units }] of Object.entries(roles)) {
    tokens[login] = await personalToken(server, login)
    const given = await root('POST', '/v1/orgs/default/bindings', { role, to: `user:${login}`, units })
    expect(given.status, given.text).toBe(200)
  }
  return { server, root, write, as, person: (login: string) => as(tokens[login] ?? '') }
}

test('a run reads what the caller who requested its token may read', async () => {
  const { as, root, person } = await open({ dave: { role: 'operator', units: ['dev/**'] } })
  const dave = person('dave')
  const issued = await dave('POST', '/v1/units/dev--app/run-tokens', {})
  const run = as(String(issued.json()['token']))

  const read = async (unit: string) => (await run('GET', `/v1/backend/default/${unit}`)).status
  const { id } = (await root('GET', '/v1/units/prod--app')).json()

  expect([await read('dev/app'), await read('dev/db')]).toEqual([200, 200])
  expect([await read('prod/app'), await read(String(id))]).toEqual([403, 403])
})

test('a run reads every state if the caller may', async () => {
  const { as, root } = await open({})
  const run = as(String((await root('POST', '/v1/units/dev--app/run-tokens', {})).json()['token']))

  expect((await run('GET', '/v1/backend/default/prod/app')).status).toBe(200)
})

test('a narrowed token does not issue wider run tokens', async () => {
  const { as, person } = await open({ carol: { role: 'admin' } })
  const narrow = await person('carol')('POST', '/v1/tokens', { name: 'narrow', units: ['dev/**'] })
  const issued = await as(String(narrow.json()['token']))('POST', '/v1/units/dev--app/run-tokens', {})
  const run = as(String(issued.json()['token']))

  expect((await run('GET', '/v1/backend/default/dev/db')).status).toBe(200)
  expect((await run('GET', '/v1/backend/default/prod/app')).status).toBe(403)
})

test('a guarded unit cannot be renamed out of its guard, except behind broken glass', async () => {
  const { root, person } = await open({ carol: { role: 'admin' } })
  const carol = person('carol')
  await root('POST', '/v1/orgs/default/guards', { units: ['prod/**'], reason: 'runs only' })

  const rename = () => carol('POST', '/v1/units/prod--app/rename', { name: 'tmp/app' })
  const refused = await rename()
  const moved = await carol('POST', '/v1/units/dev--app/rename', { name: 'prod/web' })
  await root('POST', '/v1/orgs/default/bindings', { role: 'owner', to: 'user:carol' })
  const broken = await carol('POST', '/v1/units/prod--app/break-glass', { reason: 'must be renamed' })

  expect([refused.status, refused.json()['detail']]).toEqual([403, expect.stringContaining('guarded')])
  expect(moved.status, 'into the guard').toBe(200)
  expect(broken.status, broken.text).toBe(201)
  expect((await rename()).status).toBe(200)
})

test('a deleted unit is restored only under a name that the caller may give it', async () => {
  const { root, person } = await open({
    bob: { role: 'admin', units: ['dev/**'] },
    carol: { role: 'admin' },
  })
  const { id } = (await root('GET', '/v1/units/prod--app')).json()
  for (const unit of ['dev--app', 'prod--app'])
    expect((await root('DELETE', `/v1/units/${unit}?force=true`)).status).toBe(200)
  await root('POST', '/v1/orgs/default/guards', { units: ['prod/**'], reason: 'runs only' })
  const restore = async (login: string, unit: unknown, body: object) =>
    (await person(login)('POST', `/v1/units/${String(unit)}/restore`, body)).status

  expect(await restore('bob', 'dev--app', { name: 'prod/web' })).toBe(404)
  expect(await restore('bob', 'dev--app', { name: 'dev/web' })).toBe(200)
  expect(await restore('carol', id, { name: 'tmp/app' }), 'out of the guard').toBe(403)
  expect(await restore('carol', 'prod--app', { name: 'tmp/app' }), 'out of the guard').toBe(403)
  expect(await restore('carol', 'prod--app', {})).toBe(200)
})

test('adopting shows nothing of other organizations', async () => {
  const { root, person } = await open({ carol: { role: 'admin' } })
  await root('POST', '/v1/orgs', { name: 'other' })
  await root('POST', '/v1/backend/other/secret/app', stateText(1))

  const found = await person('carol')('POST', '/v1/adopt', { dryRun: true })

  expect(found.status).toBe(200)
  expect(found.text).toContain('prod/app')
  expect(found.text).not.toContain('secret/app')
})

/** Overwrites the newest stored version of a document. */
async function damage(bucket: string, folder: string, name: string): Promise<void> {
  const place = join(fileURLToPath(bucket), '.taco', folder)
  const newest = (await readdir(place, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.startsWith(`${name}@`))
    .map((entry) => entry.name)
    .toSorted((a, b) => Number(a.split('@')[1]) - Number(b.split('@')[1]))
    .at(-1)
  await writeFile(join(place, newest ?? name), '{"damaged')
}

test('a damaged access document denies everything in its organization, and hides no other one', async () => {
  const { server, root, person } = await open({ carol: { role: 'admin' } })
  const mallory = await personalToken(server, 'mallory')
  await root('POST', '/v1/orgs', { name: 'other' })
  await root('POST', '/v1/orgs/other/bindings', { role: 'owner', to: 'user:mallory' })
  const ofMallory = async (path: string) => {
    const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${mallory}` } })
    return `${answer.status} ${await answer.text()}`
  }

  await damage(server.bucket, 'orgs/default', 'access.json')

  await expect.poll(async () => (await person('carol')('GET', '/v1/units')).status).toBe(500)
  for (const path of ['/v1/orgs', '/v1/whoami', '/v1/units?org=other']) {
    expect(await ofMallory(path)).toMatch(/^200 /)
    expect(await ofMallory(path)).not.toContain('default')
  }
})
