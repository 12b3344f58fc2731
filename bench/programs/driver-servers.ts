import { callerNamed } from '../../test/support/caller.ts'
import type { Bucket } from '../../src/bucket/index.ts'
import type { StateControl } from '../../src/state/index.ts'
import { counted } from '../counted-bucket.ts'
import { controlOver, inOnePiece } from './driver-listing.ts'
import { makeState } from '../fixtures.ts'
import type { Slice } from '../slices.ts'

export type Doing = 'create' | 'write' | 'list'

export interface Work {
  readonly doing: Doing
  readonly ms: number
  readonly concurrency: number
}

export interface WorkSlice extends Slice {
  /** Of the bucket, with those of the background. */
  readonly requests: number
}

export interface Serving {
  work(work: Work): Promise<WorkSlice>
}

const caller = callerNamed('bench')
const org = 'default'

/**
 * One of several servers over a bucket, without HTTP. It creates its own units and writes those of the next server, so
 * that readers find what another process changed.
 */
export async function startServing(
  inner: Bucket,
  { own, other }: { readonly own: string; readonly other: string },
): Promise<Serving> {
  const { bucket, take } = counted(inner)
  const control = await controlOver(bucket, { tidyAfterMs: 2_000 })
  let created = 0
  let written = 0
  let changes = 0
  for (let i = 0; i < PREPARED; i++) await control.units.create({ org, name: `${own}/prepared-${i}` }, caller)
  await control.units.list({ org, limit: 10 }, caller)

  const once: Readonly<Record<Doing, () => Promise<void>>> = {
    create: async () =>
      void (await control.units.create({ org, name: `${own}/created-${created++}` }, caller)),
    write: async () => {
      const round = Math.floor(written / PREPARED)
      await write(control, `${other}/prepared-${written++ % PREPARED}`, round)
    },
    list: async () => {
      const description = `changed ${++changes}`
      await control.units.update(
        { org, unit: `${own}/prepared-${changes % PREPARED}` },
        { description },
        caller,
      )
      const { items } = await control.units.list({ org, limit: 100, prefix: `${own}/prepared` }, caller)
      if (!items.some((item) => item.description === description))
        throw new Error('a listing lacks a change of its own server')
    },
  }

  return {
    async work({ doing, ms, concurrency }) {
      take()
      const started = performance.now()
      let count = 0
      const lane = async () => {
        for (; performance.now() - started < ms; count++) await once[doing]()
      }
      await Promise.all(Array.from({ length: concurrency }, lane))
      return { count, ms: performance.now() - started, requests: take().length }
    },
  }
}

/** More than are written at once, so that no two writes meet. */
const PREPARED = 64

async function write(control: StateControl, unit: string, serial: number): Promise<void> {
  const state = makeState({ bytes: 1, outputs: 2, serial: serial + 1, lineage: unit })
  const received = await control.states.receive(inOnePiece(state), { org, maxBytes: 1e9 }, caller)
  try {
    await control.states.write({ org, unit }, received, { how: 'push' }, caller)
  } finally {
    await received.dispose()
  }
}
