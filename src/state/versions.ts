import { badRequest, TacoError } from '../base/errors.ts'
import { bytesOf } from '../bucket/index.ts'
import { diffStates } from './content/diff.ts'
import type { HistoryEntry, Place } from './history.ts'
import { findVersion, newest, readHistory } from './history.ts'
import type { Intake } from './intake.ts'
import type { Locator } from './locate.ts'
import type { UnitDocument } from './model.ts'
import type { Parts } from './protocol/parts.ts'
import { idOf } from './protocol/parts.ts'
import { seeUnit } from './protocol/see.ts'
import { rollBackTo } from './restore.ts'
import type { UnitRef, Versions } from './services.ts'
import type { Unit } from './unit-store.ts'
import { viewVersion } from './view-unit.ts'
import type { VersionView } from './views.ts'

export function createVersions(parts: Parts & { readonly intake: Intake }, locator: Locator): Versions {
  const { bucket } = parts.deps

  async function findUnit(ref: UnitRef): Promise<Unit> {
    return seeUnit(parts, await locator.find(ref))
  }

  async function require(unit: Unit, wanted: string): Promise<HistoryEntry> {
    const entry = await pick(unit.value, wanted)
    if (entry !== undefined) return entry
    throw new TacoError('NOT_FOUND', `${unit.value.name} has no version ${wanted}`, {
      facts: { field: 'version', version: wanted },
      hint: `see \`taco state versions ${unit.value.name}\``,
    })
  }

  async function pick(doc: UnitDocument, wanted: string): Promise<HistoryEntry | undefined> {
    if (wanted === 'current')
      return doc.head === null || doc.head.tag === null
        ? undefined
        : findVersion(bucket, doc, doc.head.version.seq)
    if (wanted === 'previous') return doc.head === null ? undefined : previous(doc, doc.head.version.seq)
    if (/^\d{1,9}$/.test(wanted)) return findVersion(bucket, doc, Number(wanted))
    if (/^sv-[0-9A-Za-z]{16}$/.test(wanted)) return findVersion(bucket, doc, wanted)
    throw badRequest(
      'version',
      `"${wanted}" does not name a version`,
      'use its id (sv-…), its number, "current" or "previous"',
    )
  }

  /** The one before it that really was the current state. */
  async function previous(doc: UnitDocument, seq: number): Promise<HistoryEntry | undefined> {
    let place: Place | undefined = newest(doc)
    while (place !== undefined) {
      const { entries, next }: Awaited<ReturnType<typeof readHistory>> = await readHistory(
        bucket,
        doc,
        place,
        20,
      )
      const found = entries.find((entry) => entry.facts.seq < seq && !entry.superseded)
      if (found !== undefined) return found
      place = next
    }
    return undefined
  }

  async function contentOf(unit: Unit, wanted: string): Promise<Uint8Array> {
    const entry = await require(unit, wanted)
    const stored = await parts.versions.read(unit.value, { object: entry.object, version: entry.facts })
    try {
      return await bytesOf(stored.body)
    } finally {
      await stored.dispose()
    }
  }

  return {
    async list(ref, { limit, cursor }) {
      const { value: doc } = await findUnit(ref)
      const place = cursor === undefined ? newest(doc) : decodePlace(cursor)
      if (place === undefined) return { items: [], next: undefined }
      const { entries, next } = await readHistory(bucket, doc, place, limit)
      return {
        items: entries.map((entry) => viewEntry(doc, entry)),
        next: next === undefined ? undefined : encodePlace(next),
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
      return diffStates(before, after)
    },
    async rollback(ref, version, options, caller) {
      const unit = await findUnit(ref)
      const entry = await require(unit, version)
      return viewVersion(await rollBackTo(parts, idOf(unit), entry, options, caller), 'current')
    },
  }
}

function viewEntry(doc: UnitDocument, entry: HistoryEntry): VersionView {
  if (doc.head?.version.id === entry.facts.id)
    return viewVersion(entry.facts, doc.head.tag === null ? 'deleted' : 'current')
  return viewVersion(entry.facts, entry.superseded ? 'superseded' : 'past')
}

function encodePlace({ seq, id, superseded }: Place): string {
  return `${seq}.${id}${superseded ? '.s' : ''}`
}

function decodePlace(cursor: string): Place {
  const match = /^(\d{1,9})\.(sv-[0-9A-Za-z]{16})(\.s)?$/.exec(cursor)
  if (match === null)
    throw badRequest('cursor', 'this cursor is not one of ours', 'leave it out to start from the newest')
  return { seq: Number(match[1]), id: String(match[2]), superseded: match[3] !== undefined }
}
