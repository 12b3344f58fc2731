import { stat, writeFile } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { tempFolder } from '../../../../../test/rig/temp.ts'
import { bodyOf } from '../../../body.ts'
import { nodeFs, openFileBucket } from '../index.ts'
import type { Bucket, Tag } from '../../../bucket.ts'

async function write(bucket: Bucket, key: string, text: string, when: Tag | 'absent' = 'absent') {
  const answer = await bucket.put(key, bodyOf(text), when)
  if (answer.kind === 'conflict') throw new Error('a conflict where none was expected')
  return answer.tag
}

/** Waits until the clock of the file system has moved on since a folder was changed. */
async function clockTicks(folder: string): Promise<void> {
  const changed = (await stat(folder)).ctimeMs
  const probe = `${await tempFolder()}/probe`
  await vi.waitUntil(
    async () => {
      await writeFile(probe, 'x')
      return (await stat(probe)).ctimeMs > changed
    },
    { timeout: 30_000, interval: 5 },
  )
}

test('a folder of documents has another mark after every change, and none just after one', async () => {
  const root = await tempFolder()
  let ahead = 0
  const bucket = await openFileBucket({ root, fs: { ...nodeFs(), now: () => Date.now() + ahead } })
  const young: (string | undefined)[] = []
  const marks: (string | undefined)[] = []
  const look = async () => {
    young.push(await bucket.mark?.('.taco/units/'))
    ahead += 5_000
    marks.push(await bucket.mark?.('.taco/units/'))
    await clockTicks(`${root}/.taco/units`)
  }

  const first = await write(bucket, '.taco/units/a.json', '1')
  await look()
  const second = await write(bucket, '.taco/units/a.json', '2', first)
  await look()
  await bucket.delete('.taco/units/a.json', second)
  await look()
  await write(bucket, 'prod/terraform.tfstate', 'elsewhere')
  expect(await bucket.mark?.('.taco/units/')).toBe(marks.at(-1))

  expect(new Set(marks).size).toBe(3)
  expect(marks).not.toContain(undefined)
  expect(young).toEqual([undefined, undefined, undefined])
  for (const prefix of ['prod/', '.taco/nothing/']) {
    await bucket.mark?.(prefix)
    ahead += 5_000
    expect(await bucket.mark?.(prefix)).toBeUndefined()
  }
})

test.each([-3600_000, 3600_000])(
  'a mark waits until no change can look like the last, by whatever clock the files are kept: %i ms',
  async (ahead) => {
    const root = await tempFolder()
    let passed = 0
    const fs = { ...nodeFs(), now: () => Date.now() + ahead + passed }
    const bucket = await openFileBucket({ root, fs })
    await write(bucket, '.taco/units/a.json', '1')

    expect(await bucket.mark?.('.taco/units/')).toBeUndefined()
    passed = 5_000
    expect(await bucket.mark?.('.taco/units/')).toBeDefined()
  },
)
