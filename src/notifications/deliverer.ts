import { systemCaller } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { isTacoError } from '../base/errors.ts'
import { forEachLimit } from '../base/for-each-limit.ts'
import type { Log } from '../base/log.ts'
import type { RecordDeps } from '../records/index.ts'
import type { Journal } from '../state/index.ts'
import type { Configuration } from './configuration.ts'
import { changeDeliveries } from './deliveries.ts'
import type { DeliveryResponse } from './destination.ts'
import { type NotedEvent, notedEvent } from './event.ts'
import { createLease } from './lease.ts'
import { maskUrl } from '../base/text/mask-url.ts'
import { type InScope, wantedBy } from './matching.ts'
import type { NotificationParts } from './notifications.ts'
import { KEPT_MS, dropOld, enqueue, settle } from './queue.ts'
import type { Sender } from './send.ts'
import { triggerFor } from './triggers.ts'

export interface DelivererDeps extends RecordDeps {
  readonly clock: Clock
  readonly log: Log
  readonly journal: Journal
  readonly sender: Sender
  /** Whether an event belongs to a project or team, and events that follow from others. */
  readonly inScope: InScope
  readonly derive: (org: string, event: NotedEvent) => Promise<readonly NotedEvent[]>
}

export interface Deliverer {
  /** Looks at once instead of at the next turn. */
  poke(): void
  stop(): Promise<void>
}

const PAGE = 200
/** So many are sent before the result is stored: as many may be sent twice after a crash. */
const BATCH = 10
const ORGS_AT_ONCE = 8
/** Where no configuration is enabled, that is looked at again after this, should the news of it be lost. */
const IDLE_MS = 5 * 60_000
/** Where no organization has notifications, a server looks for the first one after this. */
const NONE_MS = 30_000
/** An organization whose journal or configurations cannot be read is left alone for this long. */
const FAILED_MS = 30_000
/** A cursor that moved without an event is stored after this. */
const STORE_CURSOR_MS = 5 * 60_000

/** A server that stops waits this long for the answers to what it has sent. */
const LAST_ANSWERS_MS = 3_000

interface Following {
  tag: string
  cursor: string
  storedAt: number
  /** Not looked at before, as long as its document stays the same. */
  pausedUntil: number
}

/**
 * Follows the journals of organizations that have enabled configurations, and delivers. One server does it at a time;
 * the others take over when it ends. An event first gets into the queue of each destination that wants it, then the
 * cursor moves, then queues are emptied side by side: a slow destination keeps no other waiting.
 */
