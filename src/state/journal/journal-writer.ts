import { LRUCache } from 'lru-cache'
import { isRecent } from '../../base/clock.ts'
import { isTacoError } from '../../base/errors.ts'
import type { StateDeps } from '../settings.ts'
import { readRecords, recordsBody } from './journal-records.ts'
import {
  journalKey,
  journalPrefix,
  parseJournalKey,
  placeAt,
  recordsThatFit,
  sharedJournalPrefix,
} from '../documents/journal-layout.ts'
import type { Event } from '../documents/model.ts'

/** A follower's cursor never passes this close to the present, so a record written within it cannot be skipped. */
export const SETTLE_MS = 10_000
/** A put that takes longer no longer holds up those who come after it. */
const SLOW_MS = 250
/** The process that made an event writes it within moments. Younger events of others are left alone. */
const OTHERS_MS = 1_000

/**
 * One record per event, written after its change was committed. The event waits in the outbox of the changed document
 * until it is here, so a crash in between only delays it: the next process writes it.
 */
export interface JournalWriter {
  /** Events that were just made here. Those that come while others are being written, or right after, go together. */
  write(events: readonly Event[]): Promise<void>
  /** What an outbox still holds. What others made is looked for first: they may have written it. */
  flush(outbox: readonly Event[]): Promise<void>
  /** This process wrote it or saw it written, so it may leave its outbox. Also of the name of an object. */
  isWritten(id: string): boolean
  isUnderWay(id: string): boolean
  /** Called with each organization of which events were written. */
  onWritten(listener: (org: string) => void): void
  /** From now on nothing waits for others to go with. */
  hurry(): void
}

interface Batch {
  readonly events: Event[]
  readonly done: Promise<void>
  readonly settle: (outcome: Promise<void>) => void
}

