import { expect, test } from 'vitest'
import { browserOf, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startSignInFace, startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { unitPath, withQuery } from './addresses.ts'
import { commandFor } from './command-org.tsx'
import { exported } from './export.ts'
import { lookOf } from './status.tsx'
import { pageOf, sortingOf } from './table.tsx'

test('an address is changed in what is asked for, and keeps the rest', () => {
  expect(withQuery('/app/acme?status=stale&page=3', { page: undefined, search: 'a b' })).toBe(
    '/app/acme?status=stale&search=a+b',
  )
  expect(withQuery('/app/acme?page=3', { page: '' })).toBe('/app/acme')
  expect(unitPath('/app/acme', 'prod/network/vpc', 'history')).toBe(
    '/app/acme/units/prod--network--vpc/history',
  )
})

test('a command is about the organization of the page that shows it', async () => {
  expect(commandFor('acme', 'taco status')).toBe('taco status --org acme')
  expect(commandFor('acme', "taco state pull a | jq '.x'")).toBe("taco state pull a --org acme | jq '.x'")
  expect(commandFor('acme', 'taco org show acme')).toBe('taco org show acme')
  expect(commandFor('acme', 'tofu init')).toBe('tofu init')
  expect(commandFor('default', 'taco status')).toBe('taco status')

  const face = await startWebFace()
  const headers = { 'content-type': 'application/json' }
  await face.send('/v1/orgs', { method: 'POST', headers, body: '{"name":"acme"}' })
  await face.send('/v1/units?org=acme', { method: 'POST', headers, body: '{"name":"prod/vpc"}' })
  const browser = createTestBrowser(face)
  for (const path of ['', '?part=panel', '/units/prod--vpc', '/units/prod--vpc?part=unit', '/people'])
    expect((await browser.get(`/app/acme${path}`)).text, path).toMatch(/<code>taco [^<]* --org acme/)
})

test('a page beyond the end is the last one', () => {
  const all = [1, 2, 3, 4, 5]

  expect(pageOf(all, 2, 2).items).toEqual([3, 4])
  expect(pageOf(all, 99, 2)).toEqual({ items: [5], paging: { page: 3, size: 2, total: 5 } })
  expect(pageOf(all, -1, 2).items).toEqual([1, 2])
  expect(pageOf([], 1, 2)).toEqual({ items: [], paging: { page: 1, size: 2, total: 0 } })
})

test('a list is sorted by the columns that it has, and by no others', () => {
  const columns = [{ name: 'name' }, { name: 'at' }]

  expect(sortingOf('-at', columns)).toEqual({ by: 'at', isDescending: true })
  expect(sortingOf('constructor', columns)).toBeUndefined()
})

test('an export is a file, in which no text is a formula', () => {
  const columns = [
    { name: 'name', value: ({ name }: { name: string }) => name },
    { name: 'none', value: () => null },
    { name: 'count', value: () => -1 },
  ]
  const items = [{ name: 'a "b", c' }, { name: '=HYPERLINK("x")' }]

  const csv = exported('csv', 'units', columns, items)

  expect(csv.text).toBe('name,none,count\r\n"a ""b"", c",,-1\r\n"\'=HYPERLINK(""x"")",,-1\r\n')
  expect(csv.headers['content-disposition']).toBe('attachment; filename="units.csv"')
  expect(JSON.parse(exported('json', 'units', columns, items).text)[0]).toEqual({
    name: 'a "b", c',
    none: null,
    count: -1,
  })
})

test('what happens to a unit now goes before what was computed', () => {
  expect(lookOf({ status: 'stale', marks: ['locked', 'running', 'failed'] })).toBe('run')
  expect(lookOf({ status: 'up-to-date', marks: ['failed'] })).toBe('fail')
  expect(lookOf({ status: 'state-missing', marks: [] })).toBe('missing')
})

test('the start page leads to the organization that was looked at last', async () => {
  const face = await startWebFace()
  await face.send('/v1/orgs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"acme"}',
  })
  const browser = createTestBrowser(face)
  expect((await browser.get('/')).location).toBe('/app/acme')

  await browser.get('/app/default')
  expect((await browser.get('/')).location).toBe('/app/default')
  await browser.get('/app/acme')
  expect((await browser.get('/')).location).toBe('/app/acme')
})

test('a person without an organization learns what to do', async () => {
  const { browser } = await startSignInFace()
  const alice = browser()
  await alice.signIn()

  expect((await alice.get('/')).status).toBe(200)
  expect((await alice.get('/app')).text).toContain('You are not a member of an organization yet')
  expect((await alice.get('/app/default')).status).toBe(404)
})

