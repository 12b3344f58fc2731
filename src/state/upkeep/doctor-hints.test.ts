import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import {
  findings,
  keysUnder,
  lose,
  openControl,
  overwrite,
  push,
  stateText,
  wrong,
} from '../../../test/support/state.ts'

/** A bucket with two units and some history, in which every object under the prefix is then spoiled. */
async function spoiled(prefix: string, spoil: 'damaged' | 'lost') {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  for (const unit of ['app', 'net']) for (const serial of [1, 2]) await push(before, unit, stateText(serial))
  await before.close()
  for (const key of await keysUnder(bucket, prefix))
    await (spoil === 'lost' ? lose(bucket, key) : overwrite(bucket, key, '{"v":1'))
  return openControl(bucket)
}

test.each([
  ['.taco/orgs/default/org.json', 'damaged'],
  ['.taco/orgs/default/units/', 'damaged'],
  ['.taco/orgs/default/units/', 'lost'],
  ['.taco/orgs/default/names/', 'damaged'],
  ['.taco/orgs/default/names/', 'lost'],
  ['.taco/keys/', 'damaged'],
  ['.taco/orgs/default/versions/', 'damaged'],
  ['.taco/orgs/default/versions/', 'lost'],
  ['.taco/orgs/default/journal/', 'damaged'],
] as const)('doctor sends nobody who reads of %s, %s, to itself again', async (prefix, spoil) => {
  for (const repair of [false, true]) {
    const found = wrong(await findings(await spoiled(prefix, spoil), { deep: true, repair }))
    if (!repair) expect(found).not.toEqual([])
    for (const { message, hint } of found) {
      expect(hint, message).not.toBeNull()
      expect(hint, message).not.toMatch(/run `taco doctor --deep`|`taco doctor --deep` (lists|to see)/i)
    }
  }
})
