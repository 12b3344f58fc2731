import { mkdir, rename, rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/rig/temp.ts'
import { bodyOf } from '../../body.ts'
import { openFileBucket } from './index.ts'
import type { Tag } from '../../bucket.ts'

const KEYS = ['prod/terraform.tfstate', '.taco/units/a.json']

test('while the disk is gone nothing is reported as absent', async () => {
  const root = `${await tempFolder()}/mounted`
  const bucket = await openFileBucket({ root })
  const tags = new Map<string, Tag>()
  for (const key of KEYS) {
    const answer = await bucket.put(key, bodyOf('kept'), 'absent')
    if (answer.kind === 'written') tags.set(key, answer.tag)
  }
  const listed = async (prefix: string) => {
    const keys: string[] = []
    for await (const page of bucket.list(prefix)) keys.push(...page.map(({ key }) => key))
    return keys
  }
  const gone = { code: 'BUCKET_UNAVAILABLE', message: expect.stringContaining('no longer exists') }

  await rename(root, `${root}.away`)
  for (const isMountPointThere of [false, true]) {
    if (isMountPointThere) await mkdir(root)
    for (const key of [...KEYS, 'never/was', '.taco/never/was.json']) {
      await expect(bucket.get(key)).rejects.toMatchObject(gone)
      await expect(bucket.head(key)).rejects.toMatchObject(gone)
      await expect(bucket.delete(key, tags.get(key) ?? ('1.x' as Tag))).rejects.toMatchObject(gone)
    }
    for (const prefix of ['', 'prod/', '.taco/units/'])
      await expect(listed(prefix)).rejects.toMatchObject(gone)
  }

  await rm(root, { recursive: true })
  await rename(`${root}.away`, root)
  for (const key of KEYS) expect((await (await bucket.get(key))?.bytes())?.toString()).toBe('kept')
  expect(await bucket.head('never/was')).toBeUndefined()
  expect(await listed('')).toEqual(KEYS.toSorted())
})