test('addresses that engines print lead to the unit', async () => {
  const browser = createTestBrowser(await startWebFace())

  for (const [path, tab] of [
    ['', ''],
    ['/runs', '/runs'],
    ['/runs/run-1', '/runs'],
  ])
    expect((await browser.get(`/app/default/prod--network--vpc${path}`)).location).toBe(
      `/app/default/units/prod--network--vpc${tab}`,
    )
})

test('an error inside an organization keeps its navigation', async () => {
  const browser = createTestBrowser(await startWebFace())

  for (const [path, status] of [
    ['/app/default/units/nothing', 404],
    ['/app/default/rollouts/ro-nothing', 404],
    ['/app/default/a/b/c/d', 404],
    ['/app/default/activity?cursor=nonsense', 400],
  ] as const) {
    const page = await browser.get(path)
    expect([path, page.status]).toEqual([path, status])
    expect([path, page.text.includes('href="/app/default/activity"')]).toEqual([path, true])
    expect([path, page.text.includes('href="/app/default">Go to the estate')]).toEqual([path, true])
  }
  const elsewhere = await browser.get('/app/nowhere/activity')
  expect([elsewhere.status, elsewhere.text.includes('href="/app/nowhere')]).toEqual([404, false])
})

test('an error says as much of a hidden organization as of one that does not exist', async () => {
  const face = await startSsoFace()
  await push(face.deps.control, 'prod/secret', stateText(1))
  const browser = await browserOf(face, 'bob')
  const shape = async (org: string, rest: string) => {
    const { status, text } = await browser.get(`/app/${org}${rest}`)
    return [status, text.replaceAll(org, 'ORG').replaceAll(/req-[\w-]+|value="[\w-]{86}"/g, '')]
  }

  for (const rest of ['', '/activity', '/units/prod--secret', '/a/b/c/d'])
    expect(await shape('default', rest)).toEqual(await shape('missing', rest))
})

test('an error of a unit that the person may not see keeps the navigation that they have', async () => {
  const face = await startSsoFace()
  await push(face.deps.control, 'dev/app', stateText(1))
  await push(face.deps.control, 'prod/secret', stateText(1))
  const browser = await browserOf(face, 'bob', ['dev/**'])

  const [hidden, missing] = [
    await browser.get('/app/default/units/prod--secret'),
    await browser.get('/app/default/units/prod--nothing'),
  ]
  expect([hidden.status, missing.status]).toEqual([404, 404])
  for (const { text } of [hidden, missing]) {
    expect(text).toContain('href="/app/default/activity"')
    expect(text).not.toContain('href="/app/default/people"')
  }
})

test('a part of a page that cannot be renewed stays as it is', async () => {
  const browser = createTestBrowser(await startWebFace())

  const part = await browser.get('/app/default/rollouts/ro-nothing?part=rollout', { 'hx-request': 'true' })

  expect([part.status, part.headers['hx-reswap'], part.text]).toEqual([404, 'none', ''])
})

test('every place is reached on a phone, and the organizations from every page', async () => {
  const browser = createTestBrowser(await startWebFace())

  const { text } = await browser.get('/app/default')
  const phone = /<nav class="phone".*?<\/nav>/s.exec(text)?.[0] ?? ''
  const side = /<nav class="side".*?<\/nav>/s.exec(text)?.[0] ?? ''
  const linksIn = (html: string) => Array.from(html.matchAll(/href="([^"]+)"/g), ([, href]) => href)

  expect(linksIn(phone)).toEqual(linksIn(side))
  expect(phone).toContain('More</summary>')
  expect((await browser.get('/app?part=switcher')).text).toMatch(
    /^<div class="switcher-list"><a href="\/app\/default">/,
  )
})

test('what a form did is said in a cookie that browsers take, however long the names are', async () => {
  const browser = createTestBrowser(await startWebFace())
  await browser.get('/app/default/people/guards')
  const units = Array.from({ length: 300 }, (_, at) => `prod/network-of-a-region/unit-${at}`).join(' ')

  const { status, headers } = await browser.submit('/app/default/people/guards', { units })

  expect(status).toBe(303)
  for (const cookie of headers['set-cookie'] ?? []) expect(cookie.length).toBeLessThan(4096)
  expect((await browser.get('/app/default/people/guards')).text).toContain(
    'Guarded: prod/network-of-a-region/unit-0',
  )
})
