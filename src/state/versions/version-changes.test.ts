import { expect, test } from 'vitest'
import { alice, named, openControl, push, stateText, withResources } from '../../../test/support/state.ts'

test('a list of versions says how many resources and which outputs each one changed', async () => {
  const control = await openControl()
  await push(control, 'a', stateText(1, 'one'))
  await push(control, 'a', stateText(2, 'one'))
  await push(control, 'a', stateText(3, 'two'))
  await push(control, 'a', withResources(4, 12))

  const { items, changes } = await control.versions.list(named('a'), { limit: 10, changes: true }, alice)

  expect(items.map(({ id }) => changes.get(id))).toEqual([
    { resources: 12, outputs: ['value'] },
    { resources: 0, outputs: ['value'] },
    { resources: 0, outputs: [] },
    { resources: 0, outputs: ['value'] },
  ])
})

test('the last version of a page is compared with the first of the next', async () => {
  const control = await openControl()
  for (const serial of [1, 2, 3]) await push(control, 'a', stateText(serial))

  const { items, changes } = await control.versions.list(named('a'), { limit: 2, changes: true }, alice)

  expect(items.map(({ seq, id }) => [seq, changes.get(id)?.outputs])).toEqual([
    [3, ['value']],
    [2, ['value']],
  ])
})
