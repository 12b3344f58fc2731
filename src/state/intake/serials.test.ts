import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { unitKey } from '../documents/layout.ts'
import {
  alice,
  keysUnder,
  named,
  openControl,
  overwrite,
  pull,
  push,
  stateText,
} from '../../../test/support/state.ts'

const KEY = 'u/terraform.tfstate'
const u = named('u')

const serialOf = (text: string | undefined) => (JSON.parse(text ?? '{}') as { serial?: number }).serial

function sealedText(serial: number, content = `c${serial}`): string {
  return JSON.stringify({
    serial,
    lineage: 'L',
    meta: { 'key_provider.pbkdf2.word': 'x' },
    encrypted_data: Buffer.from(content).toString('base64'),
    encryption_version: 'v0',
  })
}

async function eightSerials(bucket: Bucket) {
  const control = await openControl(bucket)
  for (let serial = 1; serial <= 8; serial++) await push(control, 'u', stateText(serial))
  return control
}

/** As a server wrote it that did not remember serials yet. */
async function forgetSerials(bucket: Bucket): Promise<void> {
  const [key = ''] = await keysUnder(bucket, unitKey('default', '').replace(/\.json$/, ''))
  const found = await bucket.get(key)
  const { serials: _serials, ...old } = JSON.parse((await found?.bytes())?.toString() ?? '') as Record<
    string,
    unknown
  >
  await overwrite(bucket, key, JSON.stringify(old))
}

test.each([['remembered'], ['read from the history']])(
  'a roll-back over garbage takes a serial above every one in the history (%s)',
  async (how) => {
    const bucket = openMemoryBucket()
    const control = await eightSerials(bucket)
    if (how !== 'remembered') await forgetSerials(bucket)
    await overwrite(bucket, KEY, 'garbage')

    const rolled = await control.versions.rollback(u, '2', {}, alice)

    expect(rolled).toMatchObject({ serial: 9, how: 'rollback' })
    expect(serialOf(await pull(control, 'u'))).toBe(9)
  },
)

test('a roll-back goes above what was written around OpenTaco a moment before', async () => {
  const bucket = openMemoryBucket()
  const control = await eightSerials(bucket)
  await overwrite(bucket, KEY, stateText(40))
  await overwrite(bucket, KEY, stateText(3))

  expect(await control.versions.rollback(u, '2', {}, alice)).toMatchObject({ serial: 9 })
  await overwrite(bucket, KEY, stateText(40))
  expect(await control.versions.rollback(u, '2', {}, alice)).toMatchObject({ serial: 41 })
})

test('serials above the ones that retention left are not used again', async () => {
  const bucket = openMemoryBucket()
  const control = await eightSerials(bucket)
  await forgetSerials(bucket)
  for (const serial of [1, 2, 3])
    await overwrite(bucket, KEY, stateText(serial, `outside ${serial}`))
      .then(() => control.units.get(u, alice))
      .then(() => control.versions.list(u, { limit: 1 }, alice))
  await control.units.update(u, { retention: { count: 2 } }, alice)
  await control.upkeep.gc({ dryRun: false }, alice)

  expect(await control.versions.rollback(u, 'previous', {}, alice)).toMatchObject({ serial: 9 })
})

test('a forced push with an old serial is given the next one, everything else as it was', async () => {
  const control = await eightSerials(openMemoryBucket())

  const forced = await push(control, 'u', stateText(3, 'forced'), { force: true })

  expect(forced).toMatchObject({ serial: 9, how: 'push' })
  expect(await pull(control, 'u')).toBe(stateText(9, 'forced'))
  expect(await push(control, 'u', stateText(9, 'forced'), { force: true })).toMatchObject({ id: forced.id })
  expect(await push(control, 'u', stateText(30), { force: true })).toMatchObject({ serial: 30 })
  await expect(push(control, 'u', stateText(4), { force: true, keepSerial: true })).resolves.toMatchObject({
    serial: 4,
  })
  expect(await control.versions.rollback(u, '1', {}, alice)).toMatchObject({ serial: 31 })
})

test('a state of the same lineage that is pushed after the deletion must be newer, too', async () => {
  const control = await eightSerials(openMemoryBucket())
  await control.states.remove(u, { force: true }, alice)

  await expect(push(control, 'u', stateText(5, 'old'))).rejects.toMatchObject({ code: 'STATE_SERIAL' })
  expect(await push(control, 'u', stateText(1, 'new', 'M'))).toMatchObject({ serial: 1 })
})

test('an encrypted state goes back only if its old serial is accepted', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(control, 'u', sealedText(serial))

  await expect(control.versions.rollback(u, '1', {}, alice)).rejects.toMatchObject({
    code: 'STATE_ENCRYPTED',
    message: expect.stringContaining('serial 1'),
    hint: expect.stringContaining('--keep-serial'),
  })
  expect(await pull(control, 'u')).toBe(sealedText(3))
  expect(await control.versions.rollback(u, '1', { keepSerial: true }, alice)).toMatchObject({ serial: 1 })
  expect(await pull(control, 'u')).toBe(sealedText(1))
  await expect(push(control, 'u', sealedText(2, 'other'), { force: true })).rejects.toMatchObject({
    code: 'STATE_ENCRYPTED',
  })
})

test('a deleted state is restored from its last version, an encrypted one as it was', async () => {
  const control = await openControl()
  await push(control, 'u', sealedText(3))
  await control.states.remove(u, { force: true }, alice)
  expect(await control.versions.rollback(u, 'current', {}, alice)).toMatchObject({ serial: 3 })
  expect(await pull(control, 'u')).toBe(sealedText(3))
})
