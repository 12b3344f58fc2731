import { z } from 'zod'
import { Answered, type DocumentFormat, documentFields, openObject } from '../../bucket/index.ts'
import { Event } from './event.ts'
import { Dependency, PendingRead, Read, Receipt } from './reads.ts'
import { Retention } from './org-document.ts'
import { Absence, Head, KeptVersion, LostVersions } from './versions.ts'

/** The lock info both CLIs send, kept whole: unknown fields too. */
export const LockInfo = z.looseObject({
  ID: z.string().min(1).max(200),
  Operation: z.string().default(''),
  Info: z.string().default(''),
  Who: z.string().default(''),
  Version: z.string().default(''),
  Created: z.string().default(''),
  Path: z.string().default(''),
})
export type LockInfo = z.infer<typeof LockInfo>

export const Lock = openObject({
  id: z.string(),
  epoch: z.number().int(),
  info: LockInfo,
  reason: z.string().optional(),
  by: z.string(),
  /** What the caller says of itself: not verified. */
  who: z.string().optional(),
  at: z.number(),
  /** When set, the lock frees itself unless renewed. */
  leaseUntil: z.number().optional(),
  /** Last request that carried this lock's id. */
  seenAt: z.number().optional(),
  /** Stores without conditional delete: the lock is being let go by this owner since this time. */
  releasing: openObject({ owner: z.string(), at: z.number() }).optional(),
})
export type Lock = z.infer<typeof Lock>

/** The write-ahead intent. Setting it is the commit; carrying it out is its effect. */
export const Intent = z.discriminatedUnion('kind', [
  openObject({
    kind: z.literal('write'),
    /** The head that becomes current once the state object holds it. Its tag is unknown until then (null). */
    head: Head,
    /** The state object that the intent replaces: null if there is none. */
    from: z.string().nullable(),
    by: z.string(),
  }),
  openObject({
    kind: z.literal('delete'),
    /** The state object that goes. */
    from: z.string(),
    by: z.string(),
    /** When, and the principal that deletes it: for the history. */
    at: z.number().optional(),
    who: z.string().optional(),
    /** What that principal says of itself: not verified. */
    claim: z.string().optional(),
  }),
])
export type Intent = z.infer<typeof Intent>

export const RecentWrite = openObject({
  id: z.string(),
  hash: z.string(),
  /** The lock it was made under. */
  lock: z.string(),
  landed: z.boolean(),
})
export type RecentWrite = z.infer<typeof RecentWrite>

export const UnitDocument = openObject({
  ...documentFields(1),
  id: z.string(),
  org: z.string(),
  name: z.string(),
  /** Set while a rename or a restore is under way; claims of this name and key are then valid too. */
  claiming: openObject({ name: z.string(), key: z.string() }).optional(),
  /** Key of the state object in the bucket. */
  key: z.string(),
  /** How often it was renamed, deleted or restored: a unit that came back to its name is not one that kept it. */
  moves: z.number().int().optional(),
  /** Names that it was renamed away from, the last few: not free for first use. See given-up.ts. */
  formerNames: z.array(z.string()).optional(),
  description: z.string().default(''),
  labels: z.record(z.string(), z.string()),
  /** Settings of other layers, each under its name. Only the layer that owns a section understands it. */
  sections: z.record(z.string(), z.unknown()).optional(),
  createdAt: z.number(),
  createdBy: z.string(),
  createdWho: z.string().optional(),
  changedAt: z.number(),
  deleted: openObject({ at: z.number(), by: z.string(), who: z.string().optional() }).optional(),
  allowDecrypt: z.boolean().default(false),
  retention: openObject(Retention.shape).optional(),
  /** Versions below this sequence number were removed by retention, save those in `kept`. */
  historyFrom: z.number().int().default(1),
  kept: z.array(KeptVersion).default([]),
  /** Oldest first. Documents from before these were recorded have none. */
  absences: z.array(Absence).optional(),
  /**
   * Version ranges already known to be lost, e.g. after restoring a copy made while in use. Any other gap is new
   * damage.
   */
  lost: z.array(LostVersions).optional(),
  /** Sequence number of the newest version ever stored for this unit. */
  seq: z.number().int().default(0),
  /** The highest serial among the versions up to this number, removed ones included. */
  serials: openObject({ highest: z.number().int(), seq: z.number().int() }).optional(),
  epoch: z.number().int(),
  lock: Lock.nullable(),
  /** `idle`: of an operation that writes nothing. */
  released: z.array(openObject({ id: z.string(), at: z.number(), idle: z.boolean().optional() })),
  head: Head.nullable(),
  write: Intent.nullable(),
  /** The state object was found emptied or deleted from outside while it had resources, and no one has decided yet. */
  missing: openObject({ at: z.number() }).optional(),
  /** The newest version of the history; superseded: an outside write overtook it before it was seen landed. */
  tail: openObject({ id: z.string(), superseded: z.boolean() }).nullable(),
  /** The last few writes and how they ended, so that a repeated request gets the answer of the first. */
  recent: z.array(RecentWrite),
  dependencies: z.array(Dependency).default([]),
  /** Null: nothing was read for the current state, as far as is known. */
  receipt: Receipt.nullable().default(null),
  pendingReads: z.array(PendingRead).default([]),
  /** What programs fetched for earlier applies, one per unit: a file of variables may still hold it. */
  fetched: z.array(Read).optional(),
  /** Of the last apply, reported by the worker: with an equal fingerprint there is nothing to do. */
  fingerprint: z.string().optional(),
  /** An apply of a rollout ended badly, and none carried anything out since. */
  failed: openObject({
    at: z.number(),
    rollout: z.string(),
    /** Of the apply itself: what is still written under these does not make it good. */
    locks: z.array(z.string()).optional(),
  }).optional(),
  /** The last few runs that reported their end, so that a repeated report changes nothing. */
  endedRuns: z.array(z.string()).optional(),
  answered: z.array(Answered).optional(),
  outbox: z.array(Event),
})
export type UnitDocument = z.infer<typeof UnitDocument>

export const unitFormat: DocumentFormat<UnitDocument> = { schema: UnitDocument, major: 1, minor: 0 }
