import type { Configuration, Scope } from './configuration.ts'
import type { NotedEvent } from './event.ts'
import { triggerFor } from './triggers.ts'

/** Whether an event belongs to what a configuration is about, where that takes more than the event says. */
export type InScope = (scope: Scope, event: NotedEvent, org: string) => boolean | Promise<boolean>

/** The events that a configuration wants to hear of. */
export async function wantedBy(
  org: string,
  { triggers, scope, enabledAt = 0 }: Configuration,
  events: readonly NotedEvent[],
  inScope: InScope,
): Promise<readonly NotedEvent[]> {
  const wanted: NotedEvent[] = []
  for (const event of events) {
    if (Date.parse(event.at) < enabledAt || triggerFor(triggers, event) === undefined) continue
    if (await isAbout(scope, event, (...about) => inScope(...about, org))) wanted.push(event)
  }
  return wanted
}

function isAbout(
  scope: Scope,
  event: NotedEvent,
  isElse: (scope: Scope, event: NotedEvent) => boolean | Promise<boolean>,
): boolean | Promise<boolean> {
  switch (scope.kind) {
    case 'organization':
      return true
    case 'unit':
      return event.unit?.id === scope.id
    case 'team':
      return event.data['team'] === scope.id
    default:
      return isElse(scope, event)
  }
}
