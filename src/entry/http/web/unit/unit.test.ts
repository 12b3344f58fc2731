import { expect, test } from 'vitest'
import { page, startPerson, startUnit, state, system } from '../../../../../test/rig/unit-pages.ts'
import { named, push } from '../../../../../test/support/state.ts'
import { backendPlaces, credentialCommand } from './overview/backend-blocks.tsx'

test('the overview shows status, neighbours, versions, the lock and the blocks for code', async () => {
  const { browser } = await startUnit()

  const { status, text } = await browser.get(page(), { host: 'localhost:7070' })

  expect(status).toBe(200)
  expect(text).toContain('prod/apps/shop')
  expect(text).toContain('Latest versions')
  expect(text).toContain('<dd>free</dd>')
  expect(text).toContain('+2 resources, outputs password, url')
  expect(text).toContain('rollouts/new?from=prod%2Fdata%2Forders')
  expect(text).toContain('http://localhost:7070/v1/backend/default/prod/data/orders')
  expect(text).toContain('prod--data--orders')
  expect(text).toContain('taco unit show prod/data/orders')
  expect(text).not.toContain('hunter2')
  expect((await browser.get('/app/default/units/nothing')).status).toBe(404)
})

test('a stale unit says which output changed, at which commit, and what it read', async () => {
  const { browser, control } = await startUnit()
  const consumer = 'prod/apps/shop'
  await control.outputs.get(named('prod/data/orders'), { sensitive: false, consumer, names: ['url'] }, system)
  await push(control, consumer, state(2, 'http://shop'))
  await push(control, 'prod/data/orders', state(3, 'http://three'))

  const { text } = await browser.get('/app/default/units/prod--apps--shop')

  expect(text).toContain('Why it is stale')
  expect(text).toMatch(/<b>url<\/b> of .*prod\/data\/orders.* changed/)
  expect(text).toMatch(/at commit 3.*read at commit 2/s)
})

test('a backend of the kind s3 is offered only for a state inside the folder of the organization', () => {
  const place = { address: 'https://taco.example', org: 'acme', unit: 'a/b' }

  expect(backendPlaces({ ...place, stateKey: 'a/b/terraform.tfstate' })).toEqual([
    { kind: 'cloud', hostname: 'taco.example', organization: 'acme', workspace: 'a--b' },
    { kind: 'http', address: 'https://taco.example/v1/backend/acme/a/b' },
    { kind: 'remote', hostname: 'taco.example', organization: 'acme', workspace: 'a--b' },
    { kind: 's3', endpoint: 'https://taco.example/s3', bucket: 'acme', key: 'a/b/terraform.tfstate' },
  ])
  expect(backendPlaces({ ...place, stateKey: undefined }).map(({ kind }) => kind)).not.toContain('s3')
})

test('each kind of backend says how the engine gets the token, which is not in the code', () => {
  const at = (auth: 'none' | 'token' | 'sso') => ({ auth, address: 'https://taco.example' })

  expect(credentialCommand('http', at('none'))).toBeUndefined()
  expect(credentialCommand('http', at('token'))).toContain('TF_HTTP_PASSWORD="$TACO_TOKEN"')
  expect(credentialCommand('http', at('sso'))).toContain('"$(taco whoami --token)"')
  expect(credentialCommand('cloud', at('sso'))).toBe(
    'taco login https://taco.example --for tofu --for terraform',
  )
  expect(credentialCommand('s3', at('token'))).toBe('eval "$(taco s3-keys)"')
})

test('sensitive outputs are masked; showing them takes a right and is recorded', async () => {
  const { browser, control } = await startPerson(['unit:read', 'outputs:read', 'outputs:read-sensitive'])

  const masked = await browser.get(page('/outputs'))
  expect(masked.text).toContain('http://two')
  expect(masked.text).toContain('sensitive')
  expect(masked.text).not.toContain('hunter2')
  expect((await browser.submit(page('/outputs'), { csrf: '' })).text).not.toContain('hunter2')
  await browser.get(page('/outputs'))
  const shown = await browser.submit(page('/outputs'))
  expect(shown.text).toContain('hunter2')

  const { items } = await control.audit.read({ org: 'default', limit: 50 }, system)
  expect(JSON.stringify(items)).toContain('outputs:read-sensitive')

  const other = await startPerson(['unit:read', 'outputs:read'])
  const page2 = await other.browser.get(page('/outputs'))
  expect(page2.text).toContain('outputs:read-sensitive')
  const refused = await other.browser.submit(page('/outputs'))
  expect([refused.status, refused.text.includes('hunter2')]).toEqual([403, false])
})

test('resources are searched, and exported', async () => {
  const { browser } = await startUnit()

  const all = await browser.get(page('/resources'))
  expect(all.text).toContain('aws_instance.web[1]')
  expect(all.text).toContain('data.aws_instance.image')
  expect(all.text).not.toContain('i-0')
  const some = await browser.get(page('/resources?search=WEB[1]'))
  expect(some.text).not.toContain('web[0]')
  expect((await browser.get(page('/resources?mode=data'))).text).not.toContain('aws_instance.web')
  expect((await browser.get(page('/resources?type=none'))).text).toContain('No resource matches.')
  const last = await browser.get(page('/resources?sort=-address&format=csv'))
  expect(last.text.split('\r\n')[1]).toContain('data.aws_instance.image')
  const file = await browser.get(page('/resources?search=data.&format=json'))
  expect(file.json()).toMatchObject([{ address: 'data.aws_instance.image', provider: 'hashicorp/aws' }])
})

