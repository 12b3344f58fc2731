import { z } from 'zod'
import { levelsIn } from '../../base/json-depth.ts'
import type { Bucket, HeldLease, Tag } from '../../bucket/index.ts'
import type { Lock, UnitDocument } from '../documents/model.ts'
import { LockInfo } from '../documents/model.ts'

/**
 * A mirror of the lock for programs that go to the bucket directly, in the form that the engine's own backend for this
 * kind of store gives its locks: an object (object-mirror.ts) or a lease (lease-mirror.ts). It carries the unit and an
 * epoch, so that anyone can distinguish a live one from a left-over. A lock without that mark is foreign, and we
 * respect it.
 */
export type Mirror =
  | { readonly kind: 'none' }
  | { readonly kind: 'foreign'; readonly tag: Tag; readonly info: LockInfo }
  | { readonly kind: 'ours'; readonly tag: Tag; readonly info: LockInfo; readonly epoch: number }

const Marked = LockInfo.extend({ OpenTaco: z.object({ unit: z.string(), epoch: z.number().int() }) })

/** A mirror that was just written. */
export interface Placed {
  readonly tag: Tag
  /** Where writing it gave the state another tag and left its content alone; from null: an empty object was made. */
  readonly moved?: { readonly from: Tag | null; readonly to: Tag } | undefined
}

/** The unit in question. The epoch is the document's, if known. */
export type Mirrored = Pick<UnitDocument, 'id' | 'key'> & Partial<Pick<UnitDocument, 'epoch'>>

export interface Mirrors {
  read(doc: Mirrored): Promise<Mirror>
  /** Create if absent; undefined: there is one. */
  create(doc: UnitDocument, lock: Lock): Promise<Placed | undefined>
  /** Replace exactly that one; undefined: it changed. */
  replace(doc: UnitDocument, lock: Lock, tag: Tag): Promise<Placed | undefined>
  /** Remove exactly that one. */
  remove(doc: UnitDocument, tag: Tag, options?: Parameters<Bucket['delete']>[2]): ReturnType<Bucket['delete']>
  /** The tag of the mirror of this very lock, where it is known without asking. */
  knownTag(doc: UnitDocument, lock: Lock): Tag | undefined
  /**
   * Is the mirror of the held lock in place? Puts it back if it is missing; `moved` if that gave the state another tag.
   * `foreign`: the lock was lost.
   */
  confirm(doc: UnitDocument, lock: Lock): Promise<'in place' | 'moved' | 'foreign'>
  /** What a put of the state must carry while the lock is held, where the mirror guards the state object itself. */
  guard(doc: UnitDocument): HeldLease | undefined
}

export function mirrorText(doc: Pick<UnitDocument, 'id'>, lock: Lock): string {
  return JSON.stringify({ ...lock.info, OpenTaco: { unit: doc.id, epoch: lock.epoch } })
}

/** Ours are far smaller. The info of a lock is sent to every client that waits for it. */
export const MOST_MIRROR_BYTES = 512 * 1024
const MOST_MIRROR_LEVELS = 64

function readText(text: string): unknown {
  const bytes = Buffer.from(text)
  if (bytes.byteLength > MOST_MIRROR_BYTES || levelsIn(bytes) > MOST_MIRROR_LEVELS) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is not marked as this unit's is foreign. */
export function parseMirror(unitId: string, tag: Tag, text: string): Exclude<Mirror, { kind: 'none' }> {
  const json = readText(text)
  const marked = Marked.safeParse(json)
  if (marked.success && marked.data.OpenTaco.unit === unitId) {
    const { OpenTaco, ...info } = marked.data
    return { kind: 'ours', tag, info, epoch: OpenTaco.epoch }
  }
  // Anything else at this key is still a lock: the safe reading.
  const info = LockInfo.safeParse(json)
  return {
    kind: 'foreign',
    tag,
    info: info.success
      ? info.data
      : LockInfo.parse({ ID: 'unreadable', Info: 'the lock object is not a lock info' }),
  }
}
