import type { TacoError } from '../../base/errors.ts'
import { isTacoError } from '../../base/errors.ts'
import type { Bucket, Entry } from '../../bucket/index.ts'
import { readDocument } from '../../bucket/index.ts'
import type { Say } from './doctor-findings.ts'
import { finder, FROM_BACKUP, fromBackupOr, uncheckedUnit } from './doctor-findings.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import { readRecords } from '../journal/journal-records.ts'
import { journalPrefix, parseJournalKey, sharedJournalPrefix } from '../documents/journal-layout.ts'
import { historiesPrefix, namesPrefix, stateClaimsPrefix } from '../documents/layout.ts'
import { rebuiltDocument } from '../units/lost-units.ts'
import { type Claim, type Event, type UnitDocument, claimFormat } from '../documents/model.ts'
import { isDocumentOlder } from '../documents/older-document.ts'
import { lookAt } from '../protocol/reconcile.ts'
import type { Parts } from '../protocol/context.ts'
import type { Caller } from '../state-control.ts'
import { newDocument } from '../units/unit-making.ts'
import type { DoctorFinding } from '../views/views.ts'

/** Units whose document is gone: found by their versions, and rebuilt from their claims. Returns the rebuilt ones. */
export async function* checkLostUnits(
  parts: Parts,
  org: string,
  known: ReadonlySet<string>,
  repair: boolean,
  caller: Caller,
): AsyncGenerator<DoctorFinding, readonly Claim[]> {
  const { bucket } = parts.deps
  const madeAnew: Claim[] = []
  const lost = new Set<string>()
  for await (const page of bucket.list(historiesPrefix(org)))
    for (const { key } of page) {
      const id = key.slice(historiesPrefix(org).length).split('/')[0] ?? ''
      if (!known.has(id)) lost.add(id)
    }
  if (lost.size === 0) return madeAnew
  const names = await claimsOf(parts, namesPrefix(org), lost)
  const keys = await claimsOf(parts, stateClaimsPrefix, lost)
  for (const id of lost) {
    caller.signal?.throwIfAborted()
    // The claim of the key also holds a lost name.
    const claimed = names.get(id) ?? keys.get(id) ?? []
    try {
      // One that was made since the units were listed is not lost.
      if ((await parts.store.read(org, id)) !== undefined) continue
      const claim = await claimThatCounts(parts, claimed)
      const key = keys.get(id)?.[0]?.key ?? claim?.key
      const isBack =
        repair &&
        claim !== undefined &&
        key !== undefined &&
        (await rebuild(parts, claim, { key, formerNames: namesBeside(claim, claimed) }, caller))
      if (isBack) madeAnew.push(claim)
      const called = claim === undefined && claimed.length > 0 ? ` (${claimed.map(nameOf).join(' or ')})` : ''
      yield finder(claim?.name ?? null)(
        'error',
        'unit.document-missing',
        isBack
          ? `The document of the unit ${id} was missing. It was rebuilt from its versions, without labels and settings.`
          : `The document of the unit ${id}${called} is missing from the bucket, but its versions exist.`,
        claim === undefined ? FROM_BACKUP : fromBackupOr('rebuild it with `taco doctor --deep --repair`'),
        isBack,
      )
    } catch (error) {
      yield uncheckedUnit(claimed[0]?.name ?? null, error)
    }
  }
  return madeAnew
}

/** An older copy of the document: the versions that it does not know are taken in. */
export async function* checkDocument(
  parts: Parts,
  doc: UnitDocument,
  repair: boolean,
  say: Say,
): AsyncGenerator<DoctorFinding> {
  if (!(await isDocumentOlder(parts.deps.bucket, doc))) return
  const isBack = repair && (await takeIn(parts, doc))
  yield say(
    'error',
    'unit.document-older',
    `Its document is older than its versions: it ends at version ${doc.seq}, but later versions exist.${isBack ? ' They were taken in.' : ''}`,
    fromBackupOr('run `taco doctor --deep --repair` to take in the later versions'),
    isBack,
  )
}

