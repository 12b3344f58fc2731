import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import {
  alice,
  findings,
  keysUnder,
  named,
  openControl,
  overwrite,
  pull,
  push,
  stateText,
  wrong,
} from '../../../test/support/state.ts'

/** Words that only a newer server on the same bucket knows. */

async function rewrite(bucket: Bucket, key: string, from: RegExp, to: string): Promise<void> {
  const text = (await (await bucket.get(key))?.bytes())?.toString() ?? ''
  if (!from.test(text)) throw new Error(`${key} has no ${from.source}`)
  await overwrite(bucket, key, text.replace(from, to))
}

test('an event of an unknown type is shown as it is', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await push(before, 'u', stateText(1))
  await before.close()
  for (const key of await keysUnder(bucket, '.taco/orgs/default/journal/'))
    await rewrite(bucket, key, /"unit\.created"/, '"unit.blessed"').catch(() => {})
  const control = await openControl(bucket)

  const { items } = await control.journal.read({ limit: 100 }, alice)

  expect(items.map(({ type }) => type)).toContain('unit.blessed')
  expect(wrong(await findings(control))).toEqual([])
})

test('a document with words that are not known is used and rewritten with them', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await push(before, 'u', stateText(1))
  await push(before, 'v', stateText(1))
  const [{ id }, v] = [await before.units.get(named('u'), alice), await before.units.get(named('v'), alice)]
  const uses = { on: v.id, name: 'v', outputs: null, source: 'code' as const, inputs: {} }
  await before.graph.changeDependencies(named('u'), () => [uses], alice)
  await before.close()
  const key = `.taco/orgs/default/units/${id}.json`
  await rewrite(bucket, key, /"how":"push"/, '"how":"teleport"')
  await rewrite(bucket, key, /"source":"code"/, '"source":"guess"')
  const control = await openControl(bucket)

  expect(await control.units.get(named('u'), alice)).toMatchObject({
    state: { how: 'teleport' },
    dependencies: [{ source: 'guess' }],
  })
  await control.units.update(named('u'), { description: 'changed here' }, alice)

  const text = (await (await bucket.get(key))?.bytes())?.toString()
  expect(text).toMatch(/"teleport".*"guess"/)
  expect(await pull(control, 'u')).toBe(stateText(1))
})

test('a word that decides something is refused as newer, not as damaged, and left alone', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await push(before, 'u', stateText(1))
  const { id } = await before.units.get(named('u'), alice)
  await before.close()
  const key = `.taco/orgs/default/units/${id}.json`
  await rewrite(bucket, key, /"write":(null|\{.*?"by":"[^"]*"\})/, '"write":{"kind":"merge","with":"x"}')
  const control = await openControl(bucket)

  await expect(push(control, 'u', stateText(2))).rejects.toMatchObject({
    code: 'BUCKET_NEWER',
    message: expect.stringContaining('"merge" in write.kind') as string,
  })
})
