import { expect, test } from 'vitest'
import { silentJournal } from '../../../test/support/journal.ts'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { systemCaller } from '../caller.ts'
import { createKeyRing } from '../secrets/key-ring.ts'
import { newKeyText, parseKeys } from '../secrets/keys.ts'
import { createServerSettings } from './server-settings.ts'

const caller = systemCaller('opentaco')
const [first, second] = [newKeyText(), newKeyText()]
const github = (id: string) => ({
  kind: 'github',
  id,
  label: id,
  clientId: 'client',
  clientSecret: `secret of ${id}`,
})

/** Servers over one bucket, each with its own keys. */
async function start() {
  const bucket = openMemoryBucket()
  const serverWith = (...keys: readonly { readonly text: string }[]) =>
    createServerSettings({
      bucket,
      clock: systemClock,
      ids: randomIds,
      journal: silentJournal().journal,
      keys: createKeyRing(parseKeys(keys.map(({ text }) => text).join(','), 'x')),
    })
  const before = serverWith(first)
  await before.putProvider(github('a'), caller)
  await before.putProvider(github('b'), caller)
  return { serverWith }
}

test('the next change of the settings seals every secret with the new key', async () => {
  const { serverWith } = await start()

  await serverWith(second, first).addAdministrator('email:a@example.com', caller)

  expect(await serverWith(second).provider('a')).toMatchObject({ clientSecret: 'secret of a' })
  expect(await serverWith(second).provider('b')).toMatchObject({ clientSecret: 'secret of b' })
})

test('after a key was lost, secrets can be entered again one by one', async () => {
  const { serverWith } = await start()
  const without = serverWith(second)

  await without.putProvider(github('a'), caller)

  expect(await without.provider('a')).toMatchObject({ clientSecret: 'secret of a' })
  await expect(without.provider('b')).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
    facts: { keyId: first.id },
  })
  await without.removeProvider('b', caller)
})
