import { expect, test } from 'vitest'
import { browserOf, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { systemCaller } from '../../../../access/index.ts'
import type { NodeView } from '../../../../graph/index.ts'
import { rankOf } from './find.ts'
import { nearest } from './nearest.ts'

const caller = systemCaller('opentaco')

test('what begins with the text comes first', () => {
  const names = ['prod/vpc-old/x', 'dev/my-vpc', 'prod/vpc', 'vpc/a', 'prod/other']
  const nodes = names.map((name) => ({ id: name, name }) as NodeView)

  expect(nearest(nodes, 'vpc', 9).map(({ name }) => name)).toEqual([
    'prod/vpc',
    'prod/vpc-old/x',
    'vpc/a',
    'dev/my-vpc',
  ])
  expect(nearest(nodes, 'vpc', 1)).toHaveLength(1)
  const unit = { name: 'prod/Orders', description: 'of the shop', labels: { team: 'data' } }
  expect(['orders', 'ord', 'rod', 'shop', 'team=data', 'none'].map((text) => rankOf(unit, text))).toEqual([
    0,
    1,
    2,
    3,
    4,
    undefined,
  ])
})

async function fill({ deps }: Awaited<ReturnType<typeof startWebFace>>) {
  const { control, variableSets } = deps
  await push(control, 'dev/app', stateText(1))
  await push(control, 'prod/secret', stateText(1))
  await control.units.update({ org: 'default', unit: 'prod/secret' }, { description: 'app of prod' }, caller)
  await variableSets.create('default', { name: 'app-settings', global: true }, caller)
}

test('units, outputs, teams and variable sets are found by a part of their name', async () => {
  const face = await startWebFace()
  await fill(face)
  const browser = createTestBrowser(face)
  const headers = { 'content-type': 'application/json' }
  await face.send('/v1/orgs/default/teams', { method: 'POST', headers, body: '{"name":"app-people"}' })
  const kinds = async (q: string) =>
    (
      (await browser.get(`/app/default/search?q=${q}&format=json`)).json() as unknown as { kind: string }[]
    ).map(({ kind }) => kind)

  expect(await kinds('APP')).toEqual(['Units', 'Units', 'Teams', 'Variable sets'])
  expect(await kinds('value')).toEqual(['Outputs', 'Outputs'])
  expect(await kinds('nothing-like-this')).toEqual([])
  const page = await browser.get('/app/default/search?q=%3Cb%3E')
  expect([page.status, page.text.includes('<b>')]).toEqual([200, false])
  expect(page.text).toContain('taco unit ls --search &#39;&lt;b&gt;&#39;')
  const part = await browser.get('/app/default/search?q=ap&part=suggestions')
  expect(part.text).toMatch(
    /^<a href="\/app\/default\/units\/dev--app">.*Search everything for <b>ap<\/b><\/a>$/,
  )
})

test('a person finds only what they may see', async () => {
  const face = await startSsoFace()
  await fill(face)
  const browser = await browserOf(face, 'bob', ['dev/**'])

  for (const more of ['', '&format=csv', '&part=suggestions']) {
    const { status, text } = await browser.get(`/app/default/search?q=app${more}`)
    expect([more, status, text.includes('dev/app'), text.includes('secret')]).toEqual([
      more,
      200,
      true,
      false,
    ])
  }
  expect((await browser.get('/app/default/search?q=secret&format=json')).json()).toEqual([])
  const path = '/app/default/search?q=app&part=suggestions'
  expect((await browser.get(path)).text).toContain('up to date')
  const other = await browserOf(face, 'eve', ['dev/**'], ['unit:read'])
  const { text } = await other.get(path)
  expect([text.includes('dev/app'), text.includes('up to date'), text.includes('<svg')]).toEqual([
    true,
    false,
    false,
  ])
})
