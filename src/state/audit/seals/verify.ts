import { z } from 'zod'
import { isoTime } from '../../../base/clock.ts'
import { journalPrefix, parseJournalKey, placeAt, timeOfPlace } from '../../documents/journal-layout.ts'
import type { StateDeps } from '../../settings.ts'
import { hashJournal, listJournal, listSeals, loadHead, loadSeal, placeOf } from './chain.ts'
import { headKey, sealKey } from './layout.ts'
import {
  type Head,
  type ReadSeal,
  type Seal,
  type Signature,
  type Signer,
  checkHead,
  checkSeal,
} from './seal.ts'

export const AuditFinding = z.object({
  level: z.enum(['ok', 'info', 'error']),
  kind: z.enum([
    'changed',
    'removed',
    'added',
    'late',
    'seal-changed',
    'seal-removed',
    'head-changed',
    'retention',
    'unsealed',
    'expected',
    'chain',
  ]),
  org: z.string().nullable().meta({ description: 'Null: the journal of the server.' }),
  key: z.string().nullable().meta({ description: 'The object.' }),
  message: z.string(),
  hash: z.string().nullable().meta({ description: 'Of the newest seal: keep it outside of the bucket.' }),
})
export type AuditFinding = z.infer<typeof AuditFinding>
type Kind = AuditFinding['kind']

export interface VerifyOptions {
  /** Only what was sealed for this time and later. The chain is checked as a whole. */
  readonly since?: number
  /** Hashes of seals that must be in one of the chains. */
  readonly expect?: readonly string[]
}

export interface VerifyDeps extends Pick<StateDeps, 'bucket'> {
  readonly signer: Signer | undefined
  /** The place up to which retention has removed the events of an organization. */
  prunedOf(org: string): Promise<string>
}

/** Recomputes the chain of one journal. `onHash` gets the hash of every seal. Nothing is written. */
export async function* verifyJournal(
  deps: VerifyDeps,
  org: string,
  since: number,
  onHash: (hash: string) => void,
): AsyncGenerator<AuditFinding> {
  const { bucket, signer } = deps
  const found = (kind: Kind, level: AuditFinding['level'], message: string, key: string | null = null) =>
    ({ level, kind, org: org === '' ? null : org, key, message, hash: null }) as const
  const head = await loadHead(bucket, org)
  const stored = new Set(await listSeals(bucket, org))
  const totals = { seals: 0, objects: 0, pruned: 0, prunedTo: '', keyed: 0, unchecked: 0 }
  /** In the journal and in no seal of its span, so far. */
  const extras = new Set<string>()
  const lateOf = new Map<string, Seal>()
  let before: ReadSeal | undefined
  let to = ''
  let isKeyed = false

  for (const { seq, andMore } of expectedSeqs([...stored], isHead(head) ? head.seq : 0)) {
    const key = sealKey(org, seq)
    if (andMore > 0) {
      yield found('seal-removed', 'error', `This seal and ${andMore} after it are missing.`, key)
      before = undefined
      continue
    }
    const read = stored.has(seq) ? await loadSeal(bucket, org, seq) : undefined
    if (read === undefined) {
      yield found('seal-removed', 'error', 'This seal was removed, so its span cannot be checked.', key)
      before = undefined
      continue
    }
    if (read === 'damaged') {
      yield found('seal-changed', 'error', 'This seal was changed: its content does not have its hash.', key)
      before = undefined
      continue
    }
    const fault = faultOf(read, { org, seq, before, head, signature: checkSeal(read, signer), isKeyed })
    if (fault !== undefined) yield found('seal-changed', 'error', fault, key)
    const { seal, hash } = read
    onHash(hash)
    isKeyed ||= read.key !== undefined
    totals.seals++
    if (read.key !== undefined) totals.keyed++
    if (checkSeal(read, signer) === 'unknown') totals.unchecked++
    if (seal.to > placeAt(since)) yield* compare(seal)
    before = read
    to = seal.to
  }

  for (const [place, seal] of lateOf) {
    extras.delete(place)
    const key = journalPrefix(org) + place
    yield found('late', 'info', `Written after its hour was sealed, and sealed at ${isoTime(seal.at)}.`, key)
  }
  for (const place of extras)
    if (!(await isPruned(place)))
      yield found(
        'added',
        'error',
        'In no seal although its hour is sealed: someone added it, or a server completed it after a crash. The next seal takes it in as late.',
        journalPrefix(org) + place,
      )
  yield* headFaults()
  if (totals.pruned > 0)
    yield found(
      'retention',
      'info',
      `${totals.pruned} sealed objects were removed by retention, up to ${isoTime(timeOfPlace(totals.prunedTo))}.`,
    )
  yield* unsealed()
  yield summary()

  async function* compare(seal: Seal): AsyncGenerator<AuditFinding> {
    const expected = [...seal.objects, ...seal.late]
    const known = new Set(seal.objects.map(([place]) => place))
    for await (const { key } of listJournal(bucket, org, seal)) {
      const place = placeOf(org, key)
      if (!known.has(place)) extras.add(place)
    }
    for (const [place] of seal.late) lateOf.set(place, seal)
    const hashes = await hashJournal(
      bucket,
      org,
      expected.map(([place]) => place),
    )
    totals.objects += expected.length
    for (const [place, hash] of expected) {
      const is = hashes.get(place)
      if (is === hash) continue
      const key = journalPrefix(org) + place
      if (is !== undefined)
        yield found('changed', 'error', 'This object was changed after it was sealed.', key)
      else if (await isPruned(place)) notePruned(place)
      else yield found('removed', 'error', 'This object was removed after it was sealed.', key)
    }
  }

  function notePruned(place: string): void {
    totals.pruned++
    if (place > totals.prunedTo) totals.prunedTo = place
  }

  /** Asked when an object is missing: retention notes what it removes before it does. */
  async function isPruned(place: string): Promise<boolean> {
    const owner = org === '' ? parseJournalKey(`/${place}`)?.org : org
    return place <= (await deps.prunedOf(owner ?? org))
  }

  async function* headFaults(): AsyncGenerator<AuditFinding> {
    const key = headKey(org)
    if (head === 'damaged')
      yield found('head-changed', 'error', 'The record of the newest seal was changed.', key)
    if (head === undefined && totals.seals > 0)
      yield found('head-changed', 'error', 'The record of the newest seal was removed.', key)
    if (!isHead(head)) return
    const signature = checkHead(head, signer)
    if (signature === 'bad' || (signature === 'plain' && isKeyed && before?.key !== undefined))
      yield found('head-changed', 'error', 'The record of the newest seal was changed.', key)
  }

  async function* unsealed(): AsyncGenerator<AuditFinding> {
    let count = 0
    let first = ''
    for await (const { key } of listJournal(bucket, org, { from: to, to: '~' })) {
      if (count++ === 0) first = placeOf(org, key)
    }
    if (count > 0)
      yield found(
        'unsealed',
        'info',
        `${count} objects are not sealed yet, from ${isoTime(timeOfPlace(first))} on.`,
      )
  }

  function summary(): AuditFinding {
    const { seals, objects, keyed, unchecked } = totals
    const how =
      keyed === 0
        ? 'plain hashes'
        : `${keyed} with a secret key${unchecked > 0 ? `, ${unchecked} of them unchecked: the key is not here` : ''}`
    const hash = before?.hash ?? null
    return { ...found('chain', 'ok', `${seals} seals (${how}) over ${objects} objects.`), hash }
  }
}

