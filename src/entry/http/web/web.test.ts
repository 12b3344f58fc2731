import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Answer, TestFace } from '../../../../test/rig/http-face.ts'
import { rootToken, startSignInFace, startWebFace } from '../../../../test/rig/web-face.ts'
import { type OrgPolicy, bind, systemCaller } from '../../../access/index.ts'
import { webRoutes } from './face.ts'

/** Every page and form: [route, action, openness]. A new one without a row here fails. */
const table = [
  ['GET /assets/{name}', 'account:manage', 'everybody'],
  ['POST /theme', 'account:manage', 'everybody'],
  ['GET /', 'account:manage', 'nobody'],
  ['GET /app', 'org:read', 'nobody'],
  ['POST /app', 'org:create', 'nobody'],
  ['POST /app/{org}/restore', 'org:delete', 'nobody'],
  ['GET /app/{org}', 'graph:read', 'nobody'],
  ['GET /app/{org}/new-unit', 'unit:create', 'nobody'],
  ['POST /app/{org}/new-unit', 'unit:create', 'nobody'],
  ['GET /app/{org}/search', 'unit:read', 'nobody'],
  ['GET /app/{org}/live', 'events:read', 'nobody'],
  ['GET /app/{org}/rollouts', 'rollout:read', 'nobody'],
  ['POST /app/{org}/rollouts', 'rollout:start', 'nobody'],
  ['GET /app/{org}/rollouts/new', 'rollout:read', 'nobody'],
  ['GET /app/{org}/rollouts/{id}', 'rollout:read', 'nobody'],
  ['POST /app/{org}/rollouts/{id}/pause', 'rollout:control', 'nobody'],
  ['POST /app/{org}/rollouts/{id}/resume', 'rollout:control', 'nobody'],
  ['POST /app/{org}/rollouts/{id}/cancel', 'rollout:control', 'nobody'],
  ['POST /app/{org}/rollouts/{id}/steps/{unit}/skip', 'rollout:control', 'nobody'],
  ['GET /app/{org}/activity', 'events:read', 'nobody'],
  ['GET /app/{org}/units/{unit}', 'unit:read', 'nobody'],
  ['GET /app/{org}/variables', 'vars:read', 'nobody'],
  ['POST /app/{org}/variables', 'vars:write', 'nobody'],
  ['GET /app/{org}/variables/{set}', 'vars:read', 'nobody'],
  ['POST /app/{org}/variables/{set}/settings', 'vars:write', 'nobody'],
  ['POST /app/{org}/variables/{set}/variables', 'vars:write', 'nobody'],
  ['POST /app/{org}/variables/{set}/variables/delete', 'vars:write', 'nobody'],
  ['POST /app/{org}/variables/{set}/delete', 'vars:write', 'nobody'],
  ['GET /app/{org}/registry', 'registry:read', 'nobody'],
  ['GET /app/{org}/registry/publish', 'registry:publish', 'nobody'],
  ['POST /app/{org}/registry/publish', 'registry:publish', 'nobody'],
  ['GET /app/{org}/registry/modules/{name}/{provider}', 'registry:read', 'nobody'],
  ['POST /app/{org}/registry/modules/{name}/{provider}/delete', 'registry:publish', 'nobody'],
  [
    'POST /app/{org}/registry/modules/{name}/{provider}/versions/{version}/delete',
    'registry:publish',
    'nobody',
  ],
  [
    'POST /app/{org}/registry/modules/{name}/{provider}/versions/{version}/deprecation',
    'registry:publish',
    'nobody',
  ],
  ['GET /app/{org}/registry/providers', 'registry:read', 'nobody'],
  ['GET /app/{org}/registry/providers/{name}', 'registry:read', 'nobody'],
  ['POST /app/{org}/registry/providers/{name}/delete', 'registry:publish', 'nobody'],
  ['POST /app/{org}/registry/providers/{name}/versions/{version}/delete', 'registry:publish', 'nobody'],
  ['GET /app/{org}/registry/keys', 'registry:read', 'nobody'],
  ['POST /app/{org}/registry/keys', 'registry:publish', 'nobody'],
  ['POST /app/{org}/registry/keys/{key}/delete', 'registry:publish', 'nobody'],
  ['GET /app/{org}/registry/mirror', 'registry:read', 'nobody'],
  ['GET /app/{org}/people', 'access:read', 'nobody'],
  ['POST /app/{org}/people/grant', 'role:manage', 'nobody'],
  ['POST /app/{org}/people/revoke', 'role:manage', 'nobody'],
  ['POST /app/{org}/people/teams', 'team:manage', 'nobody'],
  ['GET /app/{org}/people/teams/{team}', 'access:read', 'nobody'],
  ['POST /app/{org}/people/teams/{team}/settings', 'team:manage', 'nobody'],
  ['POST /app/{org}/people/teams/{team}/members', 'team:manage', 'nobody'],
  ['POST /app/{org}/people/teams/{team}/members/remove', 'team:manage', 'nobody'],
  ['POST /app/{org}/people/teams/{team}/delete', 'team:manage', 'nobody'],
  ['GET /app/{org}/people/roles', 'role:manage', 'nobody'],
  ['POST /app/{org}/people/roles', 'role:manage', 'nobody'],
  ['GET /app/{org}/people/roles/{role}', 'access:read', 'nobody'],
  ['POST /app/{org}/people/roles/{role}/delete', 'role:manage', 'nobody'],
  ['GET /app/{org}/people/tokens', 'token:manage', 'nobody'],
  ['POST /app/{org}/people/tokens', 'token:manage', 'nobody'],
  ['POST /app/{org}/people/tokens/revoke', 'token:manage', 'nobody'],
  ['GET /app/{org}/people/workloads', 'access:read', 'nobody'],
  ['POST /app/{org}/people/workloads', 'token:manage', 'nobody'],
  ['POST /app/{org}/people/workloads/{rule}/delete', 'token:manage', 'nobody'],
  ['GET /app/{org}/people/guards', 'org:read', 'nobody'],
  ['POST /app/{org}/people/guards', 'guard:set', 'nobody'],
  ['POST /app/{org}/people/guards/end', 'guard:set', 'nobody'],
  ['GET /app/{org}/audit', 'audit:read', 'nobody'],
  ['GET /app/{org}/audit/{record}', 'audit:read', 'nobody'],
  ['GET /app/{org}/settings', 'org:read', 'nobody'],
  ['POST /app/{org}/settings/name', 'org:admin', 'nobody'],
  ['POST /app/{org}/settings/limits', 'org:admin', 'nobody'],
  ['POST /app/{org}/settings/delete', 'org:delete', 'nobody'],
  ['POST /app/{org}/settings/restore', 'org:delete', 'nobody'],
  ['GET /app/{org}/settings/projects', 'org:read', 'nobody'],
  ['POST /app/{org}/settings/projects', 'org:admin', 'nobody'],
  ['GET /app/{org}/settings/projects/{project}', 'org:read', 'nobody'],
  ['POST /app/{org}/settings/projects/{project}', 'org:admin', 'nobody'],
  ['POST /app/{org}/settings/projects/{project}/delete', 'org:admin', 'nobody'],
  ['GET /app/{org}/settings/retention', 'org:read', 'nobody'],
  ['POST /app/{org}/settings/retention', 'org:admin', 'nobody'],
  ['POST /app/{org}/settings/retention/apply', 'org:admin', 'nobody'],
  ['GET /app/{org}/settings/usage', 'org:read', 'nobody'],
  ['GET /app/{org}/units/{unit}/lock', 'unit:read', 'nobody'],
  ['POST /app/{org}/units/{unit}/lock', 'lock', 'nobody'],
  ['GET /app/{org}/units/{unit}/dependencies', 'graph:read', 'nobody'],
  ['POST /app/{org}/units/{unit}/dependencies', 'graph:write', 'nobody'],
  ['POST /app/{org}/units/{unit}/dependencies/remove', 'graph:write', 'nobody'],
  ['GET /app/{org}/units/{unit}/runs', 'rollout:read', 'nobody'],
  ['POST /app/{org}/units/{unit}/unlock', 'lock', 'nobody'],
  ['GET /app/{org}/units/{unit}/outputs', 'outputs:read', 'nobody'],
  ['POST /app/{org}/units/{unit}/outputs', 'outputs:read', 'nobody'],
  ['GET /app/{org}/units/{unit}/outputs/log', 'outputs:read', 'nobody'],
  ['GET /app/{org}/units/{unit}/outputs/diff', 'outputs:read', 'nobody'],
  ['GET /app/{org}/units/{unit}/resources', 'state:read', 'nobody'],
  ['GET /app/{org}/units/{unit}/history', 'versions:read', 'nobody'],
  ['GET /app/{org}/units/{unit}/changes', 'versions:read-state', 'nobody'],
  ['GET /app/{org}/units/{unit}/diff', 'versions:read-state', 'nobody'],
  ['GET /app/{org}/units/{unit}/rollback', 'state:rollback', 'nobody'],
  ['POST /app/{org}/units/{unit}/rollback', 'state:rollback', 'nobody'],
  ['GET /app/{org}/units/{unit}/variables', 'vars:read', 'nobody'],
  ['GET /app/{org}/units/{unit}/activity', 'events:read', 'nobody'],
  ['GET /app/{org}/units/{unit}/access', 'unit:read', 'nobody'],
  ['POST /app/{org}/units/{unit}/access/grant', 'role:manage', 'nobody'],
  ['POST /app/{org}/units/{unit}/access/revoke', 'role:manage', 'nobody'],
  ['POST /app/{org}/units/{unit}/access/guard', 'guard:set', 'nobody'],
  ['POST /app/{org}/units/{unit}/access/unguard', 'guard:set', 'nobody'],
  ['POST /app/{org}/units/{unit}/access/break', 'state:break-glass', 'nobody'],
  ['GET /app/{org}/units/{unit}/settings', 'unit:read', 'nobody'],
  ['POST /app/{org}/units/{unit}/settings', 'unit:update', 'nobody'],
  ['GET /app/{org}/settings/notifications', 'notification:read', 'nobody'],
  ['POST /app/{org}/settings/notifications', 'notification:manage', 'nobody'],
  ['GET /app/{org}/settings/notifications/new', 'notification:manage', 'nobody'],
  ['GET /app/{org}/settings/notifications/{notification}', 'notification:read', 'nobody'],
  ['POST /app/{org}/settings/notifications/{notification}', 'notification:manage', 'nobody'],
  ['POST /app/{org}/settings/notifications/{notification}/enabled', 'notification:manage', 'nobody'],
  ['POST /app/{org}/settings/notifications/{notification}/test', 'notification:manage', 'nobody'],
  ['POST /app/{org}/settings/notifications/{notification}/delete', 'notification:manage', 'nobody'],
  ['POST /app/{org}/units/{unit}/variables', 'vars:write', 'nobody'],
  ['POST /app/{org}/units/{unit}/variables/delete', 'vars:write', 'nobody'],
  ['POST /app/{org}/units/{unit}/settings/name', 'unit:rename', 'nobody'],
  ['POST /app/{org}/units/{unit}/settings/project', 'unit:admin', 'nobody'],
  ['POST /app/{org}/units/{unit}/settings/retention', 'unit:admin', 'nobody'],
  ['POST /app/{org}/units/{unit}/settings/encryption', 'unit:admin', 'nobody'],
  ['POST /app/{org}/units/{unit}/settings/execution', 'unit:update', 'nobody'],
  ['GET /app/{org}/units/{unit}/delete', 'unit:delete', 'nobody'],
  ['POST /app/{org}/units/{unit}/delete', 'unit:delete', 'nobody'],
  ['GET /app/{org}/units/{unit}/restore', 'unit:restore', 'nobody'],
  ['POST /app/{org}/units/{unit}/restore', 'unit:restore', 'nobody'],
  ['GET /app/{org}/settings/health', 'org:admin', 'nobody'],
  ['POST /app/{org}/settings/health/check', 'org:admin', 'nobody'],
  ['POST /app/{org}/settings/health/repair', 'org:admin', 'nobody'],
  ['POST /app/{org}/settings/health/audit', 'org:admin', 'nobody'],
  ['GET /app/{org}/{workspace}', 'unit:read', 'nobody'],
  ['GET /app/{org}/{workspace}/runs', 'unit:read', 'nobody'],
  ['GET /app/{org}/{workspace}/runs/{run}', 'unit:read', 'nobody'],
  ['GET /app/{org}/{workspace}/search/{run}', 'unit:read', 'nobody'],
  ['GET /app/{org}/{workspace}/variables', 'unit:read', 'nobody'],
  ['GET /sign-in', 'account:manage', 'everybody'],
  ['POST /sign-in', 'account:manage', 'everybody'],
  ['GET /sign-in/{provider}', 'account:manage', 'everybody'],
  ['GET /sign-in/{provider}/callback', 'account:manage', 'everybody'],
  ['POST /sign-in/{provider}/callback', 'account:manage', 'everybody'],
  ['GET /sign-in/{provider}/metadata', 'account:manage', 'everybody'],
  ['POST /sign-out', 'account:manage', 'everybody'],
  ['GET /account/sessions', 'account:manage', 'nobody'],
  ['POST /account/sessions/end', 'account:manage', 'nobody'],
  ['POST /account/sessions/end-all', 'account:manage', 'nobody'],
  ['GET /account/tokens', 'account:manage', 'nobody'],
  ['POST /account/tokens', 'account:manage', 'nobody'],
  ['POST /account/tokens/revoke', 'account:manage', 'nobody'],
  ['GET /app/settings/tokens', 'account:manage', 'nobody'],
  ['GET /server', 'server:admin', 'nobody'],
  ['POST /server/settings', 'server:admin', 'nobody'],
  ['POST /server/root-token', 'server:admin', 'nobody'],
  ['POST /server/administrators', 'server:admin', 'nobody'],
  ['POST /server/administrators/remove', 'server:admin', 'nobody'],
  ['GET /server/providers', 'provider:manage', 'nobody'],
  ['POST /server/providers', 'provider:manage', 'nobody'],
  ['GET /server/providers/{provider}', 'provider:manage', 'nobody'],
  ['POST /server/providers/{provider}/settings', 'provider:manage', 'nobody'],
  ['POST /server/providers/{provider}/check', 'provider:manage', 'nobody'],
  ['POST /server/providers/{provider}/delete', 'provider:manage', 'nobody'],
  ['GET /server/people', 'server:admin', 'nobody'],
  ['GET /server/people/{person}', 'server:admin', 'nobody'],
  ['POST /server/people/{person}/suspend', 'server:admin', 'nobody'],
  ['POST /server/people/{person}/sessions/end', 'server:admin', 'nobody'],
  ['GET /oauth/authorization', 'account:manage', 'nobody'],
  ['POST /oauth/authorization', 'account:manage', 'nobody'],
  ['GET /device', 'account:manage', 'nobody'],
  ['POST /device', 'account:manage', 'nobody'],
] as const

