import { expect, test } from 'vitest'
import { page, startPerson, startUnit, system } from '../../../../../../test/rig/unit-pages.ts'
import { named } from '../../../../../../test/support/state.ts'

const ref = named('prod/data/orders')
const info = {
  ID: 'l-1',
  Operation: 'OperationTypeApply',
  Info: '',
  Who: 'maria@laptop',
  Version: '1.12.0',
  Created: '',
  Path: '',
}

test('a person locks a unit with a reason, sees it, and unlocks it', async () => {
  const { browser, control } = await startPerson(['unit:read', 'lock'])
  const lockNow = () => control.locks.get(ref, system)
  expect((await browser.get(page())).text).toContain(page('/lock'))
  expect((await browser.get(page('/lock'))).text).toContain('The unit is not locked.')

  const long = await browser.submit(page('/lock'), { reason: 'x'.repeat(1001) })
  expect([long.status, long.text.includes('aria-invalid="true"')]).toEqual([400, true])
  expect(await lockNow()).toBeNull()
  expect(await browser.submit(page('/lock'), { reason: 'migrating' })).toMatchObject({ location: page() })
  const id = (await lockNow())?.id ?? ''
  expect((await browser.get(page())).text).toContain('migrating')
  const shown = await browser.get(page('/lock'))
  expect(shown.text).toContain(id)
  expect(shown.text).toContain('Unlock this unit')

  const again = await browser.submit(page('/lock'), { reason: 'me too' })
  expect(again.status).toBe(409)
  expect(again.text).toContain('The unit is locked already.')
  expect((await browser.submit(page('/unlock'), { id, csrf: 'x' })).status).toBe(403)
  await browser.get(page('/lock'))
  expect(await browser.submit(page('/unlock'), { id })).toMatchObject({ location: page() })
  expect(await lockNow()).toBeNull()
})

test('breaking a lock of others takes a right and the name of the unit, and shows who holds it', async () => {
  const { browser, control } = await startUnit()
  await control.locks.lock(ref, info, {}, system)

  const { text } = await browser.get(page('/lock'))
  expect(text).toContain('maria@laptop')
  expect(text).toContain('OperationTypeApply with version 1.12.0')
  expect(text).toContain('If the holder is still working, its next write is refused')
  const wrong = await browser.submit(page('/unlock'), { id: 'l-1', confirm: 'orders' })
  expect([wrong.status, wrong.text.includes('value="orders"')]).toEqual([400, true])
  const confirm = 'prod/data/orders'
  const late = await browser.submit(page('/unlock'), { id: 'l-0', confirm })
  expect([late.status, late.text.includes('Nothing was unlocked.')]).toEqual([409, true])
  expect(await control.locks.get(ref, system)).not.toBeNull()
  expect((await browser.submit(page('/unlock'), { id: 'l-1', confirm })).status).toBe(303)
  expect(await control.locks.get(ref, system)).toBeNull()
  const gone = await browser.submit(page('/unlock'), { id: 'l-1', confirm })
  expect([gone.status, gone.text.includes('not locked any more')]).toEqual([409, true])
})

test('who may not break locks sees who holds one, and no form', async () => {
  const { browser, control } = await startPerson(['unit:read', 'lock'])
  await control.locks.lock(ref, { ...info, ID: 'page-x' }, {}, system)

  expect((await browser.get(page())).text).not.toContain('>Unlock<')
  const { text } = await browser.get(page('/lock'))
  expect(text).toContain('maria@laptop')
  expect(text).not.toContain('name="id"')
  const refused = await browser.submit(page('/unlock'), { id: 'page-x', confirm: 'prod/data/orders' })
  expect(refused.status).toBe(403)
  expect(await control.locks.get(ref, system)).not.toBeNull()
})
