import { LRUCache } from 'lru-cache'
import { isTacoError, messageOf, TacoError } from '../../base/errors.ts'
import type { ReceivedState } from '../state-control.ts'
import type { Body, Bucket } from '../../bucket/index.ts'
import type { ChunkIndex } from '../codec/chunks.ts'
import { indexChunks } from '../codec/chunks.ts'
import { contentOf } from '../codec/content.ts'
import { readVersion } from '../codec/decode.ts'
import { encodeVersion } from '../codec/encode.ts'
import { baseFor, chainAfter } from '../codec/levels.ts'
import type { StateDeps } from '../settings.ts'
import { type HistoryCache, pastVersion } from '../history/history-cache.ts'
import { findVersion } from '../history/history.ts'
import { versionObject, versionsPrefix } from '../documents/layout.ts'
import type { Head, UnitDocument, VersionFacts } from '../documents/model.ts'
import { versionIdFrom } from './version-id.ts'
import { refuseOlderDocument } from '../documents/older-document.ts'
import { nextCommit } from '../outputs/output-commits.ts'
import { warningAbout } from '../locks/outside-warning.ts'
import type { StoredBytes, VersionAbout, VersionStore } from '../protocol/context.ts'
import { doubtReceipt } from '../receipts/receipts.ts'

/** Chunk indexes of bases: what a difference is made against. Read again when they are not here. */
const INDEX_CACHE_BYTES = 24 * 1024 * 1024

type Wanted = Parameters<VersionStore['read']>[1]

/** State versions as objects: immutable, each a difference against an ancestor a few levels up. */
export function createVersionStore(deps: StateDeps, history: Pick<HistoryCache, 'note'>): VersionStore {
  const { bucket, ids, spool, log } = deps
  const indexes = new LRUCache<string, ChunkIndex>({
    maxSize: INDEX_CACHE_BYTES,
    sizeCalculation: (index) => index.byteSize,
  })

  /** The highest number that was next, by unit, as far as this process has seen. */
  const nextKnown = new LRUCache<string, number>({ max: 10_000 })

  const openIn = (prefix: string) => async (object: string) =>
    (await getVersionObject(bucket, prefix + object)).stream()

  async function indexOf(prefix: string, object: string): Promise<ChunkIndex | undefined> {
    const known = indexes.get(object)
    if (known !== undefined) return known
    try {
      const { header, content } = await readVersion(object, { open: openIn(prefix), spool })
      const index = await indexChunks(content, header.average)
      indexes.set(object, index)
      return index
    } catch (error) {
      // A damaged or missing ancestor must not prevent a write: the next version is stored self-contained.
      log.error('a version that others are stored against cannot be read', {
        object,
        error: messageOf(error),
      })
      return undefined
    }
  }

  /** No number is used twice: looked up once for each unit, and again where its document seems to have gone back. */
  async function confirmNext(doc: UnitDocument): Promise<void> {
    const next = doc.seq + 1
    const known = nextKnown.get(doc.id)
    if (known === undefined || next < known) await refuseOlderDocument(bucket, doc)
    nextKnown.set(doc.id, next)
  }

  async function put(doc: UnitDocument, state: ReceivedState, about: VersionAbout): Promise<Head> {
    const prefix = versionsPrefix(doc.org, doc.id)
    const seq = doc.seq + 1
    const confirmed = confirmNext(doc)
    // It is awaited before anything is stored; what fails earlier is reported first.
    confirmed.catch(() => {})
    const id = versionIdFrom(ids, about.versionStart)
    const version = describeVersion(doc, state, about, { id, seq })
    const { commit, outputs } = nextCommit(doc.head, state.facts?.outputs ?? null)
    const receipt = about.receipt ?? null
    const chain = doc.head?.chain ?? {}
    const placement = baseFor(seq, definedChain(chain))
    const index = placement.base === undefined ? undefined : await indexOf(prefix, placement.base.id)
    const encoded = await encodeVersion(state.body, {
      meta: { unit: doc.id, version, commit, outputs, receipt },
      spool,
      sha256: state.hash,
      ...(placement.base === undefined || index === undefined
        ? {}
        : { base: { id: placement.base.id, index } }),
    })
    try {
      const baseSeq = encoded.kind === 'delta' ? (placement.base?.seq ?? 0) : 0
      const object = versionObject({ seq, baseSeq, id: version.id })
      await confirmed
      // The id is random, so an object that is there already is this one: an answer was lost.
      await bucket.put(prefix + object, encoded.frame, 'absent', { contentType: 'application/octet-stream' })
      history.note(doc.org, pastVersion(doc.id, { facts: version, commit, outputs, receipt }))
      const link = { seq, id: object }
      const next = chainAfter(definedChain(chain), link, { level: placement.level, kind: encoded.kind })
      if (next.full === link || next.mid === link) indexes.set(object, encoded.index)
      return { version, object, tag: null, commit, outputs, chain: { ...next } }
    } finally {
      await encoded.dispose()
    }
  }

  async function putBack(doc: UnitDocument, head: Head, state: ReceivedState): Promise<void> {
    const { version, commit, outputs } = head
    const key = versionsPrefix(doc.org, doc.id) + head.object
    // Beside a write under way, the document already has the receipt of that write.
    const receipt = doc.write === null ? doc.receipt : doubtReceipt(doc.receipt)
    const encoded = await encodeVersion(state.body, {
      meta: { unit: doc.id, version, commit, outputs, receipt },
      spool,
      sha256: state.hash,
    })
    try {
      const there = await bucket.head(key)
      await bucket.put(key, encoded.frame, there?.tag ?? 'absent', {
        contentType: 'application/octet-stream',
      })
    } finally {
      await encoded.dispose()
    }
  }

  async function read(doc: UnitDocument, wanted: Wanted): Promise<StoredBytes> {
    try {
      return await readStored(doc, wanted)
    } catch (error) {
      // What is missing or damaged may be what the next version would be stored against: look at it again then.
      if (isTacoError(error, 'BUCKET_CORRUPT')) indexes.clear()
      throw error
    }
  }

  async function readStored(doc: UnitDocument, wanted: Wanted): Promise<StoredBytes> {
    const { header, content, discard } = await readVersion(wanted.object, {
      open: openIn(versionsPrefix(doc.org, doc.id)),
      spool,
    })
    if (header.sha256 !== wanted.version.hash) {
      await discard()
      throw new TacoError(
        'BUCKET_CORRUPT',
        `The content of version ${wanted.object} of ${doc.name} does not match its record.`,
        {
          facts: { unit: doc.name, object: wanted.object },
          hint: 'Run `taco doctor --deep`, or restore this object from a backup of the bucket.',
        },
      )
    }
    const restored = await contentOf(content, header.size, spool)
    const body: Body = {
      size: restored.size,
      bytes: undefined,
      stream: () => restored.read(0, restored.size),
    }
    return { body, dispose: () => restored.dispose() }
  }

  return { put, putBack, read, find: (doc, id) => findVersion(bucket, doc, id, 'stop') }
}