const html = { accept: 'text/html' }
const formType = { 'content-type': 'application/x-www-form-urlencoded' }
const cookiesOf = ({ headers }: Answer) =>
  (headers['set-cookie'] ?? []).map((text) => text.split(';')[0]).join('; ')
const csrfIn = ({ text }: Answer) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''

/** A page, with the cookie and the token of its forms. */
async function visited(face: TestFace, path = '/app') {
  const answer = await face.send(path, { headers: html })
  return { answer, cookie: cookiesOf(answer), csrf: csrfIn(answer) }
}

test('every page and form has its action and its openness', () => {
  const found = webRoutes.map((of) => `${of.method} ${of.pattern} ${of.action} ${of.openness}`)

  expect(found.toSorted()).toEqual(table.map((row) => row.join(' ')).toSorted())
})

const known = webRoutes.map((of) => ({
  name: `${of.method} ${of.pattern}`,
  of,
  path: of.pattern
    .replace('{provider}', 'corp')
    .replace('{org}', 'default')
    .replaceAll(/\{(\w+)\}/g, '$1'),
}))

/** Whatever is refused then, rights are not the reason. */
const allOwners = {
  type: 'role.granted' as const,
  data: {},
  transition: <T extends OrgPolicy>(policy: T) => bind(policy, { role: 'owner', to: 'everyone' }),
}

