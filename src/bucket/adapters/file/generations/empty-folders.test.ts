import { existsSync, rmdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/rig/temp.ts'
import { bodyOf } from '../../../body.ts'
import type { Bucket } from '../../../bucket.ts'
import { type FsOps, nodeFs, openFileBucket } from '../index.ts'

const HOUR = 3600_000
const key = (name: string) => `.taco/orgs/acme/journal/2026-03-04/05/${name}.json`

/** Two processes that share a folder, and a clock that runs ahead. */
async function place(between: Partial<FsOps> = {}) {
  const root = await tempFolder()
  const clock = { ahead: 0 }
  const fs: FsOps = { ...nodeFs(), now: () => Date.now() + clock.ahead }
  const open = (own: Partial<FsOps> = {}) => openFileBucket({ root, fs: { ...fs, ...own } })
  return { root, clock, fs, ours: await open(between), theirs: await open() }
}

async function put(bucket: Bucket, name: string): Promise<void> {
  expect(await bucket.put(key(name), bodyOf(name), 'absent')).toMatchObject({ kind: 'written' })
}

async function remove(bucket: Bucket, name: string): Promise<void> {
  const entry = await bucket.head(key(name))
  expect(entry && (await bucket.delete(key(name), entry.tag))).toBe('deleted')
}

async function namesIn(bucket: Bucket): Promise<string[]> {
  const names: string[] = []
  for await (const page of bucket.list('.taco/')) names.push(...page.map((entry) => entry.key))
  return names
}

test('folders that stay empty are removed with their empty parents, and the next writer makes them again', async () => {
  const { root, clock, ours, theirs } = await place()
  await put(ours, 'a')
  await put(ours, 'b')
  await remove(ours, 'a')
  await remove(ours, 'b')
  for (let i = 0; i < 6; i++) await namesIn(theirs)
  expect(existsSync(`${root}/.taco/orgs/acme/journal`)).toBe(true)

  clock.ahead = 25 * HOUR
  for (let i = 0; i < 8; i++) await namesIn(theirs)
  expect(existsSync(`${root}/.taco/orgs`)).toBe(false)
  expect(existsSync(`${root}/.taco/tmp`)).toBe(true)

  // This one still believes that they are there.
  await put(ours, 'c')
  expect(await namesIn(theirs)).toEqual([key('c')])
})

test('a folder with something in it, or that was used lately, stays', async () => {
  const { root, clock, ours, theirs } = await place()
  await put(ours, 'a')
  clock.ahead = 25 * HOUR
  for (let i = 0; i < 5; i++) await namesIn(theirs)
  expect(await namesIn(theirs)).toEqual([key('a')])

  await remove(ours, 'a')
  clock.ahead = 0
  for (let i = 0; i < 5; i++) await namesIn(theirs)
  expect(existsSync(`${root}/.taco/orgs/acme/journal/2026-03-04/05`)).toBe(true)
})

test('a folder that goes between making it and writing into it is made again', async () => {
  let times = 3
  const real = nodeFs()
  const link: FsOps['link'] = (from, to) => {
    if (times-- > 0) rmdirSync(to.slice(0, to.lastIndexOf('/')))
    return real.link(from, to)
  }
  const { ours, theirs } = await place({ link })
  await put(ours, 'a')
  expect(times).toBeLessThanOrEqual(0)
  expect(await namesIn(theirs)).toEqual([key('a')])
})
