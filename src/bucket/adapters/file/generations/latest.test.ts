import { copyFile, readdir, readlink, rm, stat, symlink, utimes } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/rig/temp.ts'
import { bodyOf } from '../../../body.ts'
import type { Bucket, Tag } from '../../../bucket.ts'
import { nodeFs, openFileBucket } from '../index.ts'

async function put(bucket: Bucket, key: string, text: string, when: Tag | 'absent'): Promise<Tag> {
  const answer = await bucket.put(key, bodyOf(text), when)
  if (answer.kind === 'conflict') throw new Error('a conflict where none was expected')
  return answer.tag
}

async function textOf(bucket: Bucket, key: string): Promise<string | undefined> {
  return (await (await bucket.get(key))?.bytes())?.toString()
}

/** The folders that it reads whole. */
async function watched(root: string) {
  const read: string[] = []
  const fs = nodeFs()
  const readdirOf = (path: string) => {
    read.push(path)
    return fs.readdir(path)
  }
  const bucket = await openFileBucket({ root, fs: { ...fs, readdir: readdirOf } })
  read.length = 0
  return { bucket, read }
}

test.each(['.taco/units/a.json', 'states/a.tfstate'])(
  'what another process changed is found without reading its folder: %s',
  async (key) => {
    const root = await tempFolder()
    const writer = await openFileBucket({ root })
    const warm = await watched(root)
    let tag: Tag | 'absent' = 'absent'
    for (const text of ['one', 'two', 'three', 'four']) {
      tag = await put(writer, key, text, tag)
      expect(await textOf(warm.bucket, key)).toBe(text)
    }
    const cold = await watched(root)
    expect(await textOf(cold.bucket, key)).toBe('four')

    await writer.delete(key, tag as Tag)
    for (const { bucket } of [warm, cold, await watched(root)]) expect(await bucket.head(key)).toBeUndefined()
    await put(cold.bucket, key, 'again', 'absent')

    expect(await textOf(warm.bucket, key)).toBe('again')
    expect([...warm.read, ...cold.read]).toEqual([])
  },
)

test('a document whose latest generation is not named is found by reading its folder', async () => {
  const root = await tempFolder()
  const writer = await openFileBucket({ root })
  const key = '.taco/units/a.json'
  await put(writer, key, 'two', await put(writer, key, 'one', 'absent'))
  await rm(`${root}/${key}@1`)
  await symlink('pruned x', `${root}/${key}@1`)

  const cold = await watched(root)
  expect(await textOf(cold.bucket, key)).toBe('two')
  expect(cold.read).toContain(`${root}/.taco/units`)
})

test('an old generation from a backup, unpacked over the folder, does not pass for the latest', async () => {
  const root = await tempFolder()
  const backup = await tempFolder()
  const key = '.taco/units/a.json'
  const writer = await openFileBucket({ root })
  const second = await put(writer, key, 'two', await put(writer, key, 'one', 'absent'))
  const names = await readdir(`${root}/.taco/units`)
  expect(names.toSorted()).toEqual(['a.json@1', 'a.json@2'])
  const first = await readlink(`${root}/${key}@1`)
  const times = await stat(`${root}/${key}@2`)
  await copyFile(`${root}/${key}@2`, `${backup}/two`)
  await put(writer, key, 'four', await put(writer, key, 'three', second))

  await copyFile(`${backup}/two`, `${root}/${key}@2`)
  await utimes(`${root}/${key}@2`, times.atime, times.mtimeMs / 1000)
  await rm(`${root}/${key}@1`)
  await symlink(first, `${root}/${key}@1`)

  for (const bucket of [writer, await openFileBucket({ root })])
    expect(await textOf(bucket, key)).toBe('four')
})
