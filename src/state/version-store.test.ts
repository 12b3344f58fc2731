import { expect, test } from 'vitest'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { alice, findings, keysUnder, lose, openControl, push, stateText, wrong } from './testing.ts'

const filler = Array.from({ length: 1000 }, (_, i) => `line ${i * 7919}`).join('\n')
const large = (serial: number) => stateText(serial, `${filler}\n${serial}`)

test('nothing more is stored against a base that is remembered but was found missing', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(control, 'd', large(serial))
  await control.upkeep.sweep(alice)
  const [base = '', , third] = await keysUnder(bucket, '.taco/orgs/default/versions/')
  expect(third).toContain('/00000003-00000001-')
  await lose(bucket, base)

  await findings(control, { repair: true })
  for (const serial of [4, 5]) await push(control, 'd', large(serial))

  expect(wrong(await findings(control))).toEqual([])
})
