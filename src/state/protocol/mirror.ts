import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Body, Bucket, Tag } from '../../bucket/index.ts'
import { bodyOf, lockBeside } from '../../bucket/index.ts'
import type { Lock, UnitDocument } from '../model.ts'
import { LockInfo } from '../model.ts'

/**
 * A mirror of the lock for programs that go to the bucket directly: an object at the key where the engine's own backend
 * for this kind of store looks for one, such as `<key>.tflock`. It carries the unit and an epoch, so that anyone can
 * tell a live one from a left-over; without that mark it is somebody else's and is respected.
 */
export type Mirror =
  | { readonly kind: 'none' }
  | { readonly kind: 'foreign'; readonly tag: Tag; readonly info: LockInfo }
  | { readonly kind: 'ours'; readonly tag: Tag; readonly info: LockInfo; readonly epoch: number }

const Marked = LockInfo.extend({ OpenTaco: z.object({ unit: z.string(), epoch: z.number().int() }) })

export interface Mirrors {
  read(doc: Pick<UnitDocument, 'id' | 'key'>): Promise<Mirror>
  /** Create if absent; undefined: there is one. */
  create(doc: UnitDocument, lock: Lock): Promise<Tag | undefined>
  /** Replace exactly that one; undefined: it changed. */
  replace(doc: UnitDocument, lock: Lock, tag: Tag): Promise<Tag | undefined>
  /** Remove exactly that one. */
  remove(doc: UnitDocument, tag: Tag, options?: Parameters<Bucket['delete']>[2]): ReturnType<Bucket['delete']>
  /** The tag under which this process last wrote the mirror of this very lock. */
  knownTag(doc: UnitDocument, lock: Lock): Tag | undefined
  /** Is the mirror of the held lock in place? Puts it back if it is missing. `foreign`: the lock was lost. */
  confirm(doc: UnitDocument, lock: Lock): Promise<'in place' | 'foreign'>
}

export function createMirrors(bucket: Bucket): Mirrors {
  const tags = new LRUCache<string, Tag>({ max: 10_000 })
  const { placeOf } = bucket.locks ?? lockBeside
  const nameOf = (doc: UnitDocument, lock: Lock) => `${doc.id} ${lock.epoch} ${lock.id}`

  async function put(doc: UnitDocument, lock: Lock, when: 'absent' | Tag): Promise<Tag | undefined> {
    const answer = await bucket.put(placeOf(doc.key), mirrorBody(doc, lock), when, {
      contentType: 'application/json',
    })
    if (answer.kind === 'conflict') return undefined
    tags.set(nameOf(doc, lock), answer.tag)
    return answer.tag
  }

  async function read(doc: Pick<UnitDocument, 'id' | 'key'>): Promise<Mirror> {
    const found = await bucket.get(placeOf(doc.key))
    return found === undefined ? { kind: 'none' } : parseMirror(doc.id, found.tag, await found.bytes())
  }

  async function confirm(doc: UnitDocument, lock: Lock): Promise<'in place' | 'foreign'> {
    const known = tags.get(nameOf(doc, lock))
    if (known !== undefined) {
      const entry = await bucket.head(placeOf(doc.key))
      if (entry?.tag === known) return 'in place'
    }
    for (;;) {
      const mirror = await read(doc)
      if (mirror.kind === 'foreign') return 'foreign'
      if (mirror.kind === 'ours') return 'in place'
      if ((await put(doc, lock, 'absent')) !== undefined) return 'in place'
    }
  }

  return {
    read,
    create: (doc, lock) => put(doc, lock, 'absent'),
    replace: (doc, lock, tag) => put(doc, lock, tag),
    remove: (doc, tag, options) => bucket.delete(placeOf(doc.key), tag, options),
    knownTag: (doc, lock) => tags.get(nameOf(doc, lock)),
    confirm,
  }
}

function mirrorBody(doc: UnitDocument, lock: Lock): Body {
  return bodyOf(JSON.stringify({ ...lock.info, OpenTaco: { unit: doc.id, epoch: lock.epoch } }))
}

export function parseMirror(unitId: string, tag: Tag, bytes: Buffer): Mirror {
  let json: unknown
  try {
    json = JSON.parse(bytes.toString('utf8'))
  } catch {
    json = undefined
  }
  const marked = Marked.safeParse(json)
  if (marked.success && marked.data.OpenTaco.unit === unitId) {
    const { OpenTaco, ...info } = marked.data
    return { kind: 'ours', tag, info, epoch: OpenTaco.epoch }
  }
  // Not a lock info at all is still somebody's lock: the safe reading.
  const info = LockInfo.safeParse(json)
  return {
    kind: 'foreign',
    tag,
    info: info.success
      ? info.data
      : LockInfo.parse({ ID: 'unreadable', Info: 'the lock object is not a lock info' }),
  }
}
