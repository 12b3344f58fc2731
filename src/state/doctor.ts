import { isTacoError, messageOf } from '../base/errors.ts'
import { probeBucket } from '../bucket/index.ts'
import type { Catalog } from './catalog.ts'
import type { Claims } from './claims.ts'
import { newest, readHistory } from './history.ts'
import type { Place } from './history.ts'
import { nameKey, stateClaimKey } from './layout.ts'
import type { UnitDocument } from './model.ts'
import type { OrgStore } from './orgs.ts'
import { lookAt } from './protocol/look.ts'
import type { Parts } from './protocol/parts.ts'
import { idOf } from './protocol/parts.ts'
import { hashOf } from './protocol/resolve.ts'
import type { Caller, Upkeep } from './services.ts'
import { outsideEntries } from './sweep.ts'
import type { UnitMaker } from './unit-making.ts'
import { abandonWrite } from './transitions.ts'
import type { Unit } from './unit-store.ts'
import type { DoctorFinding } from './views.ts'

/** Says what is wrong in plain words, and with `repair` puts right what every crash may leave behind. */
export function createDoctor(
  parts: Parts,
  orgs: OrgStore,
  catalog: Catalog,
  claims: Claims,
  maker: UnitMaker,
): Upkeep['doctor'] {
  const { bucket } = parts.deps

  async function* checkUnit(
    unit: Unit,
    options: { deep: boolean; repair: boolean },
    caller: Caller,
  ): AsyncGenerator<DoctorFinding> {
    const doc = unit.value
    const say = finder(doc.name)
    if (doc.deleted === undefined) {
      yield* checkClaims(unit, options.repair, say)
      yield* checkState(unit, options, caller, say)
    }
    const now = options.repair ? await parts.store.load(doc.org, doc.id) : unit
    if (now !== undefined) yield* checkVersions(now.value, options.deep, say)
  }

  async function* checkClaims(unit: Unit, repair: boolean, say: Say): AsyncGenerator<DoctorFinding> {
    const { org, name, key, id } = unit.value
    const named = await claims.read(nameKey(org, name))
    const keyed = await claims.read(stateClaimKey(key))
    for (const [what, claim, value] of [
      ['name', named, name],
      ['key', keyed, key],
    ] as const) {
      if (claim?.value.id === id) continue
      const rival = claim === undefined ? undefined : await parts.store.read(claim.value.org, claim.value.id)
      if (rival !== undefined && rival.value.deleted === undefined && rival.value[what] === value) {
        yield say(
          'error',
          `unit.${what}`,
          `another unit (${rival.value.id}) has the same ${what}: ${value}`,
          'rename or remove one of the two',
        )
        continue
      }
      if (repair) await maker.move(unit, { name, key }, [])
      yield say(
        'warning',
        `unit.${what}-claim`,
        `the claim of its ${what} is missing`,
        'run with --repair',
        repair,
      )
    }
  }

  async function* checkState(
    unit: Unit,
    options: { deep: boolean; repair: boolean },
    caller: Caller,
    say: Say,
  ): AsyncGenerator<DoctorFinding> {
    const doc = unit.value
    const entry = await bucket.head(doc.key)
    const present = entry === undefined || entry.size === 0 ? null : entry.tag
    const left: string[] = []
    if (doc.write !== null) left.push('a committed write is not carried out yet')
    if (present !== (doc.head?.tag ?? null) && doc.write === null)
      left.push('the state was changed around OpenTaco')
    const mirror = await parts.mirrors.read(doc)
    if (doc.lock !== null && mirror.kind === 'none') left.push('the lock object beside the state is missing')
    if (doc.lock === null && mirror.kind === 'ours')
      left.push('a left-over lock object lies beside the state')
    if (mirror.kind === 'foreign' && doc.lock === null)
      yield say('info', 'unit.outside-lock', `locked around OpenTaco by ${mirror.info.Who}`)
    if (left.length > 0) {
      if (options.repair) yield* repairUnit(unit, caller, say)
      yield say(
        'warning',
        'unit.unfinished',
        left.join('; '),
        'run with --repair; a running server does this by itself',
        options.repair,
      )
    } else if (options.deep && entry !== undefined && doc.head !== null && present !== null) {
      const found = await bucket.get(doc.key)
      if (found !== undefined && found.tag === present && (await hashOf(found)) !== doc.head.version.hash) {
        yield say(
          'error',
          'state.hash',
          'the state object does not have the content its record says',
          'compare `taco state pull` with `taco state show current`, then roll back',
        )
      }
    }
  }

  async function* repairUnit(unit: Unit, caller: Caller, say: Say): AsyncGenerator<DoctorFinding> {
    try {
      await lookAt(parts, idOf(unit), caller)
    } catch (error) {
      if (!isTacoError(error, 'BUCKET_CORRUPT') || unit.value.write === null) throw error
      // A copy of the bucket may have the document that commits a write without the version that it commits.
      const abandoned = await parts.store.swap(unit, abandonWrite(unit.value))
      if (abandoned !== undefined) await lookAt(parts, idOf(abandoned), caller)
      yield say(
        'error',
        'unit.write-lost',
        `a write was committed and its content is missing, so it was given up: ${error.message}`,
        'look at the history, and repeat the work that is not in it',
        true,
      )
    }
  }

  async function* checkVersions(doc: UnitDocument, deep: boolean, say: Say): AsyncGenerator<DoctorFinding> {
    let place: Place | undefined = newest(doc)
    let expected = place?.seq ?? 0
    while (place !== undefined && deep) {
      const page: Awaited<ReturnType<typeof readHistory>> = await readHistory(bucket, doc, place, 100)
      for (const entry of page.entries) {
        if (entry.facts.seq < expected && expected >= doc.historyFrom)
          yield missing(say, Math.max(entry.facts.seq + 1, doc.historyFrom), expected)
        expected = entry.facts.seq - 1
        try {
          const stored = await parts.versions.read(doc, { object: entry.object, version: entry.facts })
          await stored.dispose()
        } catch (error) {
          if (!isTacoError(error, 'BUCKET_CORRUPT', 'NOT_FOUND')) throw error
          yield say(
            'error',
            'version.content',
            `version ${entry.facts.seq} (${entry.facts.id}) cannot be read back: ${messageOf(error)}`,
            'restore its object from a backup of the bucket',
          )
        }
      }
      place = page.next
    }
    if (deep && expected >= doc.historyFrom) yield missing(say, doc.historyFrom, expected)
  }

  return async function* doctor(options, caller) {
    const report = await probeBucket(bucket, parts.deps)
    for (const finding of report.findings) {
      const level = finding.ok ? 'ok' : finding.fatal ? 'error' : 'warning'
      yield { ...finder(null)(level, `bucket.${finding.check}`, finding.detail, finding.hint) }
    }
    let units = 0
    const keys = new Set<string>()
    for (const org of await orgs.names()) {
      for (const { id, name } of await catalog.all(org)) {
        caller.signal?.throwIfAborted()
        try {
          const unit = await parts.store.load(org, id)
          if (unit === undefined) continue
          units++
          keys.add(unit.value.key)
          yield* checkUnit(parts.store.folded(unit), options, caller)
        } catch (error) {
          if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) throw error
          yield finder(name)('error', 'unit.document', error.message, error.hint)
        }
      }
    }
    yield finder(null)('ok', 'units', `${units} ${units === 1 ? 'unit was' : 'units were'} looked at`)
    let strangers = 0
    for await (const { key } of outsideEntries(bucket))
      if (key.endsWith('.tfstate') && !keys.has(key)) strangers++
    if (strangers > 0)
      yield finder(null)(
        'info',
        'bucket.unadopted',
        `${strangers} state objects belong to no unit`,
        'see them with `taco adopt --dry-run`',
      )
  }
}

function missing(say: Say, from: number, to: number): DoctorFinding {
  const which = from === to ? `version ${from} is` : `versions ${from} to ${to} are`
  return say(
    'error',
    'version.missing',
    `${which} missing`,
    'restore the objects from a backup of the bucket',
  )
}

type Say = (
  level: DoctorFinding['level'],
  check: string,
  message: string,
  hint?: string,
  repaired?: boolean,
) => DoctorFinding

function finder(unit: string | null): Say {
  return (level, check, message, hint, repaired = false) => ({
    level,
    check,
    message,
    hint: hint ?? null,
    unit,
    repaired,
  })
}
