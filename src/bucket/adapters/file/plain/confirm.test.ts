import { linkSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { bodyOf } from '../../../body.ts'
import { nodeFs, openFileBucket } from '../index.ts'
import { readingFs } from '../fs/reading-fs.ts'
import type { Bucket, Tag } from '../../../bucket.ts'

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true })
})

const STATE = 'prod/terraform.tfstate'
const DOCUMENT = '.taco/orgs/x.json'

async function written(key: string) {
  const root = mkdtempSync(join(tmpdir(), 'taco-confirm-'))
  roots.push(root)
  // Ahead of the clock of the files, so that what was just written counts as settled.
  const bucket = await openFileBucket({ root, fs: { ...nodeFs(), now: () => Date.now() + 5_000 } })
  const tag = await put(bucket, key, 'first', 'absent')
  const confirmed = bucket.confirmer?.(key, tag)
  // Once before anything happens: it may look at less from then on.
  expect(confirmed?.()).toBe(true)
  return { root, bucket, tag, isCurrent: () => confirmed?.() }
}

async function put(bucket: Bucket, key: string, text: string, when: Tag | 'absent'): Promise<Tag> {
  const answer = await bucket.put(key, bodyOf(text), when)
  if (answer.kind === 'conflict') throw new Error('somebody else was faster')
  return answer.tag
}

test.each([STATE, DOCUMENT])('an unchanged state is current: %s', async (key) => {
  const { bucket, tag, isCurrent } = await written(key)

  expect(isCurrent()).toBe(true)
  expect(await bucket.get(key, { ifNoneMatch: tag })).toBe('unchanged')
})

test.each([STATE, DOCUMENT])('what another process replaced or deleted is not: %s', async (key) => {
  const { root, tag, isCurrent } = await written(key)
  const other = await openFileBucket({ root })

  const next = await put(other, key, 'other', tag)
  expect(isCurrent()).toBe(false)
  const isNextCurrent = other.confirmer?.(key, next)
  expect(isNextCurrent?.()).toBe(true)
  await other.delete(key, next)
  expect([isCurrent(), isNextCurrent?.()]).toEqual([false, false])
})

test('nor a document that was replaced by a writer that died before it could tidy up', async () => {
  const { root, isCurrent } = await written(DOCUMENT)
  const folder = join(root, '.taco/orgs')
  const [name = ''] = readdirSync(folder)

  writeFileSync(join(root, 'claim'), 'next')
  linkSync(join(root, 'claim'), join(folder, name.replace('@1', '@2')))

  expect(isCurrent()).toBe(false)
})

function died(): never {
  throw new Error('the writer died')
}

async function diesBeforePublishing(root: string, text: string, when: Tag | 'absent'): Promise<void> {
  const dying = await openFileBucket({ root, fs: { ...nodeFs(), rename: died } })
  await expect(dying.put(STATE, bodyOf(text), when)).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
  })
}

async function textOf(bucket: Bucket): Promise<string | undefined> {
  return (await (await bucket.get(STATE))?.bytes())?.toString()
}

test('a replaced state is not current once the new one has been seen', async () => {
  const { root, tag, isCurrent } = await written(STATE)
  await diesBeforePublishing(root, 'second', tag)

  expect(await textOf(await openFileBucket({ root }))).toBe('second')
  expect(isCurrent()).toBe(false)
})

test('a reader that cannot publish what a writer left behind reads what is published', async () => {
  const { root, tag, isCurrent } = await written(STATE)
  await diesBeforePublishing(root, 'second', tag)
  const visitor = await openFileBucket({ root, fs: readingFs(nodeFs()) })

  expect([await textOf(visitor), isCurrent(), (await visitor.head(STATE))?.tag]).toEqual(['first', true, tag])
  await openFileBucket({ root }).then((other) => other.head(STATE))
  expect([await textOf(visitor), isCurrent()]).toEqual(['second', false])
})

test.each([1, 2])(
  'a state that is being brought back is not taken for none: generation %i',
  async (count) => {
    const { root, bucket, tag } = await written(STATE)
    if (count === 2) await put(bucket, STATE, 'second', tag)
    rmSync(join(root, STATE))
    const dying = await openFileBucket({ root, fs: { ...nodeFs(), rename: died } })
    await expect(dying.get(STATE)).rejects.toThrow('the writer died')
    const visitor = await openFileBucket({ root, fs: readingFs(nodeFs()) })

    expect(await textOf(visitor)).toBe(count === 1 ? 'first' : 'second')
  },
)

test('nor a state whose file was edited, made to look older, or removed around us', async () => {
  const { root, isCurrent } = await written(STATE)
  const plain = join(root, STATE)
  const before = readFileSync(plain)

  writeFileSync(plain, 'FIRST')
  expect(isCurrent()).toBe(false)
  writeFileSync(plain, before)
  utimesSync(plain, 1, 1)
  expect(isCurrent()).toBe(false)
  rmSync(plain)
  expect(isCurrent()).toBe(false)
})

test("a tag that is not the folder's is never confirmed", async () => {
  const { bucket } = await written(STATE)

  expect(bucket.confirmer?.(STATE, '"x"' as Tag)()).toBe(false)
})
