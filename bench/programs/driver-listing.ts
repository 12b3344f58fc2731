import { callerNamed } from '../../test/support/caller.ts'
import { systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { bodyOf, type Bucket } from '../../src/bucket/index.ts'
import { createStateControl, type StateControl } from '../../src/state/index.ts'
import { openSpool } from '../../src/wire/spool.ts'
import { type Counted, counted } from '../counted-bucket.ts'
import { makeState } from '../fixtures.ts'

export interface ListingFigure {
  readonly ms: number
  readonly requests: number
}

export interface ListingFigures {
  /** No one has listed yet: there is no catalog object. */
  readonly first: ListingFigure
  readonly cold: ListingFigure
  readonly warm: ListingFigure
  readonly changed: ListingFigure
}

const caller = callerNamed('bench')

export function controlOver(
  bucket: Bucket,
  { flushEvents = true, tidyAfterMs = null }: { flushEvents?: boolean; tidyAfterMs?: number | null } = {},
): Promise<StateControl> {
  const settings = { flushEvents, tidyAfterMs }
  return createStateControl({
    bucket,
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    spool: openSpool(),
    settings,
  })
}

/**
 * That many units, each with a small state. All but one are written directly: as many creations would take minutes.
 */
export async function seedUnits(bucket: Bucket, count: number): Promise<void> {
  // Every starting server would send the events left in an outbox again, in the middle of its first listing.
  const control = await controlOver(bucket, { tidyAfterMs: 0 })
  const ref = { org: 'default', unit: 'seed/template' }
  const state = makeState({ bytes: 1, outputs: 4 })
  const received = await control.states.receive(inOnePiece(state), { org: 'default', maxBytes: 1e9 }, caller)
  await control.states.write(ref, received, { how: 'push', createUnit: true }, caller)
  const { id } = await control.units.get(ref, caller)
  await control.close()
  const template = await bucket.get(`.taco/orgs/default/units/${id}.json`)
  if (template === undefined) throw new Error('the first unit is not there')
  const text = (await template.bytes()).toString()
  const doc = JSON.parse(text) as { head: object | null; write: { head: object } | null }
  const head = doc.head ?? doc.write?.head

  let next = 1
  const worker = async () => {
    for (let i = next++; i < count; i = next++) {
      const name = `seed/team-${i % 40}/service-${i}/network`
      const key = `${name}/terraform.tfstate`
      const unitId = `ws-${String(i).padStart(16, 'a')}`
      const written = await bucket.put(key, bodyOf(state), 'absent')
      if (written.kind !== 'written') continue
      const unit = {
        ...doc,
        id: unitId,
        name,
        key,
        nonce: `n-${i}`,
        write: null,
        lock: null,
        outbox: [],
        head: { ...head, tag: written.tag },
      }
      await bucket.put(`.taco/orgs/default/units/${unitId}.json`, bodyOf(JSON.stringify(unit)), 'absent')
    }
  }
  await Promise.all(Array.from({ length: 32 }, worker))
}

/** How long a full listing takes, and which requests it makes. */
export async function measureListings(inner: Bucket, rounds: number): Promise<ListingFigures[]> {
  const ref = { org: 'default', unit: 'seed/template' }
  const { bucket, take } = counted(inner)
  const first = await timedList(await controlOver(bucket), take)
  const figures: ListingFigures[] = []
  for (let round = 0; round < rounds; round++) {
    const control = await controlOver(bucket)
    const other = await controlOver(inner)
    const cold = await timedList(control, take)
    await lagPassed()
    const warm = await timedList(control, take)
    // By another process: our own changes need no request at all.
    await other.units.update(ref, { description: `round ${round} ${Date.now()}` }, caller)
    await other.close()
    await lagPassed()
    const changed = await timedList(control, take)
    await control.close()
    figures.push({ first, cold, warm, changed })
  }
  return figures
}

async function timedList(control: StateControl, take: Counted['take']): Promise<ListingFigure> {
  take()
  const started = performance.now()
  const { items } = await control.units.list({ org: 'default', limit: 100_000 }, caller)
  const ms = performance.now() - started
  if (items.length === 0) throw new Error('the listing is empty')
  return { ms, requests: take().length }
}

/** Within a second a listing is answered from memory alone, which would flatter the figure. */
function lagPassed(): Promise<void> {
  return systemClock.sleep(1_100)
}

export async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
