/**
 * Buckets: where everything is stored. One small interface, typed documents with compare-and-swap on top of it, and one
 * adapter per kind of store. Nothing here knows what a unit or a state is.
 */
export { bodyOf, bytesOf } from './body.ts'
export { conflict, lockBeside } from './bucket.ts'
export type {
  Body,
  Bucket,
  BucketAbilities,
  Conflict,
  Entry,
  Found,
  GetOptions,
  Held,
  HeldLease,
  Leasable,
  Leases,
  ListOptions,
  PutOptions,
  StoreClock,
  StoreLocks,
  Tag,
  Waiting,
  Written,
} from './bucket.ts'
export { Answered, answeredBefore, noteRequest, withoutRequest } from './documents/answered.ts'
export { createDocumentStore } from './documents/document-store.ts'
export type {
  DocumentKind,
  DocumentStore,
  Fields,
  OutboxDocument,
  Unreadable,
} from './documents/document-store.ts'
export { type DocumentFormat, documentFields, formatFields } from './documents/format.ts'
export { openObject, openWord, otherKind } from './documents/open-schemas.ts'
export { createDocument, readDocument, swapDocument } from './documents/read-write.ts'
export type { Loaded } from './documents/read-write.ts'
export { withAbilities } from './abilities.ts'
export { probeBucket, refuseIfUnfit } from './probe.ts'
export type { ProbeFinding, ProbeReport } from './probe.ts'
export { ROOT, layerPrefix, orgPrefix, recordsPrefix } from './layout.ts'
export { type ArchiveUploadLimits, takeArchive } from './take-archive.ts'
export { type Taken, takeIn } from './take-in.ts'
export { compareKeys, foldKey } from './keys.ts'
export { storePatience } from '../base/retry.ts'
export { parseBucketUrl } from './url.ts'
export type { BucketAddress } from './url.ts'