/** A number that no server gave makes a gap of any size: it is one finding. */
const MOST_MISSING = 100

interface Expected {
  readonly seq: number
  readonly andMore: number
}

/** All numbers up to the last; of a large gap its first, with how many follow. */
function* expectedSeqs(stored: readonly number[], last: number): Generator<Expected> {
  let next = 1
  for (const seq of stored.toSorted((a, b) => a - b)) {
    yield* gap(next, seq)
    yield { seq, andMore: 0 }
    next = seq + 1
  }
  yield* gap(next, last + 1)
}

function* gap(from: number, to: number): Generator<Expected> {
  if (to - from > MOST_MISSING) yield { seq: from, andMore: to - from - 1 }
  else for (let seq = from; seq < to; seq++) yield { seq, andMore: 0 }
}

/** What is wrong with a seal that has its hash. */
function faultOf(
  { seal, hash, key }: ReadSeal,
  given: {
    readonly org: string
    readonly seq: number
    readonly before: ReadSeal | undefined
    readonly head: Head | 'damaged' | undefined
    readonly signature: Signature
    readonly isKeyed: boolean
  },
): string | undefined {
  const { org, seq, before, head, signature, isKeyed } = given
  if (seal.seq !== seq || seal.org !== org) return 'This is another seal, put in this place.'
  if (signature === 'bad') return 'This seal was not made with the secret key of this server.'
  if (isKeyed && key === undefined)
    return 'This seal was made without a key, but earlier ones were made with one.'
  if (before !== undefined && (seal.previous !== before.hash || seal.from !== before.seal.to))
    return 'This seal does not continue the one before it.'
  if (seq === 1 && (seal.previous !== '' || seal.from !== '')) return 'The first seal names a seal before it.'
  if (isHead(head) && head.seq === seq && head.hash !== hash)
    return 'This seal is not the one that was recorded as the newest.'
  return undefined
}

function isHead(head: Head | 'damaged' | undefined): head is Head {
  return head !== undefined && head !== 'damaged'
}
