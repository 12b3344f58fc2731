import { expect, test } from 'vitest'
import { page, startPerson, startUnit, state, system } from '../../../../../../test/rig/unit-pages.ts'
import { named, push } from '../../../../../../test/support/state.ts'
import { dependencyIn } from './dependencies.tsx'

const shop = (tab = '') => `/app/default/units/prod--apps--shop${tab}`

test('a dependency is declared, listed both ways, exported and removed', async () => {
  const { browser, control, face } = await startUnit()
  await push(control, 'prod/net', state(1, 'net'))
  const uses = async (unit: string) =>
    (await face.deps.graph.dependencies.list(named(unit), system)).uses.map(({ on, outputs, inputs }) => [
      on.name,
      outputs,
      inputs,
    ])

  expect((await browser.get(page('/dependencies?direction=uses'))).text).toContain('It uses no other unit.')
  expect((await browser.get(page('/dependencies'))).text).toContain(
    'href="/app/default/units/prod--apps--shop"',
  )
  const sent = { on: ' prod/net ', which: 'some', outputs: 'url', inputs: 'net_url = url' }
  expect(await browser.submit(page('/dependencies'), sent)).toMatchObject({
    location: page('/dependencies'),
  })
  expect(await uses('prod/data/orders')).toEqual([['prod/net', ['url'], { net_url: 'url' }]])
  const after = await browser.get(page('/dependencies'))
  expect(after.text).toContain('Declared that it uses prod/net.')
  expect(after.text).toContain('net_url=url')
  const file = await browser.get(page('/dependencies?format=json'))
  expect(file.json()).toMatchObject([
    { direction: 'uses', unit: 'prod/net', outputs: 'url', source: 'declared' },
    { direction: 'used by', unit: 'prod/apps/shop' },
  ])
  const some = await browser.get(page('/dependencies?direction=used-by&search=SHOP&format=json'))
  expect(some.json()).toMatchObject([{ unit: 'prod/apps/shop' }])
  expect((await browser.get(page('/dependencies?search=nothing'))).text).toContain('No dependency matches.')

  const on = /name="on" value="([^"]+)"/.exec(after.text)?.[1] ?? ''
  await browser.submit(page('/dependencies/remove'), { on })
  expect(await uses('prod/data/orders')).toEqual([])
  await browser.submit(page('/dependencies/remove'), { on })
  expect((await browser.get(page('/dependencies'))).text).toContain('was removed already')
})

test('what is wrong is told at the field, and what was typed stays', async () => {
  const { browser, face } = await startUnit()
  await browser.get(page('/dependencies'))

  for (const [fields, id, text] of [
    [{ on: '' }, 'on', 'Name the unit'],
    [{ on: 'prod/aps/shop' }, 'on', 'There is no unit prod/aps/shop. Did you mean prod/apps/shop?'],
    [{ on: 'prod/apps/shop' }, 'on', 'This would create a cycle'],
    [{ on: 'prod/apps/shop', which: 'some' }, 'outputs', 'Name at least one output.'],
    [{ on: 'prod/apps/shop', inputs: 'nothing' }, 'inputs', 'does not have the form variable=output'],
    [{ on: 'prod/apps/shop', which: 'some', outputs: 'urll' }, 'outputs', 'has no output urll'],
  ] as const) {
    const answer = await browser.submit(page('/dependencies'), fields)
    const error = new RegExp(`id="${id}-error">([^<]*)`).exec(answer.text)?.[1]
    expect([answer.status, error]).toEqual([400, expect.stringContaining(text)])
    expect(answer.text).toContain(`value="${fields.on}"`)
  }
  const { uses } = await face.deps.graph.dependencies.list(named('prod/data/orders'), system)
  expect(uses).toEqual([])
})

test('no page, error or hint names a unit that the person may not see', async () => {
  const { browser, face } = await startPerson(['*'], 'prod/apps/**')
  await browser.get(shop('/dependencies'))

  for (const on of ['prod/data/orders', 'prod/data/order', 'none']) {
    const { status, text } = await browser.submit(shop('/dependencies'), { on })
    expect([status, /id="on-error">([^<]*)/.exec(text)?.[1]]).toEqual([
      400,
      `There is no unit ${on}. Check the name.`,
    ])
  }
  for (const on of ['prod/data/orders', 'none']) {
    await browser.submit(shop('/dependencies/remove'), { on })
    expect((await browser.get(shop('/dependencies'))).text).toContain('was removed already')
  }
  expect((await browser.get(shop('/dependencies'))).text).not.toContain('orders')
  expect((await browser.get(shop('/dependencies?format=csv'))).text).not.toContain('orders')
  const { uses } = await face.deps.graph.dependencies.list(named('prod/apps/shop'), system)
  expect(uses).toHaveLength(1)
})

test('who may only read the graph has no form', async () => {
  const { browser } = await startPerson(['unit:read', 'graph:read'])

  const { status, text } = await browser.get(shop('/dependencies'))

  expect([status, text.includes('name="on"')]).toEqual([200, false])
  expect((await browser.submit(shop('/dependencies'), { on: 'x' })).status).toBe(403)
  expect((await browser.submit(shop('/dependencies/remove'), { on: 'x' })).status).toBe(403)
})

test('all outputs, some of them, or only the order', () => {
  const form = { on: 'a', which: 'all', outputs: 'x, y', inputs: '' } as const

  expect(dependencyIn(form)).toEqual({ on: 'a' })
  expect(dependencyIn({ ...form, which: 'some' })).toEqual({ on: 'a', outputs: ['x', 'y'] })
  expect(dependencyIn({ ...form, which: 'order' })).toEqual({ on: 'a', outputs: [] })
})
