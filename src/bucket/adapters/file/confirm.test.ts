import { linkSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { bodyOf } from '../../body.ts'
import { openFileBucket } from './index.ts'
import type { Bucket, Tag } from '../../bucket.ts'

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true })
})

const STATE = 'prod/terraform.tfstate'
const DOCUMENT = '.taco/orgs/x.json'

async function written(key: string) {
  const root = mkdtempSync(join(tmpdir(), 'taco-confirm-'))
  roots.push(root)
  const bucket = await openFileBucket({ root })
  const tag = await put(bucket, key, 'first', 'absent')
  const confirmed = bucket.confirmer?.(key, tag)
  return { root, bucket, tag, isCurrent: () => confirmed?.() }
}

async function put(bucket: Bucket, key: string, text: string, when: Tag | 'absent'): Promise<Tag> {
  const answer = await bucket.put(key, bodyOf(text), when)
  if (answer.kind === 'conflict') throw new Error('somebody else was faster')
  return answer.tag
}

test.each([STATE, DOCUMENT])('what nobody changed is current: %s', async (key) => {
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

test.each([STATE, DOCUMENT])(
  'nor what a writer has replaced that died before it could tidy up: %s',
  async (key) => {
    const { root, isCurrent } = await written(key)
    const folder = key === STATE ? join(root, '.taco/objects/prod') : join(root, '.taco/orgs')
    const [name = ''] = readdirSync(folder)

    writeFileSync(join(root, 'claim'), 'next')
    linkSync(join(root, 'claim'), join(folder, name.replace('@1', '@2')))

    expect(isCurrent()).toBe(false)
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

test('a tag that is none of the folder says nothing', async () => {
  const { bucket } = await written(STATE)

  expect(bucket.confirmer?.(STATE, '"x"' as Tag)()).toBe(false)
})
