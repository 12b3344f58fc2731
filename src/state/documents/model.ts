import { z } from 'zod'

/**
 * What lies in the bucket under `.taco/`, as schemas. Documents carry `v`; a newer one than this code knows is
 * refused, never rewritten. Fields that this code does not know survive a rewrite (`z.looseObject`).
 */
export const FORMAT = 1

/**
 * A word from a list that grows. A newer server on the same bucket may have written one that is not known here: it is
 * shown and carried along as it is. Only for words that nothing is decided by; an unknown word anywhere else is
 * BUCKET_NEWER (`bucket/documents.ts`).
 */
export function openWord<T extends string>(known: z.ZodEnum<{ [K in T]: K }>): z.ZodType<T | (string & {})> {
  return z.string().min(1).meta({ examples: known.options })
}

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

export const Retention = z.object({
  /** Keep at least this many newest versions. */
  count: z.number().int().min(1).optional(),
  /** Keep every version younger than this many days. */
  days: z.number().int().min(1).optional(),
})
export type Retention = z.infer<typeof Retention>

export const EventRetention = z.object({ days: z.number().int().min(1) })
export type EventRetention = z.infer<typeof EventRetention>

export const How = z.enum(['backend', 'push', 'rollback', 'outside', 'restore'])
export type How = z.infer<typeof How>

/** A place in the version chain that later versions may be stored as a difference against. */
export const ChainLink = z.object({
  seq: z.number().int(),
  /** Name of the version object. */ id: z.string(),
})
export type ChainLink = z.infer<typeof ChainLink>

export const OutputDigest = z.object({
  name: z.string(),
  sensitive: z.boolean(),
  digest: z.string(),
  /** The outputs commit since which it has this digest. */
  since: z.number().int(),
})
export type OutputDigest = z.infer<typeof OutputDigest>

/** What one state version is, wherever it is named: in the unit's document and in the version's own header. */
export const VersionFacts = z.looseObject({
  id: z.string(),
  seq: z.number().int().min(1),
  hash: z.string(),
  size: z.number().int().min(0),
  serial: z.number().int().min(0),
  lineage: z.string(),
  encrypted: z.boolean(),
  /** Null when it cannot be known (encrypted). */
  resources: z.number().int().nullable(),
  /** An outside write that is no state at all; kept all the same. */
  unreadable: z.boolean().optional(),
  /** Of an outside write: why it is strange (`outside-warning.ts`). */
  warning: z.string().optional(),
  terraformVersion: z.string().optional(),
  at: z.number(),
  by: z.string(),
  /** What the caller says of itself (`alice@laptop`): not verified. */
  who: z.string().optional(),
  how: openWord(How),
  message: z.string().optional(),
  requestId: z.string().optional(),
  /** For a rollback or a restore: the version whose content this is. */
  source: z.string().optional(),
  /** The version before it. */
  prev: z.string().nullable(),
  /** The version before it was an intent that may never have been the current state. */
  supersedes: z.boolean().optional(),
})
export type VersionFacts = z.infer<typeof VersionFacts>

export const Head = z.looseObject({
  version: VersionFacts,
  /** Name of the version object below the unit's folder of versions. */
  object: z.string(),
  /** Tag of the state object that holds this version; null while there is no state object (deleted). */
  tag: z.string().nullable(),
  /** Number of the outputs commit that stands: it grows with every version in which an output changed. */
  commit: z.number().int(),
  /** Digests of the outputs; null when they cannot be known (encrypted). */
  outputs: z.array(OutputDigest).nullable(),
  /** Bases for the next differences. */
  chain: z.object({ full: ChainLink.optional(), mid: ChainLink.optional() }),
})
export type Head = z.infer<typeof Head>

