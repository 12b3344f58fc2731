import { z } from 'zod'
import { openWord } from '../../bucket/index.ts'
import {
  Absence,
  Dependency,
  Event,
  EventType,
  How,
  LockInfo,
  OutputDigest,
  Read,
  EventRetention,
  OrgLimits,
  Retention,
} from '../documents/model.ts'

import { OutsideWarning } from '../locks/outside-warning.ts'

/** What the outside sees of units, versions, locks and events: the schemas of the HTTP API and of `--json`. */

const Who = z
  .string()
  .nullable()
  .meta({ description: 'What the caller says of itself, such as alice@laptop: not verified.' })

export const LockView = z.object({
  id: z.string(),
  info: LockInfo,
  reason: z.string().nullable(),
  by: z.string(),
  who: Who,
  at: z.iso.datetime(),
  /** Set for locks that free themselves. */
  leaseUntil: z.iso.datetime().nullable(),
  lastSeenAt: z.iso.datetime().nullable(),
  /** True: made around OpenTaco, by a program that locks in the bucket itself. */
  outside: z.boolean(),
})
export type LockView = z.infer<typeof LockView>

export const VersionStatus = z.enum(['current', 'past', 'superseded', 'deleted', 'missing'])

export const VersionView = z.object({
  id: z.string(),
  seq: z.number().int(),
  serial: z.number().int(),
  lineage: z.string(),
  size: z.number().int(),
  sha256: z.string(),
  encrypted: z.boolean(),
  /** True: something else than a state was written around OpenTaco. Its bytes are kept; nothing is known of it. */
  unreadable: z.boolean(),
  /** Why a state that was written around OpenTaco is strange; null: it is not. */
  warning: openWord(OutsideWarning).nullable(),
  /** Null: encrypted or no state, so it cannot be known. */
  resources: z.number().int().nullable(),
  terraformVersion: z.string().nullable(),
  at: z.iso.datetime(),
  by: z.string(),
  who: Who,
  how: openWord(How),
  message: z.string().nullable(),
  /** For a rollback: the version whose content this is. */
  source: z.string().nullable(),
  /**
   * `missing`: the last one, whose object was emptied or deleted from outside, as long as no one has decided about it.
   */
  /** `superseded`: committed, then overtaken by an outside write; it may never have been the current state. */
  status: VersionStatus,
})
export type VersionView = z.infer<typeof VersionView>

/** A version that should be there and cannot be shown. */
export const DamagedVersion = z.object({
  seq: z.number().int(),
  /** The damaged object, in the unit's folder of versions; null: it is missing. */
  object: z.string().nullable(),
})
export type DamagedVersion = z.infer<typeof DamagedVersion>

/** A time without a state, or without the unit: in the history beside the versions. */
export const AbsenceView = z.object({
  what: Absence.shape.what,
  /** The newest version then; 0: there was none. */
  seq: z.number().int(),
  at: z.iso.datetime(),
  by: z.string(),
  who: Who,
  /** Null: still. */
  until: z.iso.datetime().nullable(),
})
export type AbsenceView = z.infer<typeof AbsenceView>

export const UnitView = z.object({
  id: z.string(),
  org: z.string(),
  name: z.string(),
  key: z.string(),
  description: z.string(),
  labels: z.record(z.string(), z.string()),
  /** Settings of other layers. Faces show them as these layers say, never as they are stored. */
  sections: z.record(z.string(), z.unknown()).optional(),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  createdWho: Who,
  changedAt: z.iso.datetime(),
  deleted: z
    .object({
      at: z.iso.datetime(),
      by: z.string(),
      who: Who,
      /** The newest version of its history, which `restore` brings back. Null: it never had a state. */
      version: z.object({ seq: z.int(), serial: z.int() }).nullable(),
    })
    .nullable(),
  allowDecrypt: z.boolean(),
  retention: Retention.nullable(),
  lock: LockView.nullable(),
  /** Null: never applied, or the state was deleted. */
  state: VersionView.nullable(),
  /** The state was emptied or deleted around OpenTaco while it had resources: since when, and its last version. */
  missing: z.object({ at: z.iso.datetime(), version: VersionView }).nullable(),
  /** Names and sensitivity of the outputs; null when encrypted or without state. */
  outputs: z.array(OutputDigest).nullable(),
  /** Number of the current outputs commit; null without state. */
  commit: z.number().int().nullable(),
  dependencies: z.array(Dependency),
  /** Send it back as If-Match to change exactly this revision. */
  etag: z.string(),
})
export type UnitView = z.infer<typeof UnitView>

export const OrgView = z.object({
  id: z.string().meta({ description: 'The name that it was created with; it never changes.' }),
  name: z.string(),
  formerNames: z.array(z.string()).meta({ description: 'They still lead to the organization.' }),
  folder: z.string().meta({ description: 'Where the states of new units are stored.' }),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  createdWho: Who,
  retention: Retention.nullable(),
  eventRetention: EventRetention.nullable(),
  limits: OrgLimits,
  deleted: z.object({ at: z.iso.datetime(), by: z.string(), who: Who }).nullable(),
  etag: z.string(),
})
export type OrgView = z.infer<typeof OrgView>

