import { expect, test } from 'vitest'
import { openFileBucket } from '../../../src/bucket/adapters/file/index.ts'
import { bodyOf } from '../../../src/bucket/body.ts'
import { memoryDisk } from './disk.ts'
import { OWN_KEY, PLAIN_KEY } from './world.ts'
import type { Bucket, Tag } from '../../../src/bucket/bucket.ts'
import type { Disk } from './disk.ts'

/** What happened before the power went, and what may be there afterwards. */
interface Cut {
  readonly disk: Disk
  readonly steps: number
  readonly acknowledged: string | undefined
  readonly attempted: string | undefined
}

class PowerCut extends Error {}

/** Creates, replaces, replaces, deletes and creates again; power goes before step `at`. */
async function workUntil(key: string, at: number): Promise<Cut> {
  const disk = memoryDisk()
  let steps = 0
  let nonces = 0
  const fs = disk.fsOps(async () => {
    if (steps++ >= at) throw new PowerCut('power cut')
  })
  let acknowledged: string | undefined
  let attempted: string | undefined
  try {
    const bucket = await openFileBucket({
      root: '/b',
      fs,
      nonce: () => (++nonces).toString(36).padStart(4, '0'),
    })
    let tag: Tag | 'absent' = 'absent'
    for (const content of ['one', 'two', 'three', undefined, 'four']) {
      attempted = content
      tag = await change(bucket, key, tag, content)
      acknowledged = content
    }
  } catch (error) {
    if (!isPowerCut(error)) throw error
  }
  return { disk, steps, acknowledged, attempted }
}

async function change(bucket: Bucket, key: string, tag: Tag | 'absent', content: string | undefined) {
  if (content === undefined) {
    if (tag !== 'absent') await bucket.delete(key, tag)
    return 'absent' as const
  }
  const answer = await bucket.put(key, bodyOf(content), tag)
  if (answer.kind === 'conflict') throw new Error('a conflict with nobody')
  return answer.tag
}

function isPowerCut(error: unknown): boolean {
  return error instanceof PowerCut || (error instanceof Error && isPowerCut(error.cause))
}

const losses: readonly (readonly [string, (path: string, step: number) => boolean])[] = [
  ['every name that was not synced', () => false],
  ['no name', () => true],
  ['some names that were not synced', (path, step) => (path.length * 31 + step * 17) % 3 === 0],
  ['other names that were not synced', (path, step) => (path.length * 13 + step * 7) % 2 === 0],
]

for (const key of [OWN_KEY, PLAIN_KEY]) {
  test.each(losses)(
    `${key}: nothing acknowledged is lost when a power cut at any step takes %s`,
    async (_, keeps) => {
      const { steps } = await workUntil(key, Number.POSITIVE_INFINITY)
      expect(steps).toBeGreaterThan(50)

      for (let at = 0; at < steps; at++) {
        const cut = await workUntil(key, at)
        const disk = cut.disk.cutPower((path) => keeps(path, at))
        disk.now += 1000
        const bucket = await openFileBucket({ root: '/b', fs: disk.fsOps(() => Promise.resolve()) })

        const found = await bucket.get(key)
        const content = found === undefined ? undefined : (await found.bytes()).toString()
        const tag = found?.tag ?? 'absent'

        expect([cut.acknowledged, cut.attempted], `power cut before step ${at}`).toContain(content)
        expect(await change(bucket, key, tag, 'after')).not.toBe('absent')
        const listed = []
        for await (const page of bucket.list('')) listed.push(...page.map((entry) => entry.key))
        expect(listed).toEqual([key])
      }
    },
  )
}