export function createJournalWriter({ bucket, clock, ids, settings }: StateDeps): JournalWriter {
  const written = new LRUCache<string, true>({ max: 10_000 })
  /** Made here, and not written when it was tried. */
  const failed = new LRUCache<string, true>({ max: 10_000 })
  const underWay = new Map<string, Promise<void>>()
  let waiting: Batch | undefined
  let putting = 0
  let startedAt = 0
  let gatherMs = settings.gatherEventsMs
  let gathering: NodeJS.Timeout | undefined
  let lastId = ''
  let told: (org: string) => void = () => {}

  async function write(events: readonly Event[]): Promise<void> {
    const outcomes: Promise<void>[] = []
    for (const event of events) {
      if (written.has(event.id)) continue
      const earlier = underWay.get(event.id)
      if (earlier !== undefined) outcomes.push(earlier)
      else {
        waiting ??= newBatch()
        waiting.events.push(event)
        underWay.set(event.id, waiting.done)
        outcomes.push(waiting.done)
      }
    }
    startNext()
    await Promise.all(outcomes)
  }

  function startNext(): void {
    if (waiting === undefined || gathering !== undefined) return
    // A separate object costs about as much as the change of the event.
    const pause = putting > 0 ? Math.max(SLOW_MS, gatherMs) : gatherMs
    if (!isRecent(clock, startedAt, pause)) start(waiting)
    else if (gatherMs > 0) gathering = setTimeout(gathered, startedAt + pause - clock.now())
  }

  function gathered(): void {
    stopGathering()
    if (waiting !== undefined) start(waiting)
  }

  function stopGathering(): void {
    clearTimeout(gathering)
    gathering = undefined
  }

  function start({ events, settle }: Batch): void {
    waiting = undefined
    putting++
    startedAt = clock.now()
    settle(putAll(events))
  }

  async function putAll(events: readonly Event[]): Promise<void> {
    const puts = recordsThatFit(events).map(putInOrder)
    // All of them, although one failed: what is still being put must not be put once more.
    await Promise.allSettled(puts)
    for (const { id } of events) {
      underWay.delete(id)
      if (!written.has(id)) failed.set(id, true)
    }
    putting--
    if (putting === 0) stopGathering()
    startNext()
    await Promise.all(puts)
  }

  /**
   * A single record lies at its event's own key, so that two writers of it make one. But objects of one process are in
   * the order of their writing, because a later event of a unit may not come before an earlier one.
   */
  async function putInOrder(events: readonly Event[]): Promise<void> {
    const [first] = events
    if (first === undefined) return
    const [at, id] = events.length === 1 && first.id > lastId ? [first.at, first.id] : nextPlace()
    lastId = id
    await put(events, at, id)
  }

  /**
   * What came late lies where followers have already passed: it is told once more where they will come by, until it
   * comes in time. After a crash an event may therefore be seen twice; its id tells.
   */
  async function put(events: readonly Event[], firstAt: number, firstId: string): Promise<void> {
    const body = recordsBody(events)
    const objects: string[] = []
    for (let at = firstAt, id = firstId; ; [at, id] = nextPlace()) {
      await bucket.put(journalKey(at, id, events), body, 'absent', { contentType: 'application/json' })
      objects.push(id)
      if (clock.now() - at <= SETTLE_MS / 2) break
    }
    for (const id of objects) written.set(id, true)
    for (const event of events) written.set(event.id, true)
    for (const org of new Set(events.map((event) => event.org))) told(org)
  }

  function nextPlace(): readonly [number, string] {
    const at = clock.now()
    return [at, ids.ulid(at)]
  }

  async function flush(outbox: readonly Event[]): Promise<void> {
    for (let others = writingOf(outbox); others.length > 0; others = writingOf(outbox))
      await Promise.allSettled(others)
    const isOurs = ({ id, at }: Event) => failed.has(id) || clock.now() - at >= OTHERS_MS
    const left = outbox.filter((event) => !written.has(event.id) && isOurs(event))
    const flushed = flushLeft(left).finally(() => {
      for (const { id } of left) underWay.delete(id)
    })
    for (const { id } of left) underWay.set(id, flushed)
    await flushed
  }

  function writingOf(events: readonly Event[]): readonly Promise<void>[] {
    return events.flatMap(({ id }) => underWay.get(id) ?? [])
  }

  async function flushLeft(left: readonly Event[]): Promise<void> {
    await findWritten(left)
    const missing = left.filter(({ id }) => !written.has(id))
    await Promise.all(missing.map((event) => put([event], event.at, event.id)))
  }

  /**
   * In objects that others wrote about the same unit, which have the time of their writing. Only what is there in time
   * counts: of what lies further back nobody knows whether followers saw it, so it is told again.
   */
  async function findWritten(events: readonly Event[]): Promise<void> {
    const inTime = clock.now() - SETTLE_MS / 2
    const young = events.filter(({ at }) => at >= inTime)
    if (young.length === 0) return
    const about = new Set(young.map(({ org, unit }) => `${org} ${unit?.id ?? ''}`))
    const after = placeAt(Math.min(...young.map(({ at }) => at)))
    const roots = new Set([...young.map(({ org }) => journalPrefix(org)), sharedJournalPrefix])
    for (const root of roots) await findIn(root, after, events, about)
  }

  async function findIn(
    root: string,
    after: string,
    events: readonly Event[],
    about: ReadonlySet<string>,
  ): Promise<void> {
    for await (const page of bucket.list(root, { after: root + after })) {
      for (const { key } of page) {
        const object = parseJournalKey(key)
        if (object === undefined || written.has(object.ulid)) continue
        if (!object.units.some((unit) => about.has(`${object.org} ${unit}`))) continue
        if (events.some(({ id }) => id === object.ulid)) {
          written.set(object.ulid, true)
          continue
        }
        const records = await readRecords(bucket, key)
        if (records !== undefined && !isTacoError(records))
          for (const { id } of records) written.set(id, true)
      }
    }
  }

  return {
    write,
    flush,
    isWritten: (id) => written.has(id),
    isUnderWay: (id) => underWay.has(id),
    onWritten(listener) {
      told = listener
    },
    hurry() {
      gatherMs = 0
      if (gathering !== undefined) gathered()
    },
  }
}

function newBatch(): Batch {
  let settle: Batch['settle'] = () => undefined
  const done = new Promise<void>((resolve) => (settle = resolve))
  return { events: [], done, settle }
}
