import { callerNamed } from '../../test/support/caller.ts'
import type { Bucket } from '../../src/bucket/index.ts'
import { controlOver } from './driver-listing.ts'
import { type Operation, counted } from '../counted-bucket.ts'
import { patchedState } from '../patched-state.ts'
import { median } from '../slices.ts'

/** Medians of one write after another, in milliseconds, in the order in which they happen. */
export interface WriteSteps {
  /** Bytes taken in, scanned and hashed. */
  readonly receive: number
  /** Until the version's frame is ready. */
  readonly encode: number
  readonly versionPut: number
  /** Looking at state and lock object, in parallel with the version. */
  readonly heads: number
  readonly documentSwap: number
  readonly statePut: number
  readonly whole: number
  /** The most that any write needed before its answer. */
  readonly writes: number
  readonly reads: number
  readonly lockWrites: number
  readonly unlockWrites: number
}

const caller = callerNamed('bench')

/** Where the time of a write goes: the services over the driver, without HTTP or anything else. */
export async function measureSteps(inner: Bucket, bytes: number, count: number): Promise<WriteSteps> {
  const { bucket, take } = counted(inner)
  const control = await controlOver(bucket, { flushEvents: false })
  const ref = { org: 'default', unit: `steps/${bytes}-${Date.now()}` }
  const state = patchedState(bytes, 99)
  const all: Omit<WriteSteps, 'lockWrites' | 'unlockWrites'>[] = []
  await control.units.create({ org: 'default', name: ref.unit }, caller)
  take()
  const id = 'steps'
  const info = { ID: id, Operation: 'bench', Info: '', Who: '', Version: '', Created: '', Path: '' }
  await control.locks.lock(ref, info, {}, caller)
  const lockWrites = writesIn(take())
  for (let i = 0; i < count + 2; i++) {
    const next = state.next()
    const started = performance.now()
    const received = await control.states.receive(
      pieces(next),
      {
        org: 'default',
        maxBytes: 1e9,
        declaredBytes: next.length,
      },
      caller,
    )
    const taken = performance.now()
    await control.states.write(ref, received, { how: 'backend', lockId: id }, caller)
    const ended = performance.now()
    await received.dispose()
    // The first ones meet cold code and a unit without a state.
    if (i >= 2) all.push(stepsOf(take(), { started, taken, ended }))
    else take()
  }
  await control.locks.unlock(ref, id, caller)
  const unlockWrites = writesIn(take())
  await control.close()
  const of = (name: keyof (typeof all)[number]) => median(all.map((steps) => steps[name]))
  return {
    receive: of('receive'),
    encode: of('encode'),
    versionPut: of('versionPut'),
    heads: of('heads'),
    documentSwap: of('documentSwap'),
    statePut: of('statePut'),
    whole: of('whole'),
    writes: Math.max(...all.map(({ writes }) => writes)),
    reads: Math.max(...all.map(({ reads }) => reads)),
    lockWrites,
    unlockWrites,
  }
}

function stepsOf(
  operations: readonly Operation[],
  at: { readonly started: number; readonly taken: number; readonly ended: number },
) {
  const puts = operations.filter(({ kind }) => kind === 'put')
  const version = puts.find(({ key }) => key.includes('/versions/'))
  const document = puts.find(({ key }) => key.includes('/units/'))
  const state = puts.find(({ key }) => !key.startsWith('.taco/'))
  const heads = operations.filter(({ kind }) => kind === 'head')
  const lasted = (operation: Operation | undefined) =>
    operation === undefined ? 0 : operation.to - operation.from
  return {
    receive: at.taken - at.started,
    encode: (version?.from ?? at.taken) - at.taken,
    versionPut: lasted(version),
    heads: Math.max(0, ...heads.map(lasted)),
    documentSwap: lasted(document),
    statePut: lasted(state),
    whole: at.ended - at.started,
    writes: writesIn(operations),
    reads: operations.length - writesIn(operations),
  }
}

function writesIn(operations: readonly Operation[]): number {
  return operations.filter(({ kind }) => kind === 'put' || kind === 'delete').length
}

/** As a socket delivers it. */
async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}