test.each(known.filter(({ of }) => of.method === 'POST' && of.fromOtherSites !== 'forms'))(
  '$name does nothing without the token of its form, nor for a page of another site',
  async ({ path }) => {
    const { browser, face } = await startSignInFace()
    await face.deps.orgAccess.change('default', allOwners, systemCaller('opentaco'))
    const alice = browser()
    await alice.signIn()
    await alice.get('/account/tokens')

    const without = await alice.submit(path, { csrf: '' })
    const fromOther = await alice.submit(
      path,
      {},
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    )
    const ofOther = await alice.submit(path, {}, { origin: 'https://evil.example' })

    expect([without.status, fromOther.status, ofOther.status]).toEqual([403, 403, 403])
    expect((await alice.get('/account/tokens')).status).toBe(200)
  },
)

test.each(known.filter(({ of }) => of.openness === 'nobody'))(
  '$name leads to the sign-in page and back without a session, with one that is not ours, and with a token',
  async ({ of, path }) => {
    const { browser } = await startSignInFace()
    const forged = browser()
    forged.cookies.set('__Host-taco', 'v1.k1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')
    const host = '127.0.0.1:1'
    const headers = { host, referer: `http://${host}/account/tokens?a=1` }
    const page = of.method === 'GET' ? path : '/account/tokens?a=1'

    for (const [window, more] of [
      [browser(), {}],
      [forged, {}],
      [browser(), { authorization: `Bearer ${rootToken}` }],
    ] as const) {
      const all = { ...headers, ...more }
      const answer = await (of.method === 'GET' ? window.get(path, all) : window.submit(path, {}, all))
      expect([answer.status, answer.location]).toEqual([
        303,
        `/sign-in?return_to=${encodeURIComponent(page)}${of.method === 'GET' ? '' : '&unsent=yes'}`,
      ])
    }
  },
)

