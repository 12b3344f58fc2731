import type { TacoError } from '../../base/errors.ts'
import { isTacoError, reasonOf } from '../../base/errors.ts'
import type { Say } from './doctor-findings.ts'
import { FROM_BACKUP } from './doctor-findings.ts'
import { isInHistory, newest, readHistory } from '../history/history.ts'
import type { HistoryPage, Place } from '../history/history.ts'
import { versionsPrefix } from '../documents/layout.ts'
import { isLost, recordLost } from '../versions/lost-versions.ts'
import type { Head, UnitDocument, VersionFacts } from '../documents/model.ts'
import type { Parts } from '../protocol/context.ts'
import type { Caller, ReceivedState } from '../state-control.ts'
import type { DoctorFinding } from '../views/views.ts'

interface Unread {
  readonly seq: number
  readonly check: 'version.missing' | 'version.content'
  readonly message: string
}

type Written = Pick<VersionFacts, 'seq' | 'at'>

/**
 * Reads every version back. A copy of a bucket in use may have documents younger than its versions, and then lacks
 * some. The current version is stored again if the state object has its very bytes. The others, and those stored
 * against them, cannot be rebuilt from anything in the bucket; a repair records that, so that it is an error only once.
 */
export async function* checkVersions(
  parts: Parts,
  doc: UnitDocument,
  /** Versions that the document listed before anything was repaired. */
  told: readonly Written[],
  repair: boolean,
  caller: Caller,
  say: Say,
): AsyncGenerator<DoctorFinding> {
  const { bucket } = parts.deps
  const prefix = versionsPrefix(doc.org, doc.id)
  const current = yield* checkCurrent(parts, doc, repair, say)
  const unread: Unread[] = []
  const written: Written[] = [...told]
  let place: Place | undefined = newest(doc)
  while (place !== undefined) {
    const page: HistoryPage = await readHistory(bucket, doc, place, 100)
    for (const { seq, object } of page.gaps) {
      if (seq === current) continue
      const key = object === undefined ? undefined : prefix + object
      // Retention may have removed it since it was listed.
      if (key === undefined || (await bucket.head(key)) === undefined)
        unread.push({ seq, check: 'version.missing', message: `Version ${seq} is missing.` })
      else yield say('error', 'version.header', `Version ${seq} is damaged: ${key}.`, FROM_BACKUP)
    }
    for (const { object, facts } of page.entries) {
      written.push({ seq: facts.seq, at: facts.at })
      if (facts.seq === current) continue
      const why = await whyUnread(parts, doc, { object, version: facts })
      if (why === undefined) continue
      const { seq } = facts
      const message = `Version ${seq} (${prefix}${object}) cannot be read: ${reasonOf(why)}.`
      if (await isSomethingMissing(parts, why)) unread.push({ seq, check: 'version.content', message })
      else yield say('error', 'version.content', message, FROM_BACKUP)
    }
    place = page.next
  }
  yield* tellLost(parts, doc, unread, written, repair, caller, say)
}

async function* tellLost(
  parts: Parts,
  { org, id, lost: known }: UnitDocument,
  unread: readonly Unread[],
  written: readonly Written[],
  repair: boolean,
  caller: Caller,
  say: Say,
): AsyncGenerator<DoctorFinding> {
  if (unread.length === 0 && known === undefined) return
  // What retention has removed meanwhile is not lost.
  const doc = (await parts.store.load(org, id))?.value
  if (doc === undefined) return
  const lost = unread.filter(({ seq }) => isInHistory(doc, seq)).sort((a, b) => b.seq - a.seq)
  const seqs = lost.map(({ seq }) => seq)
  if (repair) await recordLost(parts, { org, id }, seqs, caller)
  for (const { seq, check, message } of lost) {
    if (isLost(doc, seq)) continue
    const outcome = repair ? ' The bucket does not have its content, so it is recorded as lost.' : ''
    yield say('error', check, message + outcome, hintAt(seq, written))
  }
  for (const { from, to, at } of doc.lost ?? [])
    if (seqs.some((seq) => seq >= from && seq <= to))
      yield say(
        'info',
        'version.lost',
        `${from === to ? `Version ${from} is` : `Versions ${from} to ${to} are`} lost, as recorded at ${timeOf(at)}.`,
        FROM_BACKUP,
      )
}

/** The start of a copy is not recorded anywhere; the time of the version helps people who know it. */
function hintAt(seq: number, written: readonly Written[]): string {
  let after = -Infinity
  let until = Infinity
  for (const one of written)
    if (one.seq < seq) after = Math.max(after, one.at)
    else until = Math.min(until, one.at)
  const when = [
    ...(Number.isFinite(after) ? [`not before ${timeOf(after)}`] : []),
    ...(Number.isFinite(until) ? [`not after ${timeOf(until)}`] : []),
  ].join(' and ')
  const told = when === '' ? '' : ` It was written ${when}.`
  return `${FROM_BACKUP} A copy of a bucket in use may lack what was written after the copy began.${told}`
}

const timeOf = (at: number) => new Date(at).toISOString()

/** The number of the current version if there is nothing else to report about it. */
async function* checkCurrent(
  parts: Parts,
  doc: UnitDocument,
  repair: boolean,
  say: Say,
): AsyncGenerator<DoctorFinding, number | undefined> {
  const { head } = doc
  if (head === null) return undefined
  const { seq } = head.version
  const why = await whyUnread(parts, doc, head)
  if (why === undefined) return seq
  const state = await stateOf(parts, doc, head)
  if (state === undefined) return undefined
  try {
    if (state.hash !== head.version.hash) return undefined
    if (repair) await parts.versions.putBack(doc, head, state)
  } finally {
    await state.dispose()
  }
  const isBack = repair && (await whyUnread(parts, doc, head)) === undefined
  yield say(
    'error',
    'version.current',
    `The current version ${seq} ${isBack ? 'was rebuilt' : 'can be rebuilt'} from the state object. ${why.message}`,
    'Run `taco doctor --deep --repair` before the next write.',
    isBack,
  )
  return seq
}

async function stateOf(
  parts: Parts,
  doc: UnitDocument,
  { version }: Head,
): Promise<ReceivedState | undefined> {
  const found = await parts.deps.bucket.get(doc.key)
  if (found === undefined) return undefined
  if (found.size === version.size) return parts.intake.receiveOutside(found.stream(), doc.org)
  found.discard()
  return undefined
}

async function whyUnread(
  parts: Parts,
  doc: UnitDocument,
  version: Parameters<Parts['versions']['read']>[1],
): Promise<TacoError | undefined> {
  try {
    const stored = await parts.versions.read(doc, version)
    await stored.dispose()
    return undefined
  } catch (error) {
    if (isTacoError(error, 'BUCKET_CORRUPT', 'NOT_FOUND')) return error
    throw error
  }
}

/** The version's own object, or one that it is stored against. Anything else is damage, which may still be repaired. */
async function isSomethingMissing({ deps: { bucket } }: Parts, { facts }: TacoError): Promise<boolean> {
  const key: unknown = facts['key']
  return typeof key === 'string' && (await bucket.head(key)) === undefined
}
