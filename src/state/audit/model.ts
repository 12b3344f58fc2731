import { z } from 'zod'
import type { Caller } from '../../access/index.ts'
import type { AuditFinding, VerifyOptions } from './seals/verify.ts'

/** Records that are for the audit alone: the feed of events leaves them out. */
export const AuditType = z.enum([
  /** A request that was not allowed. */
  'request.refused',
  /** A request that left no other event: a change that no document reports, or a read of sensitive values. */
  'request.served',
])
export type AuditType = z.infer<typeof AuditType>

const AUDIT_TYPES: ReadonlySet<string> = new Set(AuditType.options)

export function isForAuditOnly(type: string): boolean {
  return AUDIT_TYPES.has(type)
}

/** A decision about a request, to be recorded. */
export interface AuditEntry {
  readonly caller: Pick<Caller, 'principal' | 'claim' | 'requestId' | 'origin'>
  readonly org?: string | undefined
  /** A name or an id, as the request gave it. */
  readonly unit?: string | undefined
  /** The network of the client: what comes from it is bounded. Default: its address. */
  readonly network?: string
  readonly data?: Readonly<Record<string, string | number>>
}

export interface AuditQuery {
  /** Undefined: all organizations, and what belongs to none. */
  readonly org?: string
  readonly unit?: string
  /** A principal (`user:alice`), the name of one, or the id of a token, session or run. */
  readonly who?: string
  /** An action (`state:write`, `state:*`) or the type of an event. */
  readonly action?: string
  readonly result?: 'done' | 'refused'
  /** Milliseconds since the epoch, both included. */
  readonly since?: number
  readonly until?: number
  readonly limit: number
  readonly cursor?: string
}

export const AuditRecord = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  type: z.string().meta({ description: 'The event, "request.refused" or "request.served".' }),
  result: z.enum(['done', 'refused']),
  by: z.string(),
  who: z.string().nullable().meta({ description: 'What the caller says of itself: not verified.' }),
  via: z
    .object({ kind: z.string(), id: z.string(), name: z.string().nullable() })
    .nullable()
    .meta({ description: 'The token, session or run that the caller used.' }),
  address: z.string().nullable(),
  action: z.string().nullable(),
  route: z.string().nullable(),
  org: z.string().nullable().meta({ description: 'Null: it is about the server.' }),
  unit: z
    .object({
      id: z.string().nullable().meta({ description: 'Null: no unit had this name.' }),
      name: z.string(),
    })
    .nullable(),
  requestId: z.string().nullable(),
  count: z.number().int().meta({
    description:
      'How many like it were counted. More than 1: they came after one that has a record of its own.',
  }),
  data: z.record(z.string(), z.unknown()),
})
export type AuditRecord = z.infer<typeof AuditRecord>

export interface AuditPage {
  /** Newest first. May be empty although more follow: a filter was looked for in many records. */
  readonly items: readonly AuditRecord[]
  /** Undefined: this is the end. */
  readonly next: string | undefined
}

/**
 * Who did what, and who was refused. Changes are recorded by the events of the documents that they change; this records
 * the rest.
 */
export interface Audit {
  /** Resolves once it is written. Nothing is, if the request made an event. */
  served(entry: AuditEntry): Promise<void>
  /** For what happens often: the first in a minute is written, more of the same are counted. */
  counted(entry: AuditEntry): Promise<void>
  /** Counted in the same way. Never fails, and never delays the answer. */
  refused(entry: AuditEntry): void
  read(query: AuditQuery, caller: Caller): Promise<AuditPage>
  /** Seals the hours that are over, of every journal. Any server may do it, and several at once. */
  seal(caller: Caller): Promise<{ readonly objects: number }>
  /** Compares the journals with their seals. Undefined `org`: all of them, and that of the server. */
  verify(options: VerifyOptions & { readonly org?: string }, caller: Caller): AsyncIterable<AuditFinding>
}