test('the address of a form, which browsers show after a mistake in it, leads to the page above it', async () => {
  const face = await startWebFace()
  const pages = new Set(known.filter(({ of }) => of.method === 'GET').map(({ path }) => path))

  for (const { path } of known.filter((one) => !pages.has(one.path))) {
    const { status, headers } = await face.send(`${path}?a=1`, { headers: html })
    const above = String(headers.location)
    expect([path, status, pages.has(above), path.startsWith(above)]).toEqual([path, 303, true, true])
  }
})

test('a form that was sent from elsewhere leads back to the start page', async () => {
  const { browser } = await startSignInFace()

  for (const referer of ['https://evil.example/x', 'http://127.0.0.1:1//evil.example', 'nonsense'])
    expect(await browser().submit('/account/tokens', {}, { host: '127.0.0.1:1', referer })).toMatchObject({
      location: '/sign-in?return_to=%2F&unsent=yes',
    })
})

test('a form that was sent without a session is not forgotten silently', async () => {
  const face = await startWebFace({ auth: 'token' })
  const sent = await face.send('/app', { method: 'POST', headers: { ...html, ...formType }, body: 'name=a' })

  const page = await face.send(String(sent.headers.location), { headers: html })

  expect(page.text).toContain('Your session ended before the form was sent, so nothing was saved.')
})