export function startDeliverer(deps: DelivererDeps, parts: NotificationParts, everyMs: number): Deliverer {
  const { clock, log, journal, sender } = deps
  const { records, deliveries, follows } = parts
  const lease = createLease(deps, 4 * everyMs)
  const stopping = new AbortController()
  const { signal } = stopping
  const sending = new AbortController()
  const caller = systemCaller('opentaco', signal)
  const following = new Map<string, Following>()
  /** Queues that may not be empty, with the time of the next attempt. */
  const due = new Map<string, { readonly org: string; readonly at: number }>()
  const draining = new Map<string, Promise<void>>()
  let term: number | undefined
  let waking = new AbortController()
  /** Whether any organization has notifications; where none has, that is looked at rarely. */
  let isNeeded = false
  let lookAt = 0

  async function run(): Promise<void> {
    while (!signal.aborted) {
      waking = new AbortController()
      const woken = AbortSignal.any([signal, waking.signal])
      try {
        await turn()
      } catch (error) {
        if (!signal.aborted) log.warn('delivering notifications failed; it is tried again', { error })
      }
      await clock.sleep(everyMs, woken).catch(() => {})
    }
    await Promise.all(draining.values())
    await lease.release().catch(() => {})
  }

  async function turn(): Promise<void> {
    if (clock.now() < lookAt) return
    // A server that leaves it to another one asks for nothing but the claim.
    if (isNeeded && !(await isOurs())) return
    const orgs = await follows.list()
    if (orgs.length === 0) lookAt = clock.now() + NONE_MS
    isNeeded = orgs.length > 0
    if (!isNeeded || !(await isOurs())) return
    await forEachLimit(orgs, ORGS_AT_ONCE, async ({ org, tag }) => {
      try {
        await pump(org, tag)
      } catch (error) {
        pause(org, tag, FAILED_MS)
        // Its journal comes back if it is restored.
        const isGone = isTacoError(error, 'NOT_FOUND', 'ORG_DELETED')
        if (!signal.aborted && !isGone) log.warn('notifications of an organization failed', { org, error })
      }
    })
    for (const [id, { org, at }] of due)
      if (at <= clock.now() && !draining.has(id)) draining.set(id, drain(org, id))
  }

  async function isOurs(): Promise<boolean> {
    const before = term
    term = await lease.hold()
    if (term === undefined || term !== before) forget()
    return term !== undefined
  }

  function forget(): void {
    following.clear()
    due.clear()
  }

  /** Puts new events into the queues of the destinations that want them. */
  async function pump(org: string, tag: string): Promise<void> {
    const known = following.get(org)
    const now = clock.now()
    if (known !== undefined && known.tag === tag && now < known.pausedUntil) return
    const enabled = (await records.list({ org })).filter(({ isEnabled }) => isEnabled)
    if (enabled.length === 0) return pause(org, tag, IDLE_MS)
    const at = known === undefined || known.pausedUntil > 0 ? await resume(org, enabled) : known
    if (at === undefined) return
    following.set(org, { ...at, tag })
    for (let more = true; more && !signal.aborted;) more = await nextPage(org, enabled)
  }

  function pause(org: string, tag: string, forMs: number): void {
    const now = clock.now()
    following.set(org, { tag, cursor: '', storedAt: now, pausedUntil: now + forMs })
  }

  /** Where an earlier deliverer stopped, and what it left in the queues. */
  async function resume(org: string, enabled: readonly Configuration[]): Promise<Following | undefined> {
    const found = await follows.find(org)
    if (found === undefined) return undefined
    await forEachLimit(enabled, ORGS_AT_ONCE, async ({ id }) => {
      const queue = (await deliveries.find({ org, configuration: id }))?.value
      if (queue !== undefined && queue.waiting.length > 0) due.set(id, { org, at: queue.nextAt })
    })
    return { tag: '', cursor: found.cursor, storedAt: clock.now(), pausedUntil: 0 }
  }

  /** False: that was all, for now. */
  async function nextPage(org: string, enabled: readonly Configuration[]): Promise<boolean> {
    // What was missed for hours takes many pages.
    if (!(await isOurs())) return false
    const at = following.get(org)
    if (at === undefined || term === undefined) return false
    const page = await read(org, at.cursor)
    const events = (
      await Promise.all(page.items.map((item) => withDerived(org, notedEvent(item), enabled)))
    ).flat()
    await forEachLimit(enabled, ORGS_AT_ONCE, async (configuration) => {
      const wanted = await wantedBy(org, configuration, events, deps.inScope)
      if (wanted.length === 0) return
      const ref = { org, configuration: configuration.id }
      const { nextAt } = await changeDeliveries(deliveries, ref, (queue) => enqueue(queue, wanted))
      due.set(configuration.id, { org, at: nextAt })
    })
    const isWorthStoring = page.items.length > 0 || clock.now() - at.storedAt > STORE_CURSOR_MS
    if (isWorthStoring) {
      if (!(await follows.move(org, page.next, term))) {
        term = undefined
        return false
      }
      at.storedAt = clock.now()
    }
    at.cursor = page.next
    return page.more
  }

  async function withDerived(
    org: string,
    event: NotedEvent,
    enabled: readonly Configuration[],
  ): Promise<readonly NotedEvent[]> {
    const isWanted = enabled.some(({ triggers }) => triggers.includes('unit:stale'))
    return isWanted ? [event, ...(await deps.derive(org, event))] : [event]
  }

  async function read(org: string, after: string) {
    try {
      return await journal.read({ org, after, limit: PAGE }, caller)
    } catch (error) {
      if (!isTacoError(error, 'GONE')) throw error
      log.warn('events were removed by retention before notifications of them were sent', { org })
      return journal.read({ org, after: 'now', limit: PAGE }, caller)
    }
  }

  /** Empties one queue, until something fails. */
  async function drain(org: string, id: string): Promise<void> {
    try {
      for (let isMore = true; isMore && !signal.aborted && term !== undefined;)
        isMore = await drainSome(org, id)
    } catch (error) {
      due.set(id, { org, at: clock.now() + everyMs })
      if (!signal.aborted) log.warn('a notification could not be delivered', { org, notification: id, error })
    } finally {
      draining.delete(id)
    }
  }

  async function drainSome(org: string, id: string): Promise<boolean> {
    const ref = { org, configuration: id }
    const [configuration, found] = await Promise.all([records.find({ org }, id), deliveries.find(ref)])
    if (configuration?.isEnabled !== true || found === undefined) {
      due.delete(id)
      return false
    }
    const oldest = Math.max(clock.now() - KEPT_MS, configuration.enabledAt ?? 0)
    const queue = dropOld(found.value, oldest)
    const sent = await sendSome(org, configuration, queue.waiting.slice(0, BATCH))
    const { responses } = sent
    const after = await changeDeliveries(deliveries, ref, (now) =>
      settle(dropOld(now, oldest), { ...sent, now: clock.now(), pauseMs: everyMs }),
    )
    noteFailure(org, configuration, after.attempts, responses.at(-1))
    if (after.waiting.length === 0) due.delete(id)
    else due.set(id, { org, at: after.nextAt })
    return after.waiting.length > 0 && after.attempts === 0
  }

  /** Until one fails, or the server stops. */
  async function sendSome(org: string, configuration: Configuration, events: readonly NotedEvent[]) {
    const delivered: NotedEvent[] = []
    const responses: DeliveryResponse[] = []
    for (const event of events) {
      if (signal.aborted) break
      const trigger = triggerFor(configuration.triggers, event)
      if (trigger !== undefined) {
        const response = await sender.event(org, configuration, event, trigger, sending.signal)
        responses.push(response)
        if (!response.isSuccessful) break
      }
      delivered.push(event)
    }
    return { delivered, responses }
  }

  function noteFailure(
    org: string,
    { id, url }: Configuration,
    attempts: number,
    last: DeliveryResponse | undefined,
  ): void {
    if (attempts === 0 || last === undefined) return
    const to = url === undefined ? 'e-mail' : maskUrl(url)
    log.warn('a notification was not accepted; it is tried again', {
      org,
      notification: id,
      to,
      code: last.code,
      attempts,
    })
  }

  const running = run()
  return {
    poke() {
      lookAt = 0
      waking.abort()
    },
    async stop() {
      stopping.abort()
      // Destinations that do not answer must not keep a server from ending.
      const late = setTimeout(() => sending.abort(), LAST_ANSWERS_MS)
      await running.finally(() => clearTimeout(late))
    },
  }
}
