import { readdir, symlink, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { tempFolder } from '../../test/rig/temp.ts'
import { openBucket } from './buckets.ts'

const DRY = { mayCreate: true, isReadOnly: true }

test('a dry run takes a folder that is not there for an empty one, and does not make it', async () => {
  const root = await tempFolder()
  const { bucket } = await openBucket(`file://${root}/not/yet`, DRY)
  const pages = []
  for await (const page of bucket.list('')) pages.push(...page)

  expect(pages).toEqual([])
  expect([await bucket.get('x.tfstate'), await bucket.head('.taco/units/a.json')]).toEqual([
    undefined,
    undefined,
  ])
  expect(await bucket.mark?.('.taco/units/')).toBeUndefined()
  expect(await readdir(root)).toEqual([])

  const { bucket: real } = await openBucket(`file://${root}/not/yet`)
  expect([bucket.kind, bucket.label, bucket.can]).toEqual([real.kind, real.label, real.can])
})

const unusable: readonly (readonly [string, string, (root: string) => Promise<void>])[] = [
  ['below a file', 'file/bucket', (root) => writeFile(`${root}/file`, '')],
  ['that is a file', 'file', (root) => writeFile(`${root}/file`, '')],
  ['below a link to itself', 'loop/bucket', (root) => symlink('loop', `${root}/loop`)],
  ['that is a link to itself', 'loop', (root) => symlink('loop', `${root}/loop`)],
  ['that is a link to nothing', 'link', (root) => symlink('nothing', `${root}/link`)],
  [
    'that is a link to a file',
    'link',
    async (root) => {
      await writeFile(`${root}/file`, '')
      await symlink('file', `${root}/link`)
    },
  ],
]

test.each(unusable)('a dry run refuses a folder %s, as the real run does', async (_which, path, make) => {
  const root = await tempFolder()
  await make(root)
  const refusal = expect.objectContaining({ code: expect.stringMatching(/^BUCKET_/) })

  await expect(openBucket(`file://${root}/${path}`)).rejects.toThrow(refusal)
  await expect(openBucket(`file://${root}/${path}`, DRY)).rejects.toThrow(refusal)
})