test('a page carries a strict policy and is kept by nobody', async () => {
  const { answer } = await visited(await startWebFace())

  expect(answer.status).toBe(200)
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'self'; script-src 'self'; .*form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    ),
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  expect(answer.text).toMatch(/^<!doctype html><html lang="en">/)
  expect(answer.text).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/)
})

test('the files of a page are named by their content, compressed, and cached for ever', async () => {
  const face = await startWebFace()
  const { answer } = await visited(face)
  const paths = [...answer.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => String(path))

  expect(paths).toHaveLength(5)
  for (const path of paths) {
    expect(path).toMatch(/^\/assets\/(taco|htmx|forms)-[\w-]{12}\.(css|js|svg)$/)
    const plain = await face.send(path)
    const small = await face.send(path, { headers: { 'accept-encoding': 'gzip' } })
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(/^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/),
      vary: 'Accept-Encoding',
    })
    expect(gunzipSync(small.bytes).equals(plain.bytes)).toBe(true)
  }
  for (const path of ['/assets/taco.css', '/assets/tsconfig.json', '/assets/x'])
    expect((await face.send(path)).status).toBe(404)
})

test('without a sign-in, the way leads to the sign-in page and back', async () => {
  const face = await startWebFace({ auth: 'token' })

  const { answer } = await visited(face, '/?a=b')
  const page = await face.send(String(answer.headers.location), { headers: html })

  expect([answer.status, answer.headers.location]).toEqual([303, '/sign-in?return_to=%2F%3Fa%3Db'])
  expect(page.status).toBe(200)
  expect(page.text).toContain('Root token')
  expect(page.text).not.toContain('memory:')
})

