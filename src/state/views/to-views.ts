import { authorOf, systemCaller, viewAuthor } from '../../access/index.ts'
import { isoTime } from '../../base/clock.ts'
import { viewCreator } from '../documents/authors.ts'
import type { Lock, LockInfo, UnitDocument, VersionFacts } from '../documents/model.ts'
import { sayWarning } from '../locks/outside-warning.ts'
import type { GraphFacts, LockView, UnitView, VersionView } from './views.ts'

/** From documents to what the outside sees of them. */

export function viewUnit(doc: UnitDocument): UnitView {
  const { head } = doc
  return {
    id: doc.id,
    org: doc.org,
    name: doc.name,
    key: doc.key,
    description: doc.description,
    labels: doc.labels,
    ...(doc.sections === undefined ? {} : { sections: doc.sections }),
    createdAt: isoTime(doc.createdAt),
    ...viewCreator(doc),
    changedAt: isoTime(doc.changedAt),
    deleted:
      doc.deleted === undefined
        ? null
        : {
            at: isoTime(doc.deleted.at),
            ...viewAuthor(doc.deleted),
            version: head === null ? null : { seq: head.version.seq, serial: head.version.serial },
          },
    allowDecrypt: doc.allowDecrypt,
    retention: doc.retention ?? null,
    lock: doc.lock === null ? null : viewLock(doc.lock),
    missing:
      doc.missing === undefined || head === null
        ? null
        : { at: isoTime(doc.missing.at), version: viewVersion(head.version, 'missing') },
    state: head === null || head.tag === null ? null : viewVersion(head.version, 'current'),
    outputs: head === null || head.tag === null ? null : head.outputs,
    commit: head === null || head.tag === null ? null : head.commit,
    dependencies: doc.dependencies,
    etag: unitEtag(doc),
  }
}

export function graphFacts(doc: UnitDocument): GraphFacts {
  const { head } = doc
  return {
    id: doc.id,
    name: doc.name,
    head:
      head === null || (head.tag === null && doc.missing === undefined)
        ? null
        : {
            commit: head.commit,
            version: head.version.id,
            at: head.version.at,
            ...viewAuthor(head.version),
            // What others were made from is uncertain until someone decides what to do about it.
            outputs: doc.missing === undefined ? head.outputs : null,
          },
    ...(doc.missing === undefined ? {} : { missing: doc.missing.at }),
    ...(head === null || head.tag === null || head.version.warning === undefined
      ? {}
      : { warning: sayWarning(head.version.warning) }),
    dependencies: doc.dependencies,
    reads: doc.receipt?.reads ?? null,
    locked: doc.lock !== null,
    ...(doc.lock?.leaseUntil === undefined ? {} : { leaseUntil: doc.lock.leaseUntil }),
    fingerprint: fingerprintThatHolds(doc),
    ...(doc.failed === undefined ? {} : { failed: { at: doc.failed.at, rollout: doc.failed.rollout } }),
  }
}

/** A fingerprint says nothing about a state that was pushed, rolled back or applied otherwise since. */
export function fingerprintOfHead(doc: UnitDocument, fingerprint: string | null): string | undefined {
  const version = doc.write?.kind === 'write' ? doc.write.head.version.id : doc.head?.version.id
  return fingerprint === null || version === undefined ? undefined : `${fingerprint}@${version}`
}

function fingerprintThatHolds(doc: UnitDocument): string | null {
  const [fingerprint, version] = doc.fingerprint?.split('@') ?? []
  if (fingerprint === undefined || doc.head === null || doc.head.tag === null) return null
  return version === undefined || version === doc.head.version.id ? fingerprint : null
}

export function unitEtag(doc: UnitDocument): string {
  return `${doc.rev}-${doc.nonce}`
}

export function viewVersion(facts: VersionFacts, status: VersionView['status']): VersionView {
  return {
    id: facts.id,
    seq: facts.seq,
    serial: facts.serial,
    lineage: facts.lineage,
    size: facts.size,
    sha256: facts.hash,
    encrypted: facts.encrypted,
    unreadable: facts.unreadable === true,
    warning: facts.warning ?? null,
    resources: facts.resources,
    terraformVersion: facts.terraformVersion ?? null,
    at: isoTime(facts.at),
    ...viewAuthor(facts),
    how: facts.how,
    message: facts.message ?? null,
    source: facts.source ?? null,
    status,
  }
}

export function viewLock(lock: Lock): LockView {
  return {
    id: lock.id,
    info: lock.info,
    reason: lock.reason ?? null,
    ...viewAuthor(lock),
    at: isoTime(lock.at),
    leaseUntil: lock.leaseUntil === undefined ? null : isoTime(lock.leaseUntil),
    lastSeenAt: isoTime(lock.seenAt ?? lock.at),
    outside: false,
  }
}

export function viewOutsideLock(info: LockInfo, seenAt: number): LockView {
  const created = Date.parse(info.Created)
  return {
    id: info.ID,
    info,
    reason: null,
    by: authorOf(systemCaller('outside')).by,
    who: info.Who === '' ? null : info.Who,
    at: isoTime(Number.isNaN(created) ? seenAt : created),
    leaseUntil: null,
    lastSeenAt: null,
    outside: true,
  }
}
