import { decodeHeader } from '../src/state/codec/frame.ts'
import { encodeVersion } from '../src/state/codec/encode.ts'
import { readVersion } from '../src/state/codec/decode.ts'
import { baseFor, chainAfter, type Chain } from '../src/state/codec/levels.ts'
import type { ChunkIndex } from '../src/state/codec/chunks.ts'
import { scanState } from '../src/state/content/scan.ts'
import { bodyOf, bytesOf } from '../src/bucket/index.ts'
import type { Spool } from '../src/base/spool.ts'
import { changeOneResource, makeState } from './fixtures.ts'

export interface VersionsRow {
  readonly name: string
  readonly value: number
  readonly unit: '%' | 'requests' | 'ms' | 'bytes'
  /** The row is good when the value is at most this. */
  readonly limit?: number
}

/** Nothing here is large enough for it. */
const noSpool: Spool = {
  create: () => Promise.reject(new Error('these states fit into memory')),
}

/**
 * What a history costs: 1,000 versions of a 5 MB state with one resource changed each time, against whole copies.
 * Versions of all places in the chain are read back and compared byte for byte.
 */
export async function run(count = 1000, bytes = 5_000_000): Promise<VersionsRow[]> {
  const frames = new Map<string, Uint8Array>()
  const indexes = new Map<string, ChunkIndex>()
  const encodeMs: number[] = []
  let chain: Chain = {}
  let wholeBytes = 0
  let state = makeState({ bytes })
  for (let seq = 1; seq <= count; seq++) {
    wholeBytes += state.length
    const { level, base } = baseFor(seq, chain)
    const index = base === undefined ? undefined : indexes.get(base.id)
    const started = performance.now()
    const version = await encodeVersion(bodyOf(state), {
      meta: { seq, serial: seq },
      spool: noSpool,
      ...(base === undefined || index === undefined ? {} : { base: { id: base.id, index } }),
    })
    encodeMs.push(performance.now() - started)
    const link = { seq, id: `v${seq}` }
    frames.set(link.id, await bytesOf(version.frame))
    indexes.set(link.id, version.index)
    chain = chainAfter(chain, link, { level, kind: version.kind })
    state = changeOneResource(state, seq)
  }

  const { mostReads, readMs } = await readAll(frames, makeState({ bytes }))
  const storedBytes = [...frames.values()].reduce((sum, frame) => sum + frame.length, 0)
  const scanMs = times(30, () => scanState(state))
  return [
    {
      name: `stored share of ${count} versions against whole copies`,
      value: (100 * storedBytes) / wholeBytes,
      unit: '%',
      limit: 0.3,
    },
    { name: 'requests to read any version, at most', value: mostReads, unit: 'requests', limit: 3 },
    { name: 'largest difference', value: largestDelta(frames), unit: 'bytes' },
    { name: 'chunk index of one version, in memory', value: indexes.get('v1')?.byteSize ?? 0, unit: 'bytes' },
    { name: 'encode a version, hash included (median)', value: median(encodeMs), unit: 'ms' },
    { name: 'read a version back, verified (median)', value: median(readMs), unit: 'ms' },
    { name: 'scan a state (median)', value: median(scanMs), unit: 'ms' },
  ]
}

async function readAll(
  frames: ReadonlyMap<string, Uint8Array>,
  first: Buffer,
): Promise<{ mostReads: number; readMs: number[] }> {
  const readMs: number[] = []
  let mostReads = 0
  let expected = first
  for (let seq = 1; seq <= frames.size; seq++, expected = changeOneResource(expected, seq - 1)) {
    // Two whole cycles of 196, then samples: each costs some 20 ms.
    if (seq > 400 && seq % 20 !== 0) continue
    let reads = 0
    const started = performance.now()
    const { content } = await readVersion(`v${seq}`, {
      spool: noSpool,
      open: async (id) => {
        reads++
        return bodyOf(frames.get(id) ?? new Uint8Array(0)).stream()
      },
    })
    const parts: Uint8Array[] = []
    for await (const part of content) parts.push(part)
    readMs.push(performance.now() - started)
    if (!Buffer.concat(parts).equals(expected)) throw new Error(`version ${seq} came back with other bytes`)
    mostReads = Math.max(mostReads, reads)
  }
  return { mostReads, readMs }
}

function largestDelta(frames: ReadonlyMap<string, Uint8Array>): number {
  let most = 0
  for (const frame of frames.values())
    if (decodeHeader(frame)?.kind === 'delta') most = Math.max(most, frame.length)
  return most
}

function times(count: number, work: () => unknown): number[] {
  return Array.from({ length: count }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
