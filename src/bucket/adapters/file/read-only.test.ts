import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/rig/temp.ts'
import { bodyOf } from '../../body.ts'
import { openFileBucket } from './index.ts'
import { nodeFs } from './fs/node-fs.ts'
import { readingFs } from './fs/reading-fs.ts'
import type { Bucket } from '../../bucket.ts'

async function keysOf(bucket: Bucket): Promise<string[]> {
  const keys: string[] = []
  for await (const page of bucket.list('')) keys.push(...page.map(({ key }) => key))
  return keys
}

test('a folder that may only be read is read and listed, outside files and left-overs included', async () => {
  const root = await tempFolder()
  const before = await openFileBucket({ root })
  await before.put('ours.tfstate', bodyOf('ours'), 'absent')
  const first = await before.put('.taco/units/a.json', bodyOf('{}'), 'absent')
  if (first.kind !== 'written') throw new Error('not written')
  await before.put('.taco/units/a.json', bodyOf('{"v":2}'), first.tag)
  await mkdir(`${root}/old`)
  await writeFile(`${root}/old/terraform.tfstate`, 'theirs')
  await writeFile(`${root}/.taco/tmp/left-over`, '')
  const day = 25 * 3600_000

  const bucket = await openFileBucket({ root, fs: { ...readingFs(nodeFs()), now: () => Date.now() + day } })

  expect(await keysOf(bucket)).toEqual(['.taco/units/a.json', 'old/terraform.tfstate', 'ours.tfstate'])
  for (const key of ['ours.tfstate', 'old/terraform.tfstate', '.taco/units/a.json'])
    expect((await (await bucket.get(key))?.bytes())?.length).toBeGreaterThan(0)
  await expect(bucket.put('new.tfstate', bodyOf('x'), 'absent')).rejects.toThrow(
    expect.objectContaining({ code: 'BUCKET_REFUSED', hint: expect.stringContaining('read-only') }),
  )
})

test('a deleted document, an outside delete and a removed plain file do not stop a read-only reader', async () => {
  const root = await tempFolder()
  const before = await openFileBucket({ root })
  const made = await before.put('.taco/units/a.json', bodyOf('{}'), 'absent')
  if (made.kind !== 'written') throw new Error('not written')
  await before.delete('.taco/units/a.json', made.tag)
  await before.put('kept.tfstate', bodyOf('kept'), 'absent')
  await writeFile(`${root}/theirs`, 'theirs')
  await before.get('theirs')
  await rm(`${root}/theirs`)
  await rm(`${root}/kept.tfstate`)
  const day = 25 * 3600_000

  const bucket = await openFileBucket({ root, fs: { ...readingFs(nodeFs()), now: () => Date.now() + day } })

  expect(await keysOf(bucket)).toEqual(['kept.tfstate'])
  expect((await (await bucket.get('kept.tfstate'))?.bytes())?.toString()).toBe('kept')
  expect(await bucket.get('theirs')).toBeUndefined()
})

test.skipIf(process.platform !== 'linux')(
  'a reader who may not write leaves no file open where the plain file is missing',
  async () => {
    const root = await tempFolder()
    const before = await openFileBucket({ root })
    await before.put('kept.tfstate', bodyOf('kept'), 'absent')
    await rm(`${root}/kept.tfstate`)
    const bucket = await openFileBucket({ root, fs: readingFs(nodeFs()) })
    const countOpen = async () => (await readdir('/proc/self/fd')).length
    const openBefore = await countOpen()

    for (let i = 0; i < 20; i++) await bucket.head('kept.tfstate')

    // Meanwhile other threads of the process may open one or two files.
    expect((await countOpen()) - openBefore).toBeLessThan(10)
  },
)

test('a folder that may not be looked for is refused, and not taken for one that is not there', async () => {
  const lstat = () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  }

  await expect(
    openFileBucket({ root: '/shut/bucket', isReadOnly: true, fs: { ...nodeFs(), lstat } }),
  ).rejects.toThrow(expect.objectContaining({ code: 'BUCKET_REFUSED', facts: { errno: 'EACCES' } }))
})
