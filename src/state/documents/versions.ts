import { z } from 'zod'
import { openObject, openWord } from '../../bucket/index.ts'

export const How = z.enum(['backend', 'push', 'rollback', 'outside', 'restore'])
export type How = z.infer<typeof How>

/** A place in the version chain that later versions may be stored as a difference against. */
export const ChainLink = openObject({
  seq: z.number().int(),
  /** Name of the version object. */ id: z.string(),
})
export type ChainLink = z.infer<typeof ChainLink>

export const OutputDigest = openObject({
  name: z.string(),
  sensitive: z.boolean(),
  digest: z.string(),
  /** The outputs commit since which it has this digest. */
  since: z.number().int(),
})
export type OutputDigest = z.infer<typeof OutputDigest>

/** What one state version is, wherever it is named: in the unit's document and in the version's own header. */
export const VersionFacts = openObject({
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

export const Head = openObject({
  version: VersionFacts,
  /** Name of the version object below the unit's folder of versions. */
  object: z.string(),
  /** Tag of the state object that holds this version; null while there is no state object (deleted). */
  tag: z.string().nullable(),
  /** Number of the current outputs commit: it grows with every version in which an output changed. */
  commit: z.number().int(),
  /** Digests of the outputs; null when they cannot be known (encrypted). */
  outputs: z.array(OutputDigest).nullable(),
  /** Bases for the next differences. */
  chain: openObject({ full: ChainLink.optional(), mid: ChainLink.optional() }),
})
export type Head = z.infer<typeof Head>

/** A version that a later one refers to (a rollback's source): retention keeps it as long as the later one. */
export const KeptVersion = ChainLink.extend({ by: z.number().int() })
export type KeptVersion = z.infer<typeof KeptVersion>

/** Versions of these numbers are gone, objects and all: found by a repair at this time. */
export const LostVersions = openObject({
  from: z.number().int(),
  to: z.number().int(),
  at: z.number(),
})
export type LostVersions = z.infer<typeof LostVersions>

/** A time without a state, or without the unit. It has no bytes, so it is kept here and not among the versions. */
export const Absence = openObject({
  /** `state-missing`: it was emptied or deleted from outside. */
  what: openWord(z.enum(['state-deleted', 'state-missing', 'unit-deleted'])),
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