test('a part of a page leads the whole page to the sign-in and back', async () => {
  const face = await startWebFace({ auth: 'token' })
  const headers = {
    ...html,
    host: '127.0.0.1:1',
    'hx-request': 'true',
    'hx-current-url': 'http://127.0.0.1:1/app/default?view=tree',
  }

  const answer = await face.send('/app/default?view=tree&part=panel', { headers })

  expect([answer.status, answer.text]).toEqual([401, ''])
  expect(answer.headers['hx-redirect']).toBe('/sign-in?return_to=%2Fapp%2Fdefault%3Fview%3Dtree')
})

test('an unknown address is a page for browsers and a problem for programs', async () => {
  const face = await startWebFace()

  const page = await face.send('/nothing', { headers: html })
  const problem = await face.send('/nothing')
  const api = await face.send('/v1/nothing', { headers: html })

  expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect(page.text).toContain('There is no such page.')
  for (const { status, headers } of [problem, api])
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json'])
})

test('a form is carried out only with the token of its page', async () => {
  const face = await startWebFace()
  const { cookie, csrf } = await visited(face)
  const other = await visited(face)
  const choose = (token: string | undefined, headers: Record<string, string>) =>
    face.send('/theme', {
      method: 'POST',
      headers: { ...html, ...formType, ...headers },
      body: String(
        new URLSearchParams({ theme: 'dark', return_to: '/sign-in', ...(token && { csrf: token }) }),
      ),
    })

  expect((await choose(undefined, { cookie })).status).toBe(403)
  expect((await choose('', { cookie })).status).toBe(403)
  expect((await choose(csrf, {})).status).toBe(403)
  expect((await choose(other.csrf, { cookie })).status).toBe(403)
  const done = await choose(csrf, { cookie })
  expect([done.status, done.headers.location]).toEqual([303, '/sign-in'])
  expect(done.headers['set-cookie']).toEqual([
    'taco-theme=dark; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax',
  ])
  const dark = await face.send('/app', { headers: { ...html, cookie: `${cookie}; taco-theme=dark` } })
  expect(dark.text).toContain('<html lang="en" data-theme="dark">')
})

test('no two pages show the same token', async () => {
  const face = await startWebFace()
  const { cookie, csrf } = await visited(face)
  const again = await face.send('/app', { headers: { ...html, cookie } })

  expect(csrfIn(again)).not.toBe(csrf)
  expect(again.headers).not.toHaveProperty('set-cookie')
})

test.each([
  ['another type', { 'content-type': 'application/json' }, '{"theme":"dark"}', 400],
  ['no type', {}, 'theme=dark', 400],
  ['bytes that are not UTF-8', formType, Buffer.from('theme=\xff', 'latin1'), 400],
  ['too much', formType, `theme=${'x'.repeat(300_000)}`, 413],
])('a form of %s is refused', async (_, headers, body, status) => {
  const face = await startWebFace()

  const answer = await face.send('/theme', { method: 'POST', headers: { ...html, ...headers }, body })

  expect(answer.status).toBe(status)
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
})

test('a form with wrong fields is refused with the reason', async () => {
  const face = await startWebFace()
  const { cookie, csrf } = await visited(face)

  const answer = await face.send('/theme', {
    method: 'POST',
    headers: { ...html, ...formType, cookie },
    body: `theme=pink&csrf=${csrf}`,
  })

  expect(answer.status).toBe(400)
  expect(answer.text).toContain('theme')
})

test.each([
  ['GET', '/app', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 200],
  ['GET', '/app', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 403],
  ['GET', '/app', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }, 403],
  ['GET', '/app', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, 403],
  ['POST', '/theme', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 403],
  ['GET', '/v1/server', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 403],
])('from another site, %s %s with %j answers %i', async (method, path, fetched, status) => {
  const face = await startWebFace()
  const headers = { ...html, ...formType, 'sec-fetch-site': 'cross-site', ...fetched }

  expect((await face.send(path, { method, headers })).status).toBe(status)
})

test('over https, cookies are bound to the host', async () => {
  const { answer } = await visited(await startWebFace({ publicUrl: 'https://taco.example' }))

  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-taco-form=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
  ])
})
