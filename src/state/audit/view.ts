import { viewAuthor } from '../../access/index.ts'
import { isoTime } from '../../base/clock.ts'
import type { Event } from '../documents/model.ts'
import type { AuditQuery, AuditRecord } from './model.ts'

export function viewRecord(event: Event): AuditRecord {
  const { unit, via } = event
  const { count, ...data } = event.data
  return {
    id: event.id,
    at: isoTime(event.at),
    type: event.type,
    result: resultOf(event),
    ...viewAuthor(event),
    via: via === undefined ? null : { kind: via.kind, id: via.id, name: via.name ?? null },
    address: event.address ?? null,
    action: event.action ?? null,
    route: event.route ?? null,
    org: event.org === '' ? null : event.org,
    unit: unit === undefined ? null : { id: unit.id === '' ? null : unit.id, name: unit.name },
    requestId: event.requestId ?? null,
    count: typeof count === 'number' ? count : 1,
    data,
  }
}

export function matchesQuery(event: Event, query: AuditQuery): boolean {
  const { who, action, result, since = -Infinity, until = Infinity } = query
  if (event.at < since || event.at > until) return false
  if (result !== undefined && resultOf(event) !== result) return false
  if (action !== undefined && !matchesAction(event, action)) return false
  return who === undefined || isBy(event, who)
}

function resultOf({ type }: Event): AuditRecord['result'] {
  return type === 'request.refused' ? 'refused' : 'done'
}

function matchesAction({ action, type }: Event, pattern: string): boolean {
  if (!pattern.endsWith('*')) return pattern === action || pattern === type
  const start = pattern.slice(0, -1)
  return action?.startsWith(start) === true || type.startsWith(start)
}

function isBy(event: Event, who: string): boolean {
  const { by } = viewAuthor(event)
  if (by === who || by.slice(by.indexOf(':') + 1) === who || event.via?.id === who) return true
  // Whoever signs in is not known before it is done.
  return event.type.startsWith('person.') && [event.data['login'], event.data['person']].includes(nameIn(who))
}

function nameIn(who: string): string {
  return who.replace(/^user:/, '')
}
