import { callerNamed } from '../../support/caller.ts'
import { isTacoError, type ErrorCode } from '../../../src/base/errors.ts'
import { LockInfo } from '../../../src/state/index.ts'
import type { StateControl } from '../../../src/state/index.ts'
import type { World } from './world.ts'
import { hashOf, stateKey, tflockKey, unit } from './world.ts'

/** A CLI in front of servers: does what it is told and records the answers. */
export interface Client {
  lock(id: string, server?: StateControl): Promise<boolean>
  write(id: string | undefined, text: string, server?: StateControl): Promise<boolean>
  unlock(id: string, server?: StateControl): Promise<boolean>
  force(id?: string, server?: StateControl): Promise<boolean>
}

/** Answers that a lawful client must be able to live with. */
const refusals: readonly ErrorCode[] = [
  'LOCKED',
  'LOCK_MISMATCH',
  'NOT_LOCKED',
  'CONFLICT',
  'STATE_SERIAL',
  'STATE_SAME_SERIAL',
  'BUCKET_UNAVAILABLE',
  'STATE_HAS_RESOURCES',
  'NOT_FOUND',
  'NAME_GIVEN_UP',
]

/** True: refused, in a way that one can live with. `onAnswer` is called if it was a clear no. */
export async function refused(work: () => Promise<unknown>, onAnswer = () => {}): Promise<boolean> {
  try {
    await work()
    return false
  } catch (error) {
    if (!isCode(error, ...refusals)) throw error
    if (!isCode(error, 'BUCKET_UNAVAILABLE')) onAnswer()
    return true
  }
}

/** The code under test may be another copy of the class. */
export function isCode(error: unknown, ...codes: readonly ErrorCode[]): boolean {
  if (isTacoError(error, ...codes)) return true
  return error instanceof Error && 'code' in error && codes.includes(error.code as ErrorCode)
}

export function createClient(world: World, who: string, usual: StateControl): Client {
  const { schedule } = world
  const caller = callerNamed(who)
  const known = (id: string) => () => void world.lostLocks.delete(id)

  return {
    async lock(id, server = usual) {
      const info = LockInfo.parse({ ID: id, Operation: 'apply', Who: who })
      // A request whose answer was lost may still be under way: a later refusal says nothing about it.
      const wasLost = world.lostLocks.has(id)
      world.lostLocks.add(id)
      const onAnswer = wasLost ? () => {} : known(id)
      if (await refused(() => server.locks.lock(unit, info, {}, caller), onAnswer)) return false
      world.lostLocks.delete(id)
      world.holds.push({ who, id, from: schedule.steps(), to: Infinity })
      return true
    },
    async write(id, text, server = usual) {
      const hash = hashOf(text)
      credit(world, hash, who)
      let version = ''
      const failed = await refused(async () => {
        const state = await server.states.receive(chunks(text), { maxBytes: 1e9, org: 'default' }, caller)
        const lock = id === undefined ? {} : { lockId: id }
        version = (await server.states.write(unit, state, { how: 'backend', ...lock }, caller)).id
      })
      if (failed) return false
      world.acknowledged.push({ who, hash, version })
      return true
    },
    async unlock(id, server = usual) {
      endHold(world, id)
      const wasLost = world.lostLocks.has(id)
      world.lostLocks.add(id)
      const onAnswer = wasLost ? () => {} : known(id)
      return !(await refused(async () => {
        await server.locks.unlock(unit, id, caller)
        world.lostLocks.delete(id)
      }, onAnswer))
    },
    async force(id, server = usual) {
      const forced: World['forced'][number] = { at: schedule.steps(), id: undefined }
      world.forced.push(forced)
      const options = id === undefined ? {} : { id }
      return !(await refused(async () => {
        const broken = await server.locks.forceUnlock(unit, options, caller)
        // The owner of a lease that is not noted yet is unknown.
        forced.id = broken?.id === 'unknown' ? undefined : (broken?.id ?? null)
      }))
    },
  }
}

