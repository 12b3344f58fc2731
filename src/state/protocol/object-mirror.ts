import { LRUCache } from 'lru-cache'
import { again, untilDone } from '../../base/attempts.ts'
import type { Clock } from '../../base/clock.ts'
import type { Bucket, Tag } from '../../bucket/index.ts'
import { bodyOf, lockBeside } from '../../bucket/index.ts'
import type { Lock, UnitDocument } from '../documents/model.ts'
import type { Mirror, Mirrored, Mirrors, Placed } from './mirror.ts'
import { MOST_MIRROR_BYTES, mirrorText, parseMirror } from './mirror.ts'

/** The mirror as an object, at the key where the engine's own backend looks for one, such as `<key>.tflock`. */
export function createObjectMirrors(bucket: Bucket, clock: Clock): Mirrors {
  const tags = new LRUCache<string, Tag>({ max: 10_000 })
  const { placeOf } = bucket.locks ?? lockBeside
  const nameOf = (doc: UnitDocument, lock: Lock) => `${doc.id} ${lock.epoch} ${lock.id}`

  async function put(doc: UnitDocument, lock: Lock, when: 'absent' | Tag): Promise<Placed | undefined> {
    const answer = await bucket.put(placeOf(doc.key), bodyOf(mirrorText(doc, lock)), when, {
      contentType: 'application/json',
    })
    if (answer.kind === 'conflict') return undefined
    tags.set(nameOf(doc, lock), answer.tag)
    return { tag: answer.tag }
  }

  async function read(doc: Mirrored): Promise<Mirror> {
    const found = await bucket.get(placeOf(doc.key))
    if (found === undefined) return { kind: 'none' }
    if (found.size > MOST_MIRROR_BYTES) {
      found.discard()
      return parseMirror(doc.id, found.tag, '')
    }
    return parseMirror(doc.id, found.tag, (await found.bytes()).toString())
  }

  async function confirm(doc: UnitDocument, lock: Lock): Promise<'in place' | 'foreign'> {
    const known = tags.get(nameOf(doc, lock))
    if (known !== undefined) {
      const entry = await bucket.head(placeOf(doc.key))
      if (entry?.tag === known) return 'in place'
    }
    return untilDone(clock, 'confirming the lock', async () => {
      const mirror = await read(doc)
      if (mirror.kind === 'foreign') return 'foreign'
      if (mirror.kind === 'ours') return 'in place'
      return (await put(doc, lock, 'absent')) === undefined ? again : 'in place'
    })
  }

  return {
    read,
    create: (doc, lock) => put(doc, lock, 'absent'),
    replace: (doc, lock, tag) => put(doc, lock, tag),
    remove: (doc, tag, options) => bucket.delete(placeOf(doc.key), tag, options),
    knownTag: (doc, lock) => tags.get(nameOf(doc, lock)),
    confirm,
    guard: () => undefined,
  }
}