export const UsageView = z.object({
  units: z.int().meta({ description: 'Without deleted ones.' }),
  versions: z.int().meta({ description: 'Stored versions of all units, deleted ones included.' }),
  bytes: z.int().meta({ description: 'Of current states and stored versions, as they are in the bucket.' }),
  isComplete: z.boolean().meta({ description: 'False: there are more than a million versions.' }),
  asOf: z.iso.datetime(),
})
export type UsageView = z.infer<typeof UsageView>

export const EventView = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  type: openWord(EventType),
  org: z.string(),
  unit: Event.shape.unit.unwrap().nullable(),
  by: z.string(),
  who: Who,
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
})
export type EventView = z.infer<typeof EventView>

/** One state object found by `adopt`. */
export const AdoptFinding = z.object({
  key: z.string(),
  /** The unit it is or would become. */
  unit: z.string(),
  layout: z.enum(['plain', 's3-workspace', 'gcs-workspace', 'azurerm-workspace']),
  outcome: z.enum(['would-adopt', 'adopted', 'already-adopted', 'skipped']),
  /** For `skipped`: why. */
  reason: z.string().nullable(),
  size: z.number().int(),
})
export type AdoptFinding = z.infer<typeof AdoptFinding>

export const GcReport = z.object({
  dryRun: z.boolean(),
  /** Looked through. */
  units: z.number().int(),
  /** How many of these have a retention rule, their own or the organization's. The others keep every version. */
  unitsWithRule: z.number().int(),
  versionsPruned: z.number().int(),
  /** Removed from the journal. */
  eventsPruned: z.number().int(),
  objectsDeleted: z.number().int(),
  bytesDeleted: z.number().int(),
})
export type GcReport = z.infer<typeof GcReport>

export const DoctorFinding = z.object({
  level: z.enum(['ok', 'info', 'warning', 'error']),
  /** Stable, e.g. `bucket.conditional-create`, `unit.tag`, `version.hash`. */
  check: z.string(),
  message: z.string(),
  hint: z.string().nullable(),
  unit: z.string().nullable(),
  org: z
    .string()
    .nullable()
    .meta({ description: 'The id of the organization. Null: about the whole bucket.' }),
  /** True: it was wrong and has been repaired. */
  repaired: z.boolean(),
})
export type DoctorFinding = z.infer<typeof DoctorFinding>

/** One output as a consumer sees it. `json` is the value as JSON text, every digit kept; absent when it is not served. */
export const OutputView = z.object({
  name: z.string(),
  sensitive: z.boolean(),
  /** As OpenTofu writes it: `"string"`, `["list","string"]`. */
  type: z.string(),
  digest: z.string(),
  since: z.number().int(),
  json: z.string().optional(),
})
export type OutputView = z.infer<typeof OutputView>

/** One outputs commit: a version in which at least one output changed. */
export const OutputsCommitView = z.object({
  unit: z.object({ id: z.string(), name: z.string() }),
  commit: z.number().int(),
  version: z.string(),
  seq: z.number().int(),
  serial: z.number().int(),
  at: z.iso.datetime(),
  by: z.string(),
  who: Who,
  how: openWord(How),
  /** Names of the outputs that this commit changed, made or removed. */
  changed: z.array(z.string()),
  /** Null: encrypted, so they cannot be known. */
  outputs: z.array(OutputView).nullable(),
})
export type OutputsCommitView = z.infer<typeof OutputsCommitView>

/** "Have these outputs changed between A and B?" */
export const OutputsDiffView = z.object({
  from: z.number().int(),
  to: z.number().int(),
  changed: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['added', 'removed', 'changed']),
      sensitive: z.boolean(),
      /** Before the change. */
      wasSensitive: z.boolean(),
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),
  ),
})
export type OutputsDiffView = z.infer<typeof OutputsDiffView>

/** What the graph knows of a unit: enough for its status, nothing else. */
export const GraphFacts = z.object({
  id: z.string(),
  name: z.string(),
  /** Null: no state. `outputs` null: encrypted. */
  head: z
    .object({
      commit: z.number().int(),
      version: z.string(),
      at: z.number(),
      by: z.string(),
      who: z.string().nullable(),
      outputs: z.array(OutputDigest).nullable(),
    })
    .nullable(),
  dependencies: z.array(Dependency),
  /** Null: nothing is known of what the state was made from. */
  reads: z.array(Read).nullable(),
  locked: z.boolean(),
  /** The lock frees itself then. */
  leaseUntil: z.number().optional(),
  /** At a past time: it had a state, and the history no longer says which. */
  forgotten: z.boolean().optional(),
  /** The state was emptied or deleted around OpenTaco at this time, or before. What was in it is in `head`. */
  missing: z.number().optional(),
  fingerprint: z.string().nullable(),
  /** Its last apply failed, as far as is known: the state may be half of what its code says. */
  failed: z.object({ at: z.number(), rollout: z.string() }).optional(),
  /** Why its state, which was written around OpenTaco, is strange. */
  warning: z.string().optional(),
  /** Why its document cannot be read. Except for the id, everything else here is a placeholder. */
  damaged: z.string().optional(),
})
export type GraphFacts = z.infer<typeof GraphFacts>
