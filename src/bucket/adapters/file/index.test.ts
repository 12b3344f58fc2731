import {
  chmod,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/rig/temp.ts'
import { isTacoError } from '../../../base/errors.ts'
import { bodyOf } from '../../body.ts'
import { openFileBucket } from './index.ts'
import { nodeFs } from './fs/node-fs.ts'
import type { Bucket, Entry, Tag } from '../../bucket.ts'
import type { FsOps } from './fs/fs-ops.ts'

async function write(
  bucket: Bucket,
  key: string,
  content: string,
  when: Tag | 'absent' = 'absent',
): Promise<Tag> {
  const answer = await bucket.put(key, bodyOf(content), when)
  if (answer.kind === 'conflict') throw new Error('a conflict where none was expected')
  return answer.tag
}

async function textAt(bucket: Bucket, key: string): Promise<string | undefined> {
  return (await (await bucket.get(key))?.bytes())?.toString()
}

async function listed(bucket: Bucket, prefix: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for await (const page of bucket.list(prefix)) entries.push(...page)
  return entries
}

test('a state is a plain file, and its edit is a new object with a new tag', async () => {
  const root = await tempFolder()
  const bucket = await openFileBucket({ root })
  const tag = await write(bucket, 'prod/terraform.tfstate', 'ours')
  expect(await readFile(`${root}/prod/terraform.tfstate`, 'utf8')).toBe('ours')

  await writeFile(`${root}/prod/terraform.tfstate`, 'edited')

  const [entry] = await listed(bucket, 'prod/')
  const found = await bucket.get('prod/terraform.tfstate')
  expect((await found?.bytes())?.toString()).toBe('edited')
  expect(found?.tag).not.toBe(tag)
  expect(entry?.tag).toBe(found?.tag)
  expect((await bucket.put('prod/terraform.tfstate', bodyOf('late'), tag)).kind).toBe('conflict')
})

test('an edit of the same length in the same moment is seen', async () => {
  const root = await tempFolder()
  const bucket = await openFileBucket({ root })
  for (let i = 0; i < 20; i++) {
    const key = `${i}.tfstate`
    await write(bucket, key, 'ours')
    await writeFile(`${root}/${key}`, 'them')
    expect(await textAt(bucket, key)).toBe('them')
  }
})

test('a file that was there before is listed, read, replaced and deleted under one tag', async () => {
  const root = await tempFolder()
  await mkdir(`${root}/old`)
  await writeFile(`${root}/old/terraform.tfstate`, 'there before')
  await utimes(`${root}/old/terraform.tfstate`, 1_600_000_000, 1_600_000_000)
  const bucket = await openFileBucket({ root })

  const [entry] = await listed(bucket, '')
  expect(await readdir(`${root}/.taco/objects`)).toEqual([])
  expect(await bucket.head('old/terraform.tfstate')).toEqual(entry)
  expect(entry).toMatchObject({ key: 'old/terraform.tfstate', size: 12, modifiedAt: 1_600_000_000_000 })
  expect(await listed(bucket, '')).toEqual([entry])

  const next = await write(bucket, 'old/terraform.tfstate', 'ours', entry?.tag)
  expect(await bucket.delete('old/terraform.tfstate', next)).toBe('deleted')
  await expect(stat(`${root}/old/terraform.tfstate`)).rejects.toThrow('ENOENT')
})

test('a plain file that was removed by hand is restored', async () => {
  const root = await tempFolder()
  const bucket = await openFileBucket({ root })
  const tag = await write(bucket, 'x.tfstate', 'kept')
  await rm(`${root}/x.tfstate`)

  expect(await listed(bucket, 'x')).toMatchObject([{ key: 'x.tfstate', tag }])
  expect(await readFile(`${root}/x.tfstate`, 'utf8')).toBe('kept')
})

test('an outside file that was renamed away is gone', async () => {
  const root = await tempFolder()
  await writeFile(`${root}/a`, 'theirs')
  const bucket = await openFileBucket({ root })
  expect(await textAt(bucket, 'a')).toBe('theirs')

  await rename(`${root}/a`, `${root}/b`)

  expect(await bucket.get('a')).toBeUndefined()
  expect(await textAt(bucket, 'b')).toBe('theirs')
})

test('only the latest generation and the emptied first one are kept', async () => {
  const root = await tempFolder()
  const bucket = await openFileBucket({ root })
  let tag: Tag | 'absent' = 'absent'
  for (let i = 0; i < 5; i++) tag = await write(bucket, '.taco/units/a.json', `${i}`, tag)

  expect((await readdir(`${root}/.taco/units`)).toSorted()).toEqual(['a.json@1', 'a.json@5'])
  expect(await readdir(`${root}/.taco/tmp`)).toEqual([])
})

test('a document that was deleted a day ago leaves nothing behind', async () => {
  const root = await tempFolder()
  const real = nodeFs()
  let ahead = 0
  const bucket = await openFileBucket({ root, fs: { ...real, now: () => Date.now() + ahead } })
  const tag = await write(bucket, '.taco/units/a.json', 'x')
  await bucket.delete('.taco/units/a.json', tag)
  await listed(bucket, '.taco/')
  expect(await readdir(`${root}/.taco/units`)).not.toEqual([])

  ahead = 25 * 3600_000

  expect(await listed(bucket, '.taco/')).toEqual([])
  expect(await readdir(`${root}/.taco/units`)).toEqual([])
  await write(bucket, '.taco/units/a.json', 'again')
})

test('a link that leads out of the folder is refused', async () => {
  const root = await tempFolder()
  const elsewhere = await tempFolder()
  await writeFile(`${elsewhere}/secret`, 'not yours')
  await symlink(elsewhere, `${root}/out`)
  const bucket = await openFileBucket({ root })

  await expect(bucket.get('out/secret')).rejects.toSatisfy((error) => isTacoError(error, 'BAD_REQUEST'))
  await expect(bucket.put('out/new', bodyOf('x'), 'absent')).rejects.toSatisfy((error) =>
    isTacoError(error, 'BAD_REQUEST'),
  )
  expect(await listed(bucket, '')).toEqual([])
})

test('the folders that hold the generations are not keys', async () => {
  const bucket = await openFileBucket({ root: await tempFolder() })
  await write(bucket, 'a', 'x')

  for (const key of ['.taco/objects/a@1', '.taco/tmp/x', '.taco', `${'x'.repeat(230)}/a`])
    await expect(bucket.get(key)).rejects.toSatisfy((error) => isTacoError(error, 'BAD_REQUEST'))
  expect(await listed(bucket, '.taco/objects/')).toEqual([])
  expect((await listed(bucket, '')).map(({ key }) => key)).toEqual(['a'])
})

test.each([
  ['ENOSPC', 'BUCKET_UNAVAILABLE'],
  ['EROFS', 'BUCKET_REFUSED'],
  ['EIO', 'BUCKET_UNAVAILABLE'],
] as const)('a disk that answers %s gives %s, a hint, and no left-over file', async (code, expected) => {
  const root = await tempFolder()
  const real = nodeFs()
  let isBroken = false
  const fail = () => Promise.reject(Object.assign(new Error(`${code}: no`), { code }))
  const fs: FsOps = {
    ...real,
    async create(path) {
      const file = await real.create(path)
      return file && { ...file, write: (bytes) => (isBroken ? fail() : file.write(bytes)) }
    },
  }
  const bucket = await openFileBucket({ root, fs })
  const tag = await write(bucket, 'x.tfstate', 'before')
  isBroken = true

  const error: unknown = await bucket
    .put('x.tfstate', bodyOf('after'), tag)
    .catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ code: expected, hint: expect.any(String), facts: { errno: code } })
  expect(await textAt(bucket, 'x.tfstate')).toBe('before')
  expect(await readdir(`${root}/.taco/tmp`)).toEqual([])
  expect(await readdir(`${root}/.taco/objects`)).toEqual(['x.tfstate@1'])
})

