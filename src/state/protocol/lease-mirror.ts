import { again, untilDone } from '../../base/attempts.ts'
import type { Clock } from '../../base/clock.ts'
import { sha256Hex } from '../../base/sha256-hex.ts'
import type { Bucket, Leasable, Leases, Tag } from '../../bucket/index.ts'
import { bodyOf } from '../../bucket/index.ts'
import type { Lock, UnitDocument } from '../documents/model.ts'
import { LockInfo } from '../documents/model.ts'
import type { Mirror, Mirrored, Mirrors, Placed } from './mirror.ts'
import { mirrorText, parseMirror } from './mirror.ts'

/**
 * The mirror where programs lock by a lease on the state object: a lease whose id follows from the unit and the epoch,
 * and a note beside the object that names the holder.
 *
 * The id is the tag of the mirror: any server can compute it, so any can continue after a crash, and a late release of
 * an earlier epoch misses the lease of a later one. The store never reveals the id of a lease. To find out which of
 * ours it is, if it is ours, we try the possible epochs: the one in the note, the document's, and the next.
 *
 * Each epoch writes its note once, on condition of the tag that the object had before the lease, and the lock enters
 * the document only after that. So the tag of the state never changes while a lock is held, and a late request for a
 * lease, on condition of a tag that is gone, fails.
 */
export function createLeaseMirrors(bucket: Bucket, leases: Leases, clock: Clock): Mirrors {
  async function read(doc: Mirrored): Promise<Mirror> {
    let found = await leases.look(doc.key)
    return untilDone(clock, 'reading the lock', async () => {
      if (found === undefined || !found.leased) return { kind: 'none' }
      const noted = parseMirror(doc.id, found.tag, found.note ?? '')
      for (const epoch of possibleEpochs(doc, noted)) {
        const id = leaseId(doc, epoch)
        if (await leases.isHeld(doc.key, id)) return ours(id, epoch, noted)
      }
      const now: Leasable | undefined = await leases.look(doc.key)
      if (now?.tag === found.tag && now.leased) return foreign(doc.key, found, noted)
      found = now
      return again
    })
  }

  /** Without a note of its epoch it has no owner yet: the next process writes one. */
  function ours(tag: Tag, epoch: number, noted: Mirror): Mirror {
    const isOwnNote = noted.kind === 'ours' && noted.epoch === epoch
    return {
      kind: 'ours',
      tag,
      epoch,
      info: isOwnNote ? noted.info : LockInfo.parse({ ID: 'not noted yet' }),
    }
  }

  /** Engines lease under the id of their lock, and record it in the note. A note of ours is a left-over. */
  async function foreign(key: string, { tag }: Leasable, noted: Mirror): Promise<Mirror> {
    const info = noted.kind === 'foreign' ? noted.info : LockInfo.parse({ ID: 'unknown' })
    const isNoted = UUID.test(info.ID) && (await leases.isHeld(key, info.ID))
    return { kind: 'foreign', info, tag: (isNoted ? info.ID : `${BY_TAG}${tag}`) as Tag }
  }

  async function create(doc: UnitDocument, lock: Lock): Promise<Placed | undefined> {
    const id = leaseId(doc, lock.epoch)
    let isNew = false
    return untilDone(clock, 'locking', async () => {
      const found = await leases.look(doc.key)
      if (found === undefined) {
        // As the engines do it: there must be something to lease, and an empty object is no state.
        const made = await bucket.put(doc.key, bodyOf(''), 'absent', { contentType: 'application/json' })
        isNew = made.kind === 'written'
        return again
      }
      if (found.leased) return undefined
      const tag = await leases.acquire(doc.key, id, found.tag)
      return tag === undefined ? again : note(doc, lock, { ...found, tag }, isNew ? null : found.tag)
    })
  }

  /** Undefined: another process was there. `from`: the tag of the state before all this. */
  async function note(
    doc: UnitDocument,
    lock: Lock,
    found: Leasable,
    from: Tag | null,
  ): Promise<Placed | undefined> {
    const tag = leaseId(doc, lock.epoch)
    if (isNotedFor(doc, lock.epoch, found)) return { tag }
    const answer = await leases.note(found, tag, noteText(doc, lock))
    return answer.kind === 'conflict' ? undefined : { tag, moved: { from, to: answer.tag } }
  }

  async function replace(doc: UnitDocument, lock: Lock, tag: Tag): Promise<Placed | undefined> {
    const id = leaseId(doc, lock.epoch)
    if (tag !== id && !(await leases.change(doc.key, tag, id))) return undefined
    const found = await leases.look(doc.key)
    return found === undefined ? undefined : note(doc, lock, found, found.tag)
  }

  async function confirm(doc: UnitDocument, lock: Lock): Promise<'in place' | 'moved' | 'foreign'> {
    if (await leases.isHeld(doc.key, leaseId(doc, lock.epoch))) return 'in place'
    return untilDone(clock, 'confirming the lock', async () => {
      const mirror = await read(doc)
      if (mirror.kind === 'foreign') return 'foreign'
      if (mirror.kind === 'ours') return 'in place'
      const placed = await create(doc, lock)
      if (placed === undefined) return again
      return placed.moved === undefined ? 'in place' : 'moved'
    })
  }

  return {
    read,
    create,
    replace,
    confirm,
    remove: (doc, tag) =>
      tag.startsWith(BY_TAG)
        ? leases.break(doc.key, tag.slice(BY_TAG.length) as Tag)
        : leases.release(doc.key, tag),
    knownTag: (doc, lock) => leaseId(doc, lock.epoch),
    guard: (doc) =>
      doc.lock === null ? undefined : { id: leaseId(doc, doc.lock.epoch), note: noteText(doc, doc.lock) },
  }
}

/** A lease with an unknown id is ended on condition of the object's tag: engines change the tag when they unlock. */
const BY_TAG = 'of '
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function leaseId({ id }: Pick<UnitDocument, 'id'>, epoch: number): Tag {
  const hex = sha256Hex(`opentaco lock ${id} ${epoch}`)
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5') as Tag
}

function possibleEpochs(doc: Mirrored, noted: Mirror): ReadonlySet<number> {
  const known = doc.epoch === undefined ? [] : [doc.epoch + 1, doc.epoch]
  return new Set(noted.kind === 'ours' ? [noted.epoch, ...known] : known)
}

function isNotedFor(doc: UnitDocument, epoch: number, { tag, note }: Leasable): boolean {
  const noted = parseMirror(doc.id, tag, note ?? '')
  return noted.kind === 'ours' && noted.epoch === epoch
}

/** Azure allows 8 KB of metadata per object, and this is only part of it. */
const MOST = 3000

function noteText(doc: UnitDocument, lock: Lock): string {
  const text = mirrorText(doc, lock)
  if (Buffer.byteLength(text) <= MOST) return text
  const { ID, Operation, Who, Created, Version } = lock.info
  const cut = (field: string) => field.slice(0, 100)
  const info = { ID, Operation: cut(Operation), Who: cut(Who), Created: cut(Created), Version: cut(Version) }
  return mirrorText(doc, { ...lock, info: { ...info, Info: '', Path: '' } })
}
