import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isTacoError } from '../../src/base/errors.ts'
import { bodyOf } from '../../src/bucket/body.ts'
import type { Body, Tag } from '../../src/bucket/bucket.ts'
import { create, tagOf, textAt } from './bucket-conditions.ts'
import type { ContractContext } from './bucket.ts'

const MB = 1024 * 1024

export function readTests(context: ContractContext): void {
  test('what is not there is undefined', async () => {
    const [one] = context.clients()
    const key = `${context.folder()}nothing`

    expect(await one.get(key)).toBeUndefined()
    expect(await one.head(key)).toBeUndefined()
    expect(await one.get(key, { ifNoneMatch: '"x"' as Tag })).toBeUndefined()
    expect(await one.get(key, { range: { start: 0, end: 9 } })).toBeUndefined()
  })

  test('bytes are returned exactly, with tag, size and time', async () => {
    const [one, two] = context.clients()
    const key = `${context.folder()}bytes`
    const content = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 256))
    const tag = await create(one, key, content)

    const found = await two.get(key)
    const head = await two.head(key)

    expect(await found?.bytes()).toEqual(content)
    expect(found).toMatchObject({ key, tag, size: 1000 })
    expect(head).toMatchObject({ key, tag, size: 1000 })
    expect(Math.abs((head?.modifiedAt ?? 0) - Date.now())).toBeLessThan(24 * 3600_000)
  })

  test('an empty object is an object', async () => {
    const [one, two] = context.clients()
    const key = `${context.folder()}empty`
    const tag = await create(one, key, '')

    expect(await one.put(key, bodyOf(''), 'absent')).toEqual({ kind: 'conflict' })
    expect(await two.head(key)).toMatchObject({ tag, size: 0 })
    expect(await textAt(two, key)).toBe('')
    expect(await (await one.get(key, { range: { start: 0, end: 9 } }))?.bytes()).toEqual(Buffer.alloc(0))
    tagOf(await one.put(key, bodyOf('full'), tag))
    expect(await textAt(two, key)).toBe('full')
  })

  test('an unchanged object is not sent again', async () => {
    const [one, two] = context.clients()
    const key = `${context.folder()}unchanged`
    const old = await create(one, key, 'old')

    expect(await two.get(key, { ifNoneMatch: old })).toBe('unchanged')

    await one.put(key, bodyOf('new'), old)
    const found = await two.get(key, { ifNoneMatch: old })
    expect(found === 'unchanged' ? found : (await found?.bytes())?.toString()).toBe('new')
  })

  test('a range returns its bytes, cut at the end of the object, and the size of the whole', async () => {
    const [one] = context.clients()
    const key = `${context.folder()}range`
    await create(one, key, '0123456789')
    const read = async (start: number, end: number) => {
      const found = await one.get(key, { range: { start, end } })
      return [(await found?.bytes())?.toString(), found?.size]
    }

    expect(await read(0, 0)).toEqual(['0', 10])
    expect(await read(2, 5)).toEqual(['2345', 10])
    expect(await read(7, 99)).toEqual(['789', 10])
    expect(await read(0, 9)).toEqual(['0123456789', 10])
    expect(await read(10, 20)).toEqual(['', 10])
  })

  test('a large body streams in and out', async () => {
    const [one, two] = context.clients()
    const key = `${context.folder()}large`
    const body = madeUpBody(30 * MB)
    const sent = createHash('sha256')
    for await (const part of body.stream()) sent.update(part)

    const tag = tagOf(await one.put(key, body, 'absent'))

    const got = createHash('sha256')
    let size = 0
    const found = await two.get(key)
    for await (const part of found?.stream() ?? []) {
      got.update(part)
      size += part.byteLength
    }
    expect(size).toBe(30 * MB)
    expect(got.digest('hex')).toBe(sent.digest('hex'))
    expect(found).toMatchObject({ tag, size: 30 * MB })
    const part = await two.get(key, { range: { start: 20 * MB, end: 20 * MB + 99 } })
    expect((await part?.bytes())?.length).toBe(100)
  })

  test('a stream may be left early, and an object discarded', async () => {
    const [one] = context.clients()
    const key = `${context.folder()}left`
    await create(one, key, Buffer.alloc(5 * MB, 7))

    for (let i = 0; i < 5; i++) {
      const found = await one.get(key)
      for await (const part of found?.stream() ?? []) {
        expect(part[0]).toBe(7)
        break
      }
      ;(await one.get(key))?.discard()
    }

    expect((await (await one.get(key))?.bytes())?.length).toBe(5 * MB)
  })

  test('a body that fails or is cut short is not stored', async () => {
    const [one] = context.clients()
    const folder = context.folder()
    const failing: Body = {
      ...madeUpBody(2 * MB),
      async *stream() {
        yield* madeUpBody(MB).stream()
        throw new Error('the sender is gone')
      },
    }
    const short: Body = { ...madeUpBody(2 * MB), stream: () => madeUpBody(MB).stream() }

    await expect(one.put(`${folder}failing`, failing, 'absent')).rejects.toThrow('the sender is gone')
    await expect(one.put(`${folder}short`, short, 'absent')).rejects.toThrow(Error)

    expect(await one.head(`${folder}failing`)).toBeUndefined()
    expect(await one.head(`${folder}short`)).toBeUndefined()
  })

  test('a call with an aborted signal is abandoned', async () => {
    const [one] = context.clients()
    const key = `${context.folder()}aborted`
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    const givenUp = (error: unknown) => error === reason || isTacoError(error, 'CANCELLED')
    const list = async () => {
      for await (const page of one.list('contract/', { signal })) expect(page).toBeDefined()
    }

    const outcomes = await Promise.allSettled([
      one.get(key, { signal }),
      one.head(key, { signal }),
      one.put(key, bodyOf('x'), 'absent', { signal }),
      one.delete(key, '"x"' as Tag, { signal }),
      list(),
    ])

    const kept = outcomes.filter((outcome) => outcome.status === 'fulfilled' || !givenUp(outcome.reason))
    expect(kept).toEqual([])
    expect(await one.head(key)).toBeUndefined()
  })

  test('a put that is aborted while its body is under way ends and stores nothing', async () => {
    const [one] = context.clients()
    const key = `${context.folder()}aborted-midway`
    const controller = new AbortController()
    const stuck: Body = {
      ...madeUpBody(2 * MB),
      async *stream() {
        yield* madeUpBody(MB).stream()
        controller.abort(new Error('enough'))
        await new Promise<never>((_, reject) => {
          const fail = () => reject(new Error('the signal reached the body'))
          if (controller.signal.aborted) fail()
          else controller.signal.addEventListener('abort', fail)
        })
      },
    }

    await expect(one.put(key, stuck, 'absent', { signal: controller.signal })).rejects.toThrow(Error)

    expect(await one.head(key)).toBeUndefined()
  })
}

/** Bytes that depend on their place, made as they are read. */
function madeUpBody(size: number): Body {
  return {
    size,
    bytes: undefined,
    // eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface
    async *stream() {
      for (let at = 0; at < size; at += 65_536) {
        const part = Buffer.alloc(Math.min(65_536, size - at))
        for (let i = 0; i < part.length; i += 4) part.writeUInt32LE(at + i, i)
        yield part
      }
    },
  }
}
