import { hash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeOneResource, makeEncryptedState, makeState } from '../../../bench/fixtures.ts'
import { isTacoError } from '../../base/errors.ts'
import type { Spool } from '../../base/spool.ts'
import { bodyOf, type Body } from '../../bucket/index.ts'
import { encodeVersion, type EncodedVersion } from './encode.ts'
import { decodeHeader } from './frame.ts'
import { readVersion } from './decode.ts'

/** Gives out one buffer again and again, as the promise of a spool allows. */
function memorySpool(): Spool & { open: number; largest: number } {
  const spool = {
    open: 0,
    largest: 0,
    async create() {
      const parts: Uint8Array[] = []
      const shared = new Uint8Array(64 * 1024)
      let size = 0
      let whole: Buffer | undefined
      spool.open++
      return {
        get size() {
          return size
        },
        async write(chunk: Uint8Array) {
          parts.push(new Uint8Array(chunk))
          size += chunk.length
          spool.largest = Math.max(spool.largest, size)
        },
        async *stream(range?: { readonly start: number; readonly end: number }) {
          whole ??= Buffer.concat(parts)
          const end = Math.min(size, (range?.end ?? size - 1) + 1)
          for (let at = range?.start ?? 0; at < end; at += shared.length) {
            const length = Math.min(shared.length, end - at)
            shared.set(whole.subarray(at, at + length))
            yield shared.subarray(0, length)
            shared.fill(0)
          }
        },
        async dispose() {
          spool.open--
        },
      }
    },
  }
  return spool
}

/** A body that is not in memory and reuses its buffer. */
function streamed(bytes: Uint8Array, step = 50_000): Body {
  return {
    size: bytes.length,
    bytes: undefined,
    async *stream() {
      for (let at = 0; at < bytes.length; at += step) {
        const chunk = new Uint8Array(bytes.subarray(at, at + step))
        yield chunk
        chunk.fill(0)
      }
    },
  }
}

async function bytesOf(body: Pick<Body, 'stream'>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of body.stream()) parts.push(new Uint8Array(part))
  return Buffer.concat(parts)
}

async function readBack(
  frames: ReadonlyMap<string, Uint8Array>,
  id: string,
  spool: Spool = memorySpool(),
): Promise<Buffer> {
  const { content } = await readVersion(id, {
    spool,
    open: async (wanted) => {
      const frame = frames.get(wanted)
      if (frame === undefined) throw new Error(`no frame ${wanted}`)
      return streamed(frame, 1000).stream()
    },
  })
  return await bytesOf({ stream: () => content })
}

async function encodePair(
  before: Uint8Array,
  after: Uint8Array,
): Promise<{ frames: Map<string, Uint8Array>; next: EncodedVersion }> {
  const spool = memorySpool()
  const first = await encodeVersion(bodyOf(before), { meta: { n: 1 }, spool })
  const next = await encodeVersion(bodyOf(after), {
    meta: { n: 2 },
    base: { id: 'first', index: first.index },
    spool,
  })
  return {
    frames: new Map([
      ['first', await bytesOf(first.frame)],
      ['next', await bytesOf(next.frame)],
    ]),
    next,
  }
}

interface Edit {
  readonly at: number
  readonly drop: number
  readonly insert: Uint8Array
}

function edited(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  let result = Buffer.from(bytes)
  for (const { at, drop, insert } of edits) {
    const place = at % (result.length + 1)
    result = Buffer.concat([result.subarray(0, place), insert, result.subarray(place + drop)])
  }
  return result
}

const edit = fc.record({ at: fc.nat(), drop: fc.nat(5000), insert: fc.uint8Array({ maxLength: 3000 }) })

test('any bytes decode to what they were', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 5000 }),
      fc.uint8Array({ maxLength: 5000 }),
      async (before, after) => {
        const { frames } = await encodePair(before, after)

        expect(Buffer.compare(await readBack(frames, 'first'), before)).toBe(0)
        expect(Buffer.compare(await readBack(frames, 'next'), after)).toBe(0)
      },
    ),
    { numRuns: 60 },
  )
})

test('an edited state decodes to what it was, and costs about as much as the change', async () => {
  const before = makeState({ bytes: 200_000 })

  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 4 }), async (edits) => {
      const after = edited(before, edits)
      const { frames, next } = await encodePair(before, after)

      expect(Buffer.compare(await readBack(frames, 'next'), after)).toBe(0)
      expect(next.kind).toBe('delta')
      expect(next.frame.size).toBeLessThan(1000 + edits.length * 12_000)
    }),
    { numRuns: 60 },
  )
})

