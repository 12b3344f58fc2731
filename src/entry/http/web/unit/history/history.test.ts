import { expect, test } from 'vitest'
import { page, startPerson, startUnit, state, system } from '../../../../../../test/rig/unit-pages.ts'
import { named, push } from '../../../../../../test/support/state.ts'

const ref = named('prod/data/orders')

test('versions are searched by number, person and message, also in what is exported', async () => {
  const { browser, control } = await startUnit()
  await control.versions.rollback(ref, '1', { message: 'Bad apply' }, system)

  const found = async (search: string) => {
    const { text } = await browser.get(page(`/history?format=json&search=${search}`))
    return JSON.parse(text) as readonly { version: number }[]
  }
  expect((await found('BAD')).map(({ version }) => version)).toEqual([3])
  expect((await found('2')).map(({ version }) => version)).toEqual([2])
  expect((await found('alice')).map(({ version }) => version)).toEqual([2, 1])
  expect((await browser.get(page('/history?search=nobody'))).text).toContain('No version matches.')
})

test('changes are counted after the page is shown, once, for those who may see the content', async () => {
  const { browser, control } = await startUnit()
  const { items } = await control.versions.list(ref, { limit: 9 }, system)
  const [second, first] = items.map(({ id }) => id)

  const before = await browser.get(page('/history'))
  const path = /hx-get="([^"]*\/changes[^"]*)"/.exec(before.text)?.[1] ?? ''
  expect(path).toBe(page(`/changes?of=${second}`))
  const { text } = await browser.get(path)
  expect(text).toBe(`<span id="changes-${second}" hx-swap-oob="true">2 changed, output url</span>`)
  const after = await browser.get(page('/history'))
  expect(after.text).toContain('2 changed, output url')
  expect(after.text).not.toContain('/changes?')
  expect((await browser.get(page(`/changes?of=${first},sv-none,%3Cb%3E`))).text).toBe('')
  const ofAnother = path.replace('prod--data--orders', 'prod--apps--shop')
  expect((await browser.get(ofAnother)).text).toBe('')

  const other = await startPerson(['unit:read', 'versions:read'])
  const plain = await other.browser.get(page('/history'))
  expect(plain.text).toContain('output url')
  expect(plain.text).not.toContain('/changes?')
  expect((await other.browser.get(path)).status).toBe(403)
})

test('a version that cannot be compared has no count', async () => {
  const { browser, control } = await startUnit()
  await push(control, 'prod/data/orders', state(3, 'x'.repeat(1_000_001)))
  const { items } = await control.versions.list(ref, { limit: 1 }, system)

  expect((await browser.get(page(`/changes?of=${items[0]?.id}`))).text).toBe('')
})
