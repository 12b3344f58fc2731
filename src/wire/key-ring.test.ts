import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/rig/temp.ts'
import { checkKeyRing } from '../access/index.ts'
import { newKeyText } from '../access/secrets/keys.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { silentLog } from '../base/log.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { openKeyRing } from './key-ring.ts'

const { id, text } = newKeyText()
const env = { PATH: process.env['PATH'] }

test('keys come from the environment, a file or a program', async () => {
  const file = join(await tempFolder(), 'keys')
  await writeFile(file, text, { mode: 0o600 })

  const rings = await Promise.all([
    openKeyRing({}, { ...env, TACO_SECRET_KEY: text }, silentLog),
    openKeyRing({ secretKeyFile: file }, { ...env, TACO_SECRET_KEY: '' }, silentLog),
    openKeyRing({ secretKeyCommand: `cat '${file}'` }, env, silentLog),
  ])

  expect(rings.map(({ currentKeyId }) => currentKeyId)).toEqual([id, id, id])
})

test('no key is an error that says how to make one', async () => {
  await expect(openKeyRing({}, env, silentLog)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('The secret key is missing.'),
    hint: expect.stringContaining('taco secret-key new'),
  })
})

test('keys from two places are refused: which one is current would be a guess', async () => {
  const asked = openKeyRing({ secretKeyFile: '/keys' }, { ...env, TACO_SECRET_KEY: text }, silentLog)

  await expect(asked).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('TACO_SECRET_KEY and the file /keys'),
  })
})

test('a server with another key than the bucket is refused', async () => {
  const deps = { bucket: openMemoryBucket(), clock: systemClock, ids: randomIds }
  const open = (key: string) => openKeyRing({}, { ...env, TACO_SECRET_KEY: key }, silentLog)
  await checkKeyRing(deps, await open(text))

  await expect(checkKeyRing(deps, await open(newKeyText().text))).rejects.toThrow(
    `This bucket is used with the secret key ${id}`,
  )
})