/** The write-ahead intent. Setting it is the commit; carrying it out is its effect. */
export const Intent = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('write'),
    /** The head that stands once the state object holds it. Its tag is unknown until then (null). */
    head: Head,
    /** The state object that the intent replaces: null means there is none. */
    from: z.string().nullable(),
    by: z.string(),
  }),
  z.looseObject({
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

export const Lock = z.looseObject({
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
  releasing: z.object({ owner: z.string(), at: z.number() }).optional(),
})
export type Lock = z.infer<typeof Lock>

export const EventType = z.enum([
  'org.created',
  'org.changed',
  'unit.created',
  'unit.adopted',
  'unit.changed',
  'unit.renamed',
  'unit.deleted',
  'unit.restored',
  'state.written',
  'state.deleted',
  'state.missing',
  'state.superseded',
  'lock.taken',
  'lock.released',
  'lock.forced',
  'lock.expired',
  'gc.pruned',
  'dependencies.changed',
  'rollout.started',
  'rollout.paused',
  'rollout.resumed',
  'rollout.cancelled',
  'rollout.finished',
  'step.applied',
  'step.failed',
  'step.skipped',
])
export type EventType = z.infer<typeof EventType>

export const Event = z.looseObject({
  /** A ulid: unique, sorts by time. */
  id: z.string(),
  at: z.number(),
  type: openWord(EventType),
  org: z.string(),
  unit: z.object({ id: z.string(), name: z.string() }).optional(),
  by: z.string(),
  /** What the caller says of itself: not verified. */
  who: z.string().optional(),
  requestId: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
})
export type Event = z.infer<typeof Event>

/** A version that a later one refers to (a rollback's source): retention keeps it as long as the later one. */
export const KeptVersion = ChainLink.extend({ by: z.number().int() })
export type KeptVersion = z.infer<typeof KeptVersion>

/** Versions of these numbers are gone, objects and all: found by a repair at this time. */
export const LostVersions = z.object({
  from: z.number().int(),
  to: z.number().int(),
  at: z.number(),
})
export type LostVersions = z.infer<typeof LostVersions>

/** A time without a state, or without the unit. It has no bytes, so it is kept here and not among the versions. */
export const Absence = z.looseObject({
  /** `state-missing`: somebody emptied or deleted it around OpenTaco. */
  what: z.enum(['state-deleted', 'state-missing', 'unit-deleted']),
  /** The newest version then; 0: there was none. */
  seq: z.number().int(),
  at: z.number(),
  by: z.string(),
  /** What the caller says of itself: not verified. */
  who: z.string().optional(),
  /** Since when there is one again. */
  until: z.number().optional(),
})
export type Absence = z.infer<typeof Absence>

export const RecentWrite = z.object({
  id: z.string(),
  hash: z.string(),
  /** The lock it was made under. */
  lock: z.string(),
  landed: z.boolean(),
})
export type RecentWrite = z.infer<typeof RecentWrite>

/** A request that carried an Idempotency-Key and whose change this document has. */
export const Answered = z.looseObject({
  /** A hash of the key and of who sent it. */
  key: z.string(),
  /** A hash of the request itself: the same key must not be used for another one. */
  request: z.string(),
  at: z.number(),
  /** Id of what it made: a version, a rollout. */
  made: z.string().optional(),
})
export type Answered = z.infer<typeof Answered>

/** "This unit used outputs of that one": which, at which commit, with which digests. */
export const Read = z.object({
  /** Id of the unit whose outputs were read. */
  from: z.string(),
  /** Null: all of them (the whole state was read). */
  names: z.array(z.string()).nullable(),
  commit: z.number().int(),
  /** Digests at that commit of the outputs read; null: they cannot be known (encrypted). */
  digests: z.record(z.string(), z.string()).nullable(),
  at: z.number(),
  /** Outputs of which it is not certain that this value was used; null: none is certain. */
  doubted: z.array(z.string()).nullable().optional(),
  /** Only an engine read it, over the http backend, as every apply of that configuration does again. */
  engine: z.boolean().optional(),
  /** Which variable was given which output. Absent: they were not read for variables. */
  inputs: z.record(z.string(), z.string()).optional(),
  /** Several reads as one: some of the outputs were read at a later commit than `commit`. */
  mixed: z.boolean().optional(),
})
export type Read = z.infer<typeof Read>

/** A read that no write has taken up yet. */
export const PendingRead = Read.extend({
  /** The lock that the reading unit was under. */
  lock: z.string().nullable(),
  /** An engine read it under the lock of a plan, or under none: a saved plan may have been made from it. */
  plan: z.boolean().optional(),
  /** The token of the run that read it, which will tell whether it used it. */
  run: z.string().optional(),
  /** The lock of the write that took it up; kept only until the run tells. */
  taken: z.string().optional(),
})
export type PendingRead = z.infer<typeof PendingRead>

/** What the unit's current state was made from. */
export const Receipt = z.object({
  /** The lock of the write that took the reads up: later writes under it belong to the same operation. */
  lock: z.string(),
  reads: z.array(Read),
  /** When it came to stand, if that was after the state was written: by an apply that had nothing to write. */
  at: z.number().optional(),
})
export type Receipt = z.infer<typeof Receipt>

/** "This unit uses that one", as a person declared it or as it was found in code. Reads add more by themselves. */
export const Dependency = z.object({
  /** Id of the unit used. */
  on: z.string(),
  /** Its name when the edge was made: for people, once it is gone. */
  name: z.string(),
  /** Null: all outputs. */
  outputs: z.array(z.string()).nullable(),
  source: openWord(z.enum(['declared', 'code'])),
  /** Variable of this unit → output of that one. */
  inputs: z.record(z.string(), z.string()).default({}),
})
export type Dependency = z.infer<typeof Dependency>

export const UnitDocument = z.looseObject({
  v: z.literal(FORMAT),
  /** Only grows: no two writes of one document are byte-equal. */
  rev: z.number().int().min(1),
  /** Random per write, so that a lost answer can be told from a lost race. */
  nonce: z.string(),
  id: z.string(),
  org: z.string(),
  name: z.string(),
  /** Set while a rename or a restore is under way; claims of this name and key are then valid too. */
  claiming: z.object({ name: z.string(), key: z.string() }).optional(),
  /** Key of the state object in the bucket. */
  key: z.string(),
  /** How often it was renamed, deleted or restored: a unit that came back to its name is not one that kept it. */
  moves: z.number().int().optional(),
  /** Names that it was renamed away from, the last few: not free for first use. See given-up.ts. */
  formerNames: z.array(z.string()).optional(),
  description: z.string().default(''),
  labels: z.record(z.string(), z.string()),
  createdAt: z.number(),
  createdBy: z.string(),
  createdWho: z.string().optional(),
  changedAt: z.number(),
  deleted: z.object({ at: z.number(), by: z.string(), who: z.string().optional() }).optional(),
  allowDecrypt: z.boolean().default(false),
  retention: Retention.optional(),
  /** Versions below this sequence number were removed by retention, save those in `kept`. */
  historyFrom: z.number().int().default(1),
  kept: z.array(KeptVersion).default([]),
  /** Oldest first. Documents from before these were recorded have none. */
  absences: z.array(Absence).optional(),
  /** Of what should be in the history, as in a copy of a bucket in use; a version that is missing besides is news. */
  lost: z.array(LostVersions).optional(),
  /** Sequence number of the newest version ever stored for this unit. */
  seq: z.number().int().default(0),
  /** The highest serial among the versions up to this number, removed ones included. */
  serials: z.looseObject({ highest: z.number().int(), seq: z.number().int() }).optional(),
  epoch: z.number().int(),
  lock: Lock.nullable(),
  /** `idle`: of an operation that writes nothing. */
  released: z.array(z.object({ id: z.string(), at: z.number(), idle: z.boolean().optional() })),
  head: Head.nullable(),
  write: Intent.nullable(),
  /** The state object was found emptied or deleted around OpenTaco while it had resources, and nobody decided yet. */
  missing: z.looseObject({ at: z.number() }).optional(),
  /** The newest version of the history; superseded: an outside write overtook it before it was seen landed. */
  tail: z.object({ id: z.string(), superseded: z.boolean() }).nullable(),
  /** The last few writes and how they ended, so that a repeated request gets the answer of the first. */
  recent: z.array(RecentWrite),
  dependencies: z.array(Dependency).default([]),
  /** Null: nothing was read for the current state, as far as is known. */
  receipt: Receipt.nullable().default(null),
  pendingReads: z.array(PendingRead).default([]),
  /** What programs fetched for earlier applies, one per unit: a file of variables may still hold it. */
  fetched: z.array(Read).optional(),
  /** Of the last apply, told by whoever applied: equal fingerprint, nothing to do. */
  fingerprint: z.string().optional(),
  /** An apply of a rollout ended badly, and none carried anything out since. */
  failed: z
    .object({
      at: z.number(),
      rollout: z.string(),
      /** Of the apply itself: what is still written under these does not make it good. */
      locks: z.array(z.string()).optional(),
    })
    .optional(),
  /** The last few runs that told how they ended, so that one that tells it again changes nothing. */
  endedRuns: z.array(z.string()).optional(),
  answered: z.array(Answered).optional(),
  outbox: z.array(Event),
})
export type UnitDocument = z.infer<typeof UnitDocument>

export const OrgDocument = z.looseObject({
  v: z.literal(FORMAT),
  rev: z.number().int().min(1),
  nonce: z.string(),
  name: z.string(),
  createdAt: z.number(),
  createdBy: z.string(),
  createdWho: z.string().optional(),
  retention: Retention.optional(),
  /** Events older than this many days are removed. */
  eventRetention: EventRetention.optional(),
  /** The place of the latest event that was removed, or is about to be. */
  eventsPruned: z.string().optional(),
  /** Keys the digests of sensitive outputs, base64. It protects digests, not values. */
  digestKey: z.string(),
  /** Also of requests that start a rollout: which one is decided here, before it is made. */
  answered: z.array(Answered).optional(),
  outbox: z.array(Event),
})
export type OrgDocument = z.infer<typeof OrgDocument>

/** Claims a unit's name or a state's key, and says enough to finish a creation that crashed half way. */
export const Claim = z.looseObject({
  v: z.literal(FORMAT),
  id: z.string(),
  org: z.string(),
  name: z.string(),
  key: z.string(),
  at: z.number(),
  by: z.string(),
  /** What the caller says of itself: not verified. */
  who: z.string().optional(),
  /** Of the request that makes the unit, if it carried an Idempotency-Key. */
  request: z.string().optional(),
})
export type Claim = z.infer<typeof Claim>