test('parts that changed places are found again', async () => {
  const before = randomBytes(300_000)
  const after = Buffer.concat([
    before.subarray(200_000),
    before.subarray(0, 100_000),
    before.subarray(100_000, 200_000),
    before.subarray(0, 50_000),
  ])

  const { frames, next } = await encodePair(before, after)

  expect(next.frame.size).toBeLessThan(40_000)
  expect(Buffer.compare(await readBack(frames, 'next'), after)).toBe(0)
})

test('the index is the same whether or not there was a base to compare with', async () => {
  const before = makeState({ bytes: 300_000 })
  const after = changeOneResource(before, 3)

  const { next } = await encodePair(before, after)
  const alone = await encodeVersion(streamed(after, 7777), { meta: {}, spool: memorySpool() })

  expect(next.index).toEqual(alone.index)
  expect(next.index.byteSize).toBeLessThan(10_000)
})

test('the end of the base is not a cut for content that continues after it', async () => {
  const before = makeState({ bytes: 300_000 })
  const after = Buffer.concat([before, makeState({ bytes: 50_000, seed: 5 })])

  const { next } = await encodePair(before, after)
  const alone = await encodeVersion(bodyOf(after), { meta: {}, spool: memorySpool() })

  expect(next.index).toEqual(alone.index)
})

test('content that has nothing in common with its base is stored whole', async () => {
  const { next } = await encodePair(
    makeState({ bytes: 50_000 }),
    makeState({ bytes: 50_000, seed: 99, lineage: 'other' }),
  )
  const sealed = await encodePair(
    makeEncryptedState({ bytes: 50_000 }),
    makeEncryptedState({ bytes: 50_000, serial: 2 }),
  )

  expect(next.kind).toBe('full')
  expect(sealed.next.kind).toBe('full')
})

test('bytes that do not pack are stored as they are', async () => {
  const bytes = randomBytes(100_000)

  const { frame } = await encodeVersion(bodyOf(bytes), { meta: {}, spool: memorySpool() })

  expect(frame.size).toBeLessThan(bytes.length + 400)
  expect(decodeHeader(await bytesOf(frame))).toMatchObject({ packing: 'raw', kind: 'full' })
})

test('the header is read from the first bytes and holds the meta as given', async () => {
  const meta = { by: 'alice', at: 5, deep: { ü: [1, null, 'x'] } }
  const { frame, sha256 } = await encodeVersion(bodyOf('content'), { meta, spool: memorySpool() })
  const bytes = await bytesOf(frame)

  expect(decodeHeader(bytes)).toMatchObject({ meta, sha256, size: 7, kind: 'full' })
  expect(decodeHeader(bytes.subarray(0, 30))).toBeUndefined()
  expect(() => decodeHeader(bytes.subarray(0, 10))).toThrow(
    expect.objectContaining({ code: 'BUCKET_CORRUPT' }),
  )
})

test('any bytes are a header, too few for one, or damage', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, looksRight) => {
      if (looksRight) bytes.set(Buffer.from('TACO\u0001\0\0').subarray(0, bytes.length))
      try {
        expect(decodeHeader(bytes)).toBeUndefined()
      } catch (error) {
        expect(isTacoError(error, 'BUCKET_CORRUPT')).toBe(true)
      }
    }),
  )
})

test('a frame of a later format is called newer, not damaged', async () => {
  const { frame } = await encodeVersion(bodyOf('content'), { meta: {}, spool: memorySpool() })
  const bytes = Buffer.from(await bytesOf(frame))
  bytes[4] = 2
  const length = 24 + bytes.readUIntBE(5, 3)
  hash('sha256', Buffer.concat([bytes.subarray(0, 8), bytes.subarray(24, length)]), 'buffer').copy(
    bytes,
    8,
    0,
    16,
  )

  expect(() => decodeHeader(bytes)).toThrow(expect.objectContaining({ code: 'BUCKET_NEWER' }))
})

