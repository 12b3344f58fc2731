/**
 * State control: organizations, units, their states with locks and history, over one bucket.
 *
 * - A unit's document is the truth about it; every change is a compare-and-swap of it (unit-store.ts).
 * - Locks and writes follow the model-checked protocol in protocol/, step by step.
 * - A state lies as plain tfstate at its key; everything added is under `.taco/` (layout.ts).
 */
export { createStateControl } from './create-state-control.ts'
export type { StateControlOptions } from './create-state-control.ts'
export type { StateSettings } from './settings.ts'
export { AuditRecord } from './audit/model.ts'
export { AuditFinding } from './audit/seals/verify.ts'
export type { Audit, AuditEntry, AuditPage, AuditQuery } from './audit/model.ts'
export { StateDiff } from './content/diff.ts'
export { inThisThread, longWork } from './long-work.ts'
export type { LongWork } from './long-work.ts'
export {
  Dependency,
  Event,
  EventRetention,
  EventType,
  LockInfo,
  OutputDigest,
  Read,
  Retention,
} from './documents/model.ts'
export { type Expected, changedMeanwhile, isExpected } from './expected.ts'
export { readStateKey, unitNameFor } from './upkeep/adopt-names.ts'
export {
  isUnitId,
  flatName,
  nameFromFlat,
  checkLabelCount,
  parseLabels,
  parseNewUnitName,
  parseOrgName,
  parseUnitName,
} from './documents/names.ts'
export { newVersionStart, versionStart } from './versions/version-id.ts'
export { noSuchOrg, noSuchUnit } from './units/missing.ts'
export type * from './state-control.ts'
export * from './views/views.ts'
