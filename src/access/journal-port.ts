import { z } from 'zod'
import type { Caller } from './caller.ts'
import type { AccessEventType } from './event-types.ts'
import { openObject } from '../bucket/index.ts'

/** An event as documents of this layer carry it to the journal. What is in it is up to the layer that keeps the journal. */
export const JournalEvent = openObject({ id: z.string(), at: z.number() })
export type JournalEvent = z.infer<typeof JournalEvent>

/** What happened, for the journal. */
export interface AccessChange {
  readonly type: AccessEventType
  readonly caller: Caller
  /** Never a secret. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Brings events to the journal, which belongs to a layer above. */
export interface JournalPort {
  /** Without an organization: of the whole server. */
  make(
    about: { readonly org: string; readonly unit?: { readonly id: string; readonly name: string } },
    change: AccessChange,
  ): JournalEvent
  unsent(outbox: readonly JournalEvent[]): readonly JournalEvent[]
  send(outbox: readonly JournalEvent[], made: readonly JournalEvent[], document: OutboxDocument): void
  sendLeft(outbox: readonly JournalEvent[], document: OutboxDocument): void
}

type OutboxDocument = { readonly key: string; empty(): Promise<void> }

/** The organization of events that concern the whole server. */
export const SERVER = ''