test('a damaged byte, a cut or an addition is found; wrong bytes are never returned', async () => {
  const before = makeState({ bytes: 30_000 })
  const after = changeOneResource(before, 1)
  const { frames } = await encodePair(before, after)
  const damage = fc.record({
    frame: fc.constantFrom('first', 'next'),
    at: fc.nat(),
    how: fc.oneof(
      fc.record({ xor: fc.integer({ min: 1, max: 255 }) }),
      fc.constant('cut' as const),
      fc.constant('add' as const),
    ),
  })

  await fc.assert(
    fc.asyncProperty(damage, async ({ frame, at, how }) => {
      const good = Buffer.from(frames.get(frame) ?? '')
      const place = at % good.length
      if (how === 'add') frames.set(frame, Buffer.concat([good, Buffer.from('x')]))
      else if (how === 'cut') frames.set(frame, good.subarray(0, place))
      else {
        const bad = Buffer.from(good)
        bad.writeUInt8(bad.readUInt8(place) ^ how.xor, place)
        frames.set(frame, bad)
      }
      const outcome = await readBack(frames, 'next').catch((error: unknown) => error)
      frames.set(frame, good)
      if (Buffer.isBuffer(outcome)) expect([typeof how, outcome.equals(after)]).toEqual(['object', true])
      else expect(isTacoError(outcome, 'BUCKET_CORRUPT')).toBe(true)
    }),
    { numRuns: 500 },
  )
  expect((await readBack(frames, 'next')).equals(after)).toBe(true)
})

test('a version that is its own base is damage, not an endless loop', async () => {
  const before = makeState({ bytes: 30_000 })
  const first = await encodeVersion(bodyOf(before), { meta: {}, spool: memorySpool() })
  const loop = await encodeVersion(bodyOf(before), {
    meta: {},
    base: { id: 'loop', index: first.index },
    spool: memorySpool(),
  })

  await expect(readBack(new Map([['loop', await bytesOf(loop.frame)]]), 'loop')).rejects.toMatchObject({
    code: 'BUCKET_CORRUPT',
  })
})

test('a failure of the store while reading stays what it is', async () => {
  const state = makeState({ bytes: 9_000_000 })
  const { frame, dispose } = await encodeVersion(bodyOf(state), { meta: {}, spool: memorySpool() })
  const bytes = await bytesOf(frame)
  await dispose()

  async function* failing(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 100_000)
    throw new Error('connection lost')
  }
  const { content } = await readVersion('x', { spool: memorySpool(), open: async () => failing() })

  await expect(bytesOf({ stream: () => content })).rejects.toThrow('connection lost')
})

test.each([5000, 9_000_000])(
  'a body of %d bytes that is shorter or longer than it says is refused',
  async (size) => {
    const bytes = Buffer.alloc(size, 'x')

    for (const wrong of [size - 1, size + 1]) {
      const body = { ...streamed(bytes), size: wrong }
      await expect(encodeVersion(body, { meta: {}, spool: memorySpool() })).rejects.toMatchObject({
        code: 'STATE_TRUNCATED',
      })
    }
  },
)

test('large versions go through the spool and leave nothing behind', async () => {
  const spool = memorySpool()
  const before = Buffer.concat([makeState({ bytes: 3_000_000 }), randomBytes(31_000_000)])
  const after = edited(before, [
    { at: 33_000_000, drop: 10, insert: randomBytes(9_000_000) },
    { at: 5, drop: 0, insert: Buffer.from('x') },
  ])

  const first = await encodeVersion(streamed(before), { meta: {}, spool })
  const next = await encodeVersion(streamed(after), {
    meta: {},
    base: { id: 'first', index: first.index },
    spool,
  })
  const frames = new Map([
    ['first', await bytesOf(first.frame)],
    ['next', await bytesOf(next.frame)],
  ])
  expect([first.kind, next.kind]).toEqual(['full', 'delta'])
  expect(frames.get('next')?.length).toBe(next.frame.size)
  expect((await readBack(frames, 'next', spool)).equals(after)).toBe(true)

  expect(spool.largest).toBe(before.length)
  await first.dispose()
  await next.dispose()
  expect(spool.open).toBe(0)
})

test('a reader that stops early, or never starts, leaves nothing behind', async () => {
  const spool = memorySpool()
  const before = randomBytes(34_000_000)
  const after = edited(before, [{ at: 0, drop: 0, insert: Buffer.from('x') }])
  const first = await encodeVersion(bodyOf(before), { meta: {}, spool })
  const next = await encodeVersion(bodyOf(after), {
    meta: {},
    base: { id: 'first', index: first.index },
    spool,
  })
  let streams = 0
  const options = {
    spool,
    async open(id: string) {
      const { frame } = id === 'first' ? first : next
      async function* counted(): AsyncGenerator<Uint8Array> {
        streams++
        try {
          yield* streamed(await bytesOf(frame), 100).stream()
        } finally {
          streams--
        }
      }
      return counted()
    },
  }

  const stopped = await readVersion('next', options)
  await stopped.content[Symbol.asyncIterator]().next()
  await stopped.content[Symbol.asyncIterator]().return?.()
  const unread = await readVersion('next', options)
  await unread.discard()

  expect(streams).toBe(0)
  await first.dispose()
  await next.dispose()
  expect(spool.open).toBe(0)
})
