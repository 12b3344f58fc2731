import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bucket, Leases, Tag } from '../../src/bucket/index.ts'
import { bodyOf } from '../../src/bucket/index.ts'

/** The promises of `Leases` in bucket.ts, for every store that has leases and for the model of one in test/chaos. */
export function leasesContract(
  name: string,
  open: () => Promise<{ readonly bucket: Bucket; dispose(): Promise<void> }>,
): void {
  describe(`leases of ${name}`, () => {
    const [a, b] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
    const stale = 'no such tag' as Tag
    let opened: Awaited<ReturnType<typeof open>>
    let bucket: Bucket
    let leases: Leases
    let count = 0
    beforeAll(async () => {
      opened = await open()
      bucket = opened.bucket
      if (bucket.locks?.leases === undefined) throw new Error(`${name} has no leases`)
      leases = bucket.locks.leases
    })
    afterAll(() => opened.dispose())

    async function object(): Promise<{ readonly key: string; readonly tag: Tag }> {
      const key = `prod/${++count}/terraform.tfstate`
      const answer = await bucket.put(key, bodyOf('first'), 'absent')
      if (answer.kind !== 'written') throw new Error('the key was new')
      return { key, tag: answer.tag }
    }
    const held = (id: string, note = 'note') => ({ lease: { id, note } })

    test('what is not there cannot be leased', async () => {
      expect(await leases.look('none')).toBeUndefined()
      expect(await leases.acquire('none', a, stale)).toBeUndefined()
      expect(await leases.isHeld('none', a)).toBe(false)
    })

    test('one at a time holds a lease, on condition of the tag, and again changes nothing', async () => {
      const { key, tag } = await object()

      expect(await leases.acquire(key, a, stale)).toBeUndefined()
      expect(await leases.acquire(key, a, tag)).toBe(tag)
      expect(await leases.acquire(key, a, tag)).toBe(tag)
      expect(await leases.acquire(key, b, tag)).toBeUndefined()
      expect([await leases.isHeld(key, a), await leases.isHeld(key, b)]).toEqual([true, false])
      expect(await leases.look(key)).toMatchObject({ tag, leased: true })
      expect(await bucket.head(key)).toMatchObject({ tag, leased: true })
    })

    test('only the holder can put, also on condition of the tag, and no one can delete', async () => {
      const { key, tag } = await object()
      await leases.acquire(key, a, tag)

      expect(await bucket.put(key, bodyOf('theirs'), tag, held(b))).toMatchObject({ kind: 'conflict' })
      expect(await bucket.put(key, bodyOf('old'), stale, held(a))).toMatchObject({ kind: 'conflict' })
      const put = await bucket.put(key, bodyOf('ours'), tag, held(a, 'who: ü'))

      expect(put.kind).toBe('written')
      expect(await leases.look(key)).toMatchObject({ leased: true, note: 'who: ü' })
      expect((await (await bucket.get(key))?.bytes())?.toString()).toBe('ours')
    })

    test('a put under an expired lease is a conflict', async () => {
      const { key, tag } = await object()
      await leases.acquire(key, a, tag)
      await leases.release(key, a)

      expect(await bucket.put(key, bodyOf('late'), tag, held(a))).toMatchObject({ kind: 'conflict' })
    })

    test('a note is left by the holder alone; the tag changes and the content stays', async () => {
      const { key, tag } = await object()
      await leases.acquire(key, a, tag)
      const found = await leases.look(key)
      if (found === undefined) throw new Error('it was there')

      expect(await leases.note(found, b, 'theirs')).toMatchObject({ kind: 'conflict' })
      const noted = await leases.note(found, a, 'ours')
      expect(noted.kind).toBe('written')
      expect(await leases.note(found, a, 'again')).toMatchObject({ kind: 'conflict' })

      const now = await leases.look(key)
      expect(now).toMatchObject({ note: 'ours', leased: true })
      expect(now?.tag).not.toBe(tag)
      expect((await (await bucket.get(key))?.bytes())?.toString()).toBe('first')
    })

    test('a lease changes hands from exactly one id', async () => {
      const { key, tag } = await object()
      await leases.acquire(key, a, tag)

      expect(await leases.change(key, a, b)).toBe(true)
      expect(await leases.change(key, a, b)).toBe(true)
      expect(await leases.change(key, a, a)).toBe(false)
      expect(await leases.isHeld(key, b)).toBe(true)
    })

    test('a release ends exactly one lease, and what is free cannot be taken over', async () => {
      const { key, tag } = await object()
      await leases.acquire(key, a, tag)

      expect(await leases.release(key, b)).toMatchObject({ kind: 'conflict' })
      expect(await leases.release(key, a)).toBe('deleted')
      expect(await leases.release(key, a)).not.toBe('deleted')
      expect(await leases.change(key, a, b)).toBe(false)
      expect(await leases.look(key)).toMatchObject({ tag, leased: false })
    })

    test('breaking ends any lease, on condition of the tag', async () => {
      const { key, tag } = await object()
      expect(await leases.break(key, tag)).toBe('absent')
      await leases.acquire(key, a, tag)

      expect(await leases.break(key, stale)).toMatchObject({ kind: 'conflict' })
      expect(await leases.break(key, tag)).toBe('deleted')
      expect(await leases.isHeld(key, a)).toBe(false)
      expect(await leases.acquire(key, b, tag)).toBe(tag)
    })

    test('a list shows what is leased', async () => {
      const { key, tag } = await object()
      await leases.acquire(key, a, tag)
      const free = await object()

      const entries = []
      for await (const page of bucket.list('prod/')) entries.push(...page)

      const leasedOnes = entries.filter((entry) => bucket.locks?.isLock(entry)).map((entry) => entry.key)
      expect(leasedOnes).toContain(key)
      expect(leasedOnes).not.toContain(free.key)
    })
  })
}