export async function getVersionObject(bucket: Bucket, key: string) {
  const found = await bucket.get(key)
  if (found !== undefined) return found
  throw new TacoError('BUCKET_CORRUPT', `The version object ${key} is missing from the bucket.`, {
    facts: { key },
    hint: 'Restore it from a backup of the bucket. `taco doctor --deep` lists everything that is missing.',
  })
}

function describeVersion(
  doc: UnitDocument,
  state: ReceivedState,
  about: VersionAbout,
  place: { readonly id: string; readonly seq: number },
): VersionFacts {
  const { facts } = state
  const { message, requestId, source, receipt: _receipt, versionStart: _start, ...rest } = about
  const warning = about.how === 'outside' ? warningAbout(doc, facts) : undefined
  return {
    ...place,
    ...rest,
    hash: state.hash,
    size: state.body.size,
    serial: facts?.serial ?? 0,
    lineage: facts?.lineage ?? '',
    encrypted: facts?.encrypted ?? false,
    resources: facts?.resources === undefined ? null : facts.resources - (facts.dataResources ?? 0),
    ...(facts === undefined ? { unreadable: true } : {}),
    ...(warning === undefined ? {} : { warning }),
    ...(facts?.terraformVersion === undefined ? {} : { terraformVersion: facts.terraformVersion }),
    ...(message === undefined ? {} : { message }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(source === undefined ? {} : { source }),
    prev: doc.tail?.id ?? null,
    ...(doc.tail?.superseded === true ? { supersedes: true } : {}),
  }
}

/** Optional fields of a parsed document may be there as undefined; the codec wants them absent. */
function definedChain(chain: Head['chain']) {
  return {
    ...(chain.full === undefined ? {} : { full: chain.full }),
    ...(chain.mid === undefined ? {} : { mid: chain.mid }),
  }
}
