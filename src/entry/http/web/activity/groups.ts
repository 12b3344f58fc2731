import type { EventView } from '../../../../state/index.ts'

/** One line of a feed: an event, and those that belong to it. */
export interface FeedLine {
  /** What the line says. */
  readonly event: EventView
  /** All of them, newest first. */
  readonly events: readonly EventView[]
}

/** Longer apart, they are told apart. */
const MOST_MS = 15 * 60_000

interface Group {
  readonly events: EventView[]
  /** True: its lock was released, so the event that took it belongs to it. */
  awaitsLock: boolean
}

/**
 * A write with a lock is three events (locked, wrote, unlocked), and a busy afternoon many such writes: what one person
 * does to the state of one unit without anything else in between becomes one line. Newest first. Pure.
 */
export function groupEvents(events: readonly EventView[]): readonly FeedLine[] {
  const groups: Group[] = []
  /** By unit: the group that older events of the unit may join. */
  const open = new Map<string, Group>()
  for (const event of events) {
    const unit = event.unit?.id
    const group = unit === undefined ? undefined : open.get(unit)
    if (group !== undefined && belongs(event, group)) {
      group.events.push(event)
      if (event.type === 'lock.released') group.awaitsLock = true
      if (event.type === 'lock.taken') group.awaitsLock = false
      continue
    }
    const begun = { events: [event], awaitsLock: event.type === 'lock.released' }
    groups.push(begun)
    if (unit === undefined) continue
    if (isOfWrite(event)) open.set(unit, begun)
    else open.delete(unit)
  }
  return groups.map(({ events: all }) => ({ event: mainOf(all), events: all }))
}

const isOfWrite = ({ type }: EventView) => ['lock.released', 'state.written', 'lock.taken'].includes(type)

function belongs(event: EventView, { events, awaitsLock }: Group): boolean {
  const [newest] = events
  const last = events.at(-1)
  if (newest === undefined || last === undefined || !isOfWrite(event)) return false
  if (event.by !== newest.by || event.who !== newest.who) return false
  if (Date.parse(last.at) - Date.parse(event.at) > MOST_MS) return false
  // A lock that is held now is worth a line of its own; so is whatever happened before it.
  if (event.type === 'lock.taken') return awaitsLock
  return last.type !== 'lock.taken' || events.some(({ type }) => type === 'lock.released')
}

function mainOf(events: readonly EventView[]): EventView {
  const written = events.find(({ type }) => type === 'state.written')
  const [newest] = events
  if (written !== undefined) return written
  if (newest === undefined) throw new Error('a line without an event')
  return newest
}