test('versions are listed, compared side by side, and rolled back with a confirmation', async () => {
  const { browser, control } = await startUnit()

  const history = await browser.get(page('/history'))
  expect(history.text).toContain('Compare selected')
  expect((await browser.get(page('/history?format=csv'))).text.split('\r\n')).toHaveLength(4)
  const diff = await browser.get(page('/diff?from=1&to=2'))
  expect(diff.text).toMatch(/http:\/\/one.*http:\/\/two/s)
  expect(diff.text).not.toContain('hunter2')
  const missing = await browser.get(page('/diff?from=1&to=9'))
  expect([missing.status, missing.text.includes('id="to-error"')]).toEqual([404, true])
  expect((await browser.get(page('/diff?from=x&to=current'))).text).toContain('id="from-error"')

  const asked = await browser.get(page('/rollback?version=1'))
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(asked.text)?.[1] ?? ''
  expect(asked.text).toContain('Roll back to version 1')
  expect(asked.text).toMatch(/One unit reads outputs that change.*url.*prod\/apps\/shop/s)
  const fields = { version: hidden('version'), current: hidden('current'), message: 'bad apply' }
  await push(control, 'prod/data/orders', state(3, 'http://three'))
  const late = await browser.submit(page('/rollback'), fields)
  expect(late.status).toBe(409)
  expect(late.text).toContain('Nothing was rolled back.')
  expect(late.text).toContain('value="bad apply"')
  expect(late.text).toContain('http://three')

  const current = /name="current" value="([^"]*)"/.exec(late.text)?.[1] ?? ''
  expect((await browser.submit(page('/rollback'), { ...fields, current, csrf: 'x' })).status).toBe(403)
  await browser.get(page('/rollback?version=1'))
  const done = await browser.submit(page('/rollback'), { ...fields, current })
  expect([done.status, done.location]).toEqual([303, page('/history')])
  const { state: now } = await control.units.get(named('prod/data/orders'), system)
  expect(now).toMatchObject({ seq: 4, message: 'bad apply', how: 'rollback' })
})

test('variables are shown with where they come from, without sensitive values', async () => {
  const { browser, face } = await startUnit()
  const { variables, unitVariables } = face.deps
  const owner = await unitVariables.find(named('prod/data/orders'), system)
  await variables.change(owner, { set: [{ key: 'region', category: 'terraform', value: 'eu-1' }] }, system)

  const { text } = await browser.get(page('/variables'))

  expect(text).toContain('region')
  expect(text).toContain('eu-1')
  expect(text).toContain('this unit')
  expect(await browser.get('/app/default/prod--data--orders/variables')).toMatchObject({
    status: 303,
    location: page('/variables'),
  })
})

test('what happened to the unit is listed, and nothing of other units', async () => {
  const { browser } = await startUnit()

  // Events reach the journal a moment after the change.
  const read = async () => (await browser.get(page('/activity'))).text
  await expect.poll(read, { timeout: 20_000 }).toContain('wrote the state<')
  const text = await read()
  expect(text).not.toContain('prod/apps/shop')
  expect((await browser.get(page('/activity?type=lock'))).text).not.toContain('wrote the state<')
  expect((await browser.get(page('/activity?person=nobody'))).text).toContain(
    'Nothing that matches was found.',
  )
  expect((await browser.get(page('/activity?type=state&person=alice&format=json'))).text).toContain(
    'state.written',
  )
})

const TABS = [
  '',
  '/lock',
  '/dependencies',
  '/outputs',
  '/outputs/log',
  '/outputs/diff',
  '/resources',
  '/history',
  '/diff?from=1&to=2',
  '/runs',
  '/variables',
  '/activity',
  '/settings',
]

test('a unit that a person may not see has no page, and none of its neighbours names it', async () => {
  const { browser } = await startPerson(['*'], 'prod/apps/**')

  for (const tab of [...TABS, '/rollback'])
    expect([tab, (await browser.get(page(tab))).status]).toEqual([tab, 404])
  for (const form of [
    '/lock',
    '/unlock',
    '/dependencies',
    '/dependencies/remove',
    '/outputs',
    '/rollback',
    '/settings',
  ])
    expect([form, (await browser.submit(page(form))).status]).toEqual([form, 404])
  const seen = await browser.get('/app/default/units/prod--apps--shop')
  expect(seen.status).toBe(200)
  expect(seen.text).not.toContain('orders')
})

test('a person sees the tabs and the forms that their rights allow', async () => {
  const { browser } = await startPerson(['unit:read'])

  const { text } = await browser.get(page())
  const allowed = await Promise.all(TABS.map(async (tab) => (await browser.get(page(tab))).status))

  expect(allowed).toEqual([200, 200, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 200])
  expect(text).not.toContain(page('/outputs'))
  expect(text).not.toContain('Latest versions')
  expect(text).not.toContain(page('/lock'))
  expect(text).not.toContain('Roll out from here')
  expect(text).not.toContain('prod/apps/shop')
  expect((await browser.get(page('/settings'))).text).not.toContain('name="seen"')
})
