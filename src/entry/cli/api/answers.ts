import { fields, flag, list, maybe, number, record, text } from './check-answer.ts'
import type { Of } from './check-answer.ts'

/** What the commands read from the answers of the API. */
export const lockAnswer = fields({
  id: text,
  info: fields({
    Operation: maybe(text),
    Who: maybe(text),
    Created: maybe(text),
    Info: maybe(text),
    Run: maybe(text),
  }),
  reason: maybe(text),
  by: text,
  who: maybe(text),
  at: text,
  leaseUntil: maybe(text),
  lastSeenAt: maybe(text),
  outside: flag,
})
export type LockAnswer = Of<typeof lockAnswer>

export const versionAnswer = fields({
  id: text,
  seq: number,
  serial: number,
  lineage: text,
  size: number,
  sha256: text,
  encrypted: flag,
  unreadable: flag,
  warning: maybe(text),
  resources: maybe(number),
  terraformVersion: maybe(text),
  at: text,
  by: text,
  who: maybe(text),
  how: text,
  message: maybe(text),
  source: maybe(text),
  status: text,
})

/** Of a page of versions: those that cannot be shown. */
export const damagedAnswer = fields({ damaged: maybe(list(fields({ seq: number, object: maybe(text) }))) })

/** Of a page of versions: when there was no state, or no unit. */
const absenceAnswer = fields({
  what: text,
  seq: number,
  at: text,
  by: text,
  who: maybe(text),
  until: maybe(text),
})
export const absencesAnswer = fields({ absences: maybe(list(absenceAnswer)) })
export type AbsenceAnswer = Of<typeof absenceAnswer>

/** What is known of the inside of a state. */
export function sayResources(version: {
  readonly unreadable: boolean
  readonly resources: number | null
}): string {
  if (version.unreadable) return 'not a state'
  return version.resources === null ? 'encrypted' : String(version.resources)
}

export const retentionAnswer = fields({ count: maybe(number), days: maybe(number) })

export const unitAnswer = fields({
  id: text,
  org: text,
  name: text,
  key: text,
  description: text,
  labels: record(text),
  createdAt: text,
  createdBy: text,
  createdWho: maybe(text),
  changedAt: text,
  deleted: maybe(
    fields({ at: text, by: text, who: maybe(text), version: maybe(fields({ seq: number, serial: number })) }),
  ),
  allowDecrypt: flag,
  retention: maybe(retentionAnswer),
  lock: maybe(lockAnswer),
  state: maybe(versionAnswer),
  missing: maybe(fields({ at: text, version: versionAnswer })),
  outputs: maybe(list(fields({ name: text, sensitive: flag }))),
})
export type UnitAnswer = Of<typeof unitAnswer>

export const orgAnswer = fields({
  id: maybe(text),
  name: text,
  formerNames: maybe(list(text)),
  folder: maybe(text),
  limits: maybe(fields({ units: maybe(number), versions: maybe(number), bytes: maybe(number) })),
  deleted: maybe(fields({ at: text, by: text, who: maybe(text) })),
  createdAt: text,
  createdBy: text,
  createdWho: maybe(text),
  retention: maybe(retentionAnswer),
  eventRetention: maybe(fields({ days: number })),
})

export const usageAnswer = fields({
  units: number,
  versions: number,
  bytes: number,
  isComplete: flag,
  asOf: text,
})

export const eventAnswer = fields({
  id: text,
  at: text,
  type: text,
  org: text,
  unit: maybe(fields({ id: text, name: text })),
  by: text,
  who: maybe(text),
})

export const adoptAnswer = fields({
  key: text,
  unit: text,
  layout: text,
  outcome: text,
  reason: maybe(text),
  size: number,
})

export const adoptSummary = fields({ summary: fields({ warnings: maybe(list(text)) }) })

export const gcAnswer = fields({
  dryRun: flag,
  unitsWithRule: number,
  versionsPruned: number,
  eventsPruned: maybe(number),
  objectsDeleted: number,
  bytesDeleted: number,
})

export const doctorAnswer = fields({
  level: text,
  check: text,
  message: text,
  hint: maybe(text),
  unit: maybe(text),
  org: maybe(text),
  repaired: flag,
})
export type DoctorAnswer = Of<typeof doctorAnswer>

export const serverAnswer = fields({
  version: text,
  bucket: fields({ kind: text, label: text }),
  auth: text,
  time: text,
})