function endHold(world: World, id: string): void {
  for (const hold of world.holds) if (hold.id === id) hold.to = Math.min(hold.to, world.schedule.steps())
}

export function credit(world: World, hash: string, who: string): void {
  world.authors.set(hash, (world.authors.get(hash) ?? new Set()).add(who))
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** terraform's `backend "s3"` with `use_lockfile`: locks by an object beside the state, writes without conditions. */
export interface Outsider {
  lock(): Promise<boolean>
  write(text: string): Promise<void>
  unlock(): Promise<void>
}

export function createOutsider(world: World, who: string): Outsider {
  return world.store.leases === true ? leasingOutsider(world, who) : objectOutsider(world, who)
}

/** Engines that lease do so under the id of their lock, which is a UUID. */
export const LEASED_OUTSIDE = '00000000-0000-4000-8000-'

/** `backend "azurerm"`: leases the state itself, creating it if necessary, and notes beside it who holds it. */
function leasingOutsider(world: World, who: string): Outsider {
  const { store, schedule } = world
  const gate = schedule.gate(who)
  const id = LEASED_OUTSIDE + hashOf(who).slice(0, 12)
  const note = JSON.stringify({ ID: id, Operation: 'apply', Who: who })
  const look = () => gate({ kind: 'get', key: stateKey, writes: false, execute: () => store.get(stateKey) })
  const change = <T>(kind: 'put' | 'lease', execute: () => T) =>
    gate({ kind, key: stateKey, writes: true, execute })
  let isLeased = false
  return {
    async lock() {
      const found = await look()
      const make = () => store.put(stateKey, Buffer.alloc(0), 'always')
      if (found === undefined && (await change('put', make)) === undefined) return false
      if (found?.lease !== undefined) return false
      if ((await change('lease', () => store.acquire(stateKey, id, 'always'))) === undefined) return false
      const hold = { who, id, from: schedule.steps(), to: Infinity }
      world.holds.push(hold)
      isLeased = true
      if ((await change('lease', () => store.note(stateKey, id, note, 'always'))) !== undefined) return true
      hold.to = schedule.steps()
      return false
    },
    async write(text) {
      credit(world, hashOf(text), 'outside')
      const lease = isLeased ? { id, note } : undefined
      await change('put', () => store.put(stateKey, Buffer.from(text), 'always', lease))
    },
    async unlock() {
      const found = await look()
      if (found?.note === undefined || LockInfo.parse(JSON.parse(found.note)).ID !== id) return
      endHold(world, id)
      const cleared = await change('lease', () => store.note(stateKey, id, undefined, 'always'))
      if (cleared !== undefined) await change('lease', () => store.release(stateKey, id, 'always'))
    },
  }
}

function objectOutsider(world: World, who: string): Outsider {
  const { store, schedule } = world
  const gate = schedule.gate(who)
  const id = `outside-${who}`
  return {
    async lock() {
      const bytes = Buffer.from(JSON.stringify({ ID: id, Operation: 'apply', Who: who }))
      const execute = () => store.put(tflockKey, bytes, 'absent')
      if ((await gate({ kind: 'put', key: tflockKey, writes: true, execute })) === undefined) return false
      world.holds.push({ who, id, from: schedule.steps(), to: Infinity })
      return true
    },
    async write(text) {
      credit(world, hashOf(text), 'outside')
      const execute = () => store.put(stateKey, Buffer.from(text), 'always')
      await gate({ kind: 'put', key: stateKey, writes: true, execute })
    },
    async unlock() {
      const found = await gate({
        kind: 'get',
        key: tflockKey,
        writes: false,
        execute: () => store.get(tflockKey),
      })
      if (found === undefined || LockInfo.parse(JSON.parse(found.bytes.toString())).ID !== id) return
      endHold(world, id)
      const execute = () => store.delete(tflockKey, 'always')
      await gate({ kind: 'delete', key: tflockKey, writes: true, execute })
    },
  }
}