async function takeIn(parts: Parts, { org, id }: UnitDocument): Promise<boolean> {
  const unit = await parts.store.load(org, id)
  const rebuilt = unit === undefined ? undefined : await rebuiltDocument(parts, unit.value)
  if (unit === undefined || rebuilt === undefined) return false
  const { seq, head, tail, receipt } = rebuilt
  // What was under way when the copy was made has ended, one way or the other: its version is among those taken in.
  const changes = { seq, head, tail, receipt, write: null, missing: undefined }
  const value = { ...unit.value, rev: revAboveAll(parts) }
  return (await parts.store.swap({ ...unit, value }, changes)) !== undefined
}

/** Higher than any revision of an older document that others may remember. */
const revAboveAll = ({ deps }: Parts) => deps.clock.now()

const nameOf = ({ name }: Claim) => name

/**
 * A name that a unit had, or was about to get, may still be claimed. Under a wrong one the unit would not be found by
 * its own, and engines would take its state for none; the newest event about it knows the right one.
 */
async function claimThatCounts(
  { deps: { bucket } }: Parts,
  claimed: readonly Claim[],
): Promise<Claim | undefined> {
  const [first] = claimed
  if (first === undefined || claimed.length === 1) return first
  let newest: Event | undefined
  let newestDamaged = ''
  for await (const page of journalObjects(bucket, [first.org]))
    await forEachLimit(page, 32, async ({ key }) => {
      const object = parseJournalKey(key)
      if (object?.org !== first.org || !object.units.includes(first.id)) return
      const records = (await readRecords(bucket, key)) ?? []
      if (isTacoError(records)) {
        if (object.ulid > newestDamaged) newestDamaged = object.ulid
        return
      }
      for (const event of records)
        if (isOfUnit(event, first) && (newest === undefined || event.id > newest.id)) newest = event
    })
  // No event is younger than the object that holds it: one behind all damaged objects is certainly the newest.
  if (newest === undefined || newest.id < newestDamaged) return undefined
  const { unit } = newest
  return claimed.find(({ name }) => name === unit?.name)
}

/** Steps of a rollout call a unit as it was called when the rollout began. */
function isOfUnit({ unit, type }: Event, { id }: Claim): boolean {
  return unit?.id === id && !type.startsWith('step.')
}

/** Names that it gave up stay claimed, and are not free. */
function namesBeside({ name }: Claim, claimed: readonly Claim[]): string[] {
  return claimed.map(nameOf).filter((other) => other !== name)
}

async function rebuild(
  parts: Parts,
  claim: Claim,
  { key, formerNames }: { readonly key: string; readonly formerNames: string[] },
  caller: Caller,
): Promise<boolean> {
  const document = await rebuiltDocument(parts, {
    ...newDocument(claim, key),
    ...(formerNames.length === 0 ? {} : { formerNames }),
  })
  const rev = revAboveAll(parts)
  if (document === undefined || (await parts.store.create(document, [], { rev })) === undefined) return false
  await lookAt(parts, { org: claim.org, id: claim.id }, caller)
  return true
}

async function claimsOf(
  { deps: { bucket } }: Parts,
  prefix: string,
  ids: ReadonlySet<string>,
): Promise<Map<string, Claim[]>> {
  const found = new Map<string, Claim[]>()
  for await (const page of bucket.list(prefix))
    await forEachLimit(page, 32, async ({ key }) => {
      const claim = await readDocument(bucket, key, claimFormat).catch((error: unknown) => {
        // A claim that cannot be read is reported with the unit that misses it.
        if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) throw error
        return undefined
      })
      if (claim === undefined || !ids.has(claim.value.id)) return
      const { id } = claim.value
      found.set(id, [...(found.get(id) ?? []), claim.value])
    })
  return found
}

/** Of these organizations, and what is shared by all. */
async function* journalObjects(bucket: Bucket, orgs: readonly string[]): AsyncGenerator<readonly Entry[]> {
  for (const root of [...orgs.map(journalPrefix), sharedJournalPrefix]) yield* bucket.list(root)
}

export async function* checkJournal(
  { deps: { bucket } }: Parts,
  orgs: readonly string[],
): AsyncGenerator<DoctorFinding> {
  for await (const page of journalObjects(bucket, orgs)) {
    const damaged: TacoError[] = []
    await forEachLimit(page, 32, async ({ key }) => {
      const records = await readRecords(bucket, key)
      if (isTacoError(records)) damaged.push(records)
    })
    for (const error of damaged)
      yield finder(null)('error', 'journal.record', `An event is lost. ${error.message}`, FROM_BACKUP)
  }
}
