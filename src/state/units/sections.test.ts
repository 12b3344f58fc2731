import { expect, test } from 'vitest'
import { memoryControl } from '../../../test/rig/http-face.ts'
import { alice } from '../../../test/support/caller.ts'

const section = (value: unknown) => ({ name: 'layer', change: () => value })

test('a section is created, changed from what it was, kept by other changes, and removed', async () => {
  const control = await memoryControl()
  const { units, locks } = control
  const ref = { org: 'default', unit: 'app' }
  await units.create({ org: 'default', name: 'app', section: section({ n: 1 }) }, alice)
  await units.update(ref, { section: { name: 'other', change: () => 'x' } }, alice)
  const raised = (current: unknown) => ({ n: (current as { n: number }).n + 1 })
  await Promise.all(
    [1, 2, 3].map(() => units.update(ref, { section: { name: 'layer', change: raised } }, alice)),
  )
  await units.update(ref, { description: 'd' }, alice)
  await units.rename(ref, 'new', alice)
  const renamed = { ...ref, unit: 'new' }
  const info = { ID: 'L', Operation: '', Info: '', Who: '', Version: '', Created: '', Path: '' }
  await locks.lock(renamed, info, {}, alice)
  const sections = { layer: { n: 4 }, other: 'x' }
  expect(await units.get(renamed, alice)).toMatchObject({ sections })
  const [listed] = (await units.list({ org: 'default', limit: 1 }, alice)).items
  expect(listed?.sections).toEqual(sections)

  await units.update(renamed, { section: section(undefined) }, alice)
  expect((await units.get(renamed, alice)).sections).toEqual({ other: 'x' })
  await control.close()
})
