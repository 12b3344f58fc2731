import { viewAuthor } from '../../access/index.ts'
import { isoTime } from '../../base/clock.ts'
import { badRequest, TacoError } from '../../base/errors.ts'
import { collect } from '../codec/content.ts'
import type { HistoryEntry } from '../history/history-entry.ts'
import type { Gap, HistoryPage, Place } from '../history/history.ts'
import { findVersion, newest, readHistory } from '../history/history.ts'
import { parseVersionObject, versionsPrefix } from '../documents/layout.ts'
import type { Intake } from '../intake/intake.ts'
import type { Locator } from '../units/locate.ts'
import type { Head, UnitDocument, VersionFacts } from '../documents/model.ts'
import type { Parts } from '../protocol/context.ts'
import { idOf } from '../protocol/context.ts'
import { stateMissing } from '../protocol/refusals.ts'
import { seeUnit } from '../protocol/read-reconciled.ts'
import { repeatedWrite } from '../protocol/write.ts'
import { noState, rollBackTo } from './restore.ts'
import { changesAmong } from './version-changes.ts'
import { isVersionStart } from './version-id.ts'
import type { UnitRef, Versions } from '../state-control.ts'
import type { Unit } from '../documents/unit-store.ts'
import { viewVersion } from '../views/to-views.ts'
import type { AbsenceView, VersionView } from '../views/views.ts'

/** Both sides are in memory while they are compared. */
const MOST_COMPARED_BYTES = 64 * 1024 * 1024

const ABSENT: Readonly<Record<string, string>> = {
  current: 'state',
  previous: 'version before its current one',
}

export function createVersions(parts: Parts & { readonly intake: Intake }, locator: Locator): Versions {
  const { bucket } = parts.deps

  async function findUnit(ref: UnitRef): Promise<Unit> {
    return seeUnit(parts, await locator.find(ref))
  }

  async function require(unit: Unit, wanted: string): Promise<HistoryEntry> {
    const entry = await pick(unit.value, wanted)
    if (entry !== undefined) return entry
    const gap = await gapAt(unit.value, wanted)
    if (gap !== undefined) throw damagedVersion(unit.value, gap)
    throw new TacoError('NOT_FOUND', `${unit.value.name} has no ${ABSENT[wanted] ?? `version ${wanted}`}.`, {
      facts: { field: 'version', version: wanted },
      hint: `See \`taco state versions ${unit.value.name}\`.`,
    })
  }

  async function pick(doc: UnitDocument, wanted: string): Promise<HistoryEntry | undefined> {
    if (wanted === 'current' && doc.missing !== undefined) throw stateMissing(doc)
    if (wanted === 'current')
      return doc.head === null || doc.head.tag === null
        ? undefined
        : findVersion(bucket, doc, doc.head.version.seq)
    if (wanted === 'previous') return doc.head === null ? undefined : previous(doc, doc.head.version.seq)
    if (/^\d{1,9}$/.test(wanted)) return findVersion(bucket, doc, Number(wanted))
    if (isVersionStart(wanted)) return findVersion(bucket, doc, wanted)
    throw badRequest(
      'version',
      `"${wanted}" is not a version.`,
      'Use a version id (sv-…), a number, "current" or "previous".',
    )
  }

  /** Should it be there? Then it is damaged or missing, which is something else than never having been. */
  async function gapAt(doc: UnitDocument, wanted: string): Promise<Gap | undefined> {
    const isCurrent = wanted === 'current' && doc.head?.tag != null
    const seq = isCurrent ? doc.head?.version.seq : /^\d+$/.test(wanted) ? Number(wanted) : undefined
    let place = newest(doc)
    while (place !== undefined && (seq === undefined || place.seq >= seq)) {
      const page: HistoryPage = await readHistory(bucket, doc, place, 100)
      const gap = page.gaps.find(
        (one) => one.seq === seq || parseVersionObject(one.object ?? '')?.id === wanted,
      )
      if (gap !== undefined) return gap
      place = page.next
    }
    return undefined
  }

  /** The one before it that really was the current state. One that cannot be read is not passed over for an older one. */
  async function previous(doc: UnitDocument, seq: number): Promise<HistoryEntry | undefined> {
    let place: Place | undefined = newest(doc)
    while (place !== undefined) {
      const { entries, gaps, next }: HistoryPage = await readHistory(bucket, doc, place, 20)
      const found = entries.find((entry) => entry.facts.seq < seq && !entry.superseded)
      const superseded = new Set(
        entries.flatMap(({ facts }) => (facts.supersedes === true ? facts.seq - 1 : [])),
      )
      const gap = gaps.find(
        (one) => one.seq < seq && one.seq > (found?.facts.seq ?? 0) && !superseded.has(one.seq),
      )
      if (gap !== undefined) throw damagedVersion(doc, gap)
      if (found !== undefined) return found
      place = next
    }
    return undefined
  }

  async function contentOf(unit: Unit, wanted: string): Promise<Uint8Array> {
    const entry = await require(unit, wanted)
    if (entry.facts.unreadable === true) throw noState(unit.value, entry)
    if (entry.facts.size > MOST_COMPARED_BYTES) throw tooLargeToCompare(unit.value, entry)
    const stored = await parts.versions.read(unit.value, { object: entry.object, version: entry.facts })
    try {
      return await collect(stored.body.stream(), stored.body.size)
    } finally {
      await stored.dispose()
    }
  }

  return {
    async list(ref, { limit, cursor, changes = false }) {
      const { value: doc } = await findUnit(ref)
      const place = cursor === undefined ? newest(doc) : decodePlace(cursor)
      if (place === undefined)
        return {
          items: [],
          next: undefined,
          damaged: [],
          absences: absencesAmong(doc, -1, Infinity),
          changes: new Map(),
        }
      const { entries, gaps, next } = await readHistory(bucket, doc, place, limit)
      const below = changes && next !== undefined ? await readHistory(bucket, doc, next, 1) : undefined
      return {
        items: entries.map((entry) => viewEntry(doc, entry)),
        next: next === undefined ? undefined : encodePlace(next),
        damaged: gaps.map(({ seq, object }) => ({ seq, object: object ?? null })),
        absences: absencesAmong(doc, next?.seq ?? -1, cursor === undefined ? Infinity : place.seq),
        changes: changes ? changesAmong([...entries, ...(below?.entries ?? [])]) : new Map(),
      }
    },
    async get(ref, version) {
      const unit = await findUnit(ref)
      return viewEntry(unit.value, await require(unit, version))
    },
    async read(ref, version) {
      const unit = await findUnit(ref)
      const entry = await require(unit, version)
      const stored = await parts.versions.read(unit.value, { object: entry.object, version: entry.facts })
      return { view: viewEntry(unit.value, entry), ...stored }
    },
    async diff(ref, from, to) {
      const unit = await findUnit(ref)
      const [before, after] = await Promise.all([contentOf(unit, from), contentOf(unit, to)])
      return parts.deps.work.diff(before, after)
    },
    async rollback(ref, version, options, caller) {
      const unit = await findUnit(ref)
      const before = await repeatedWrite(parts, parts.store.folded(unit).value, caller)
      if (before instanceof TacoError) throw before
      if (before !== undefined) return viewVersion(before, statusNow(unit.value, before))
      const last = version === 'current' ? unit.value.head?.version.id : undefined
      const entry = await require(unit, last ?? version)
      return viewVersion(await rollBackTo(parts, idOf(unit), entry, options, caller), 'current')
    },
  }
}