test('documents written within one tick of the clock have different ids, not only different numbers', async () => {
  const bucket = await openFileBucket({ root: await tempFolder() })
  const keys = Array.from({ length: 100 }, (_, i) => `.taco/documents/${i}.json`)

  const tags = await Promise.all(keys.map((key) => write(bucket, key, 'same content')))

  expect(new Set(tags).size).toBe(keys.length)
})

test('what is made is for its owner alone; a file that was there keeps its mode', async () => {
  const parent = await tempFolder()
  const root = `${parent}/made`
  const bucket = await openFileBucket({ root })
  const tag = await write(bucket, 'prod/terraform.tfstate', 'ours')
  await write(bucket, '.taco/units/a.json', 'x')
  const modeOf = async (path: string) => (await stat(`${root}${path}`)).mode & 0o777

  for (const folder of ['', '/prod', '/.taco', '/.taco/units', '/.taco/objects/prod'])
    expect([folder, await modeOf(folder)]).toEqual([folder, 0o700])
  for (const file of [
    '/prod/terraform.tfstate',
    '/.taco/units/a.json@1',
    '/.taco/objects/prod/terraform.tfstate@1',
  ])
    expect([file, await modeOf(file)]).toEqual([file, 0o600])
  await chmod(`${root}/prod/terraform.tfstate`, 0o664)
  await write(bucket, 'prod/terraform.tfstate', 'more', tag)
  expect(await modeOf('/prod/terraform.tfstate')).toBe(0o664)
})

test('a folder that must be there and is not is refused, and not made', async () => {
  const root = `${await tempFolder()}/typo`

  await expect(openFileBucket({ root, mustExist: true })).rejects.toThrow(
    expect.objectContaining({ code: 'NOT_FOUND', hint: expect.any(String) }),
  )
  await expect(stat(root)).rejects.toThrow('ENOENT')
})

test('a walk through many folders lets others have their turn', async () => {
  const root = await tempFolder()
  const bucket = await openFileBucket({ root })
  for (let i = 0; i < 400; i++) {
    await mkdir(`${root}/team-${i}`)
    await writeFile(`${root}/team-${i}/terraform.tfstate`, 'x')
  }
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })

  const entries = await listed(bucket, '')
  clearImmediate(next)

  expect(entries).toHaveLength(400)
  expect(turns).toBeGreaterThan(400 / 64)
})

test.each(['loop', 'loop/bucket'])(
  'a folder behind a link to itself is refused in our words: %s',
  async (path) => {
    const root = await tempFolder()
    await symlink('loop', `${root}/loop`)

    for (const mustExist of [true, false])
      await expect(openFileBucket({ root: `${root}/${path}`, mustExist })).rejects.toThrow(
        expect.objectContaining({ code: 'BUCKET_UNAVAILABLE', facts: { errno: 'ELOOP' } }),
      )
  },
)