function statusNow(doc: UnitDocument, { id }: VersionFacts): VersionView['status'] {
  return doc.head?.version.id === id ? statusOfHead(doc, doc.head) : 'past'
}

function tooLargeToCompare({ name }: UnitDocument, { facts }: HistoryEntry): TacoError {
  return new TacoError(
    'TOO_LARGE',
    `Version ${facts.seq} of ${name} has ${facts.size} bytes, too many to compare on the server.`,
    {
      facts: { field: 'version', version: facts.seq, size: facts.size, maxBytes: MOST_COMPARED_BYTES },
      hint: `Get both with \`taco state pull ${name}\` and compare the files.`,
    },
  )
}

function damagedVersion(doc: UnitDocument, { seq, object }: Gap): TacoError {
  return new TacoError(
    'BUCKET_CORRUPT',
    object === undefined
      ? `Version ${seq} of ${doc.name} is missing from the bucket.`
      : `Version ${seq} of ${doc.name} is damaged: the object is ${versionsPrefix(doc.org, doc.id)}${object}.`,
    {
      facts: { unit: doc.name, version: seq, ...(object === undefined ? {} : { object }) },
      hint: 'Restore the object from a backup of the bucket. `taco doctor --deep` lists all damage.',
    },
  )
}

function viewEntry(doc: UnitDocument, entry: HistoryEntry): VersionView {
  if (doc.head?.version.id === entry.facts.id) return viewVersion(entry.facts, statusOfHead(doc, doc.head))
  return viewVersion(entry.facts, entry.superseded ? 'superseded' : 'past')
}

/** Those that came after a version with a number above `above`, up to `highest`. Newest first. */
function absencesAmong({ absences = [] }: UnitDocument, above: number, highest: number): AbsenceView[] {
  return absences
    .filter(({ seq }) => seq > above && seq <= highest)
    .map(({ what, seq, at, until, ...author }) => ({
      what,
      seq,
      at: isoTime(at),
      ...viewAuthor(author),
      until: until === undefined ? null : isoTime(until),
    }))
    .reverse()
}

function statusOfHead({ missing }: UnitDocument, { tag }: Head): VersionView['status'] {
  if (tag !== null) return 'current'
  return missing === undefined ? 'deleted' : 'missing'
}

function encodePlace({ seq, id, superseded }: Place): string {
  return `${seq}.${id}${superseded ? '.s' : ''}`
}

function decodePlace(cursor: string): Place {
  const match = /^(\d{1,9})\.(sv-[0-9A-Za-z]{16})(\.s)?$/.exec(cursor)
  if (match === null)
    throw badRequest('cursor', 'The cursor is invalid.', 'Leave it out to start from the newest.')
  return { seq: Number(match[1]), id: String(match[2]), superseded: match[3] !== undefined }
}
