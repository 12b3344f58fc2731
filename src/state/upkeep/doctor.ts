import type { TacoError } from '../../base/errors.ts'
import { isTacoError } from '../../base/errors.ts'
import { probeBucket } from '../../bucket/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Claims } from '../units/claims.ts'
import type { Say } from './doctor-findings.ts'
import { finder, FROM_BACKUP, fromBackupOr, inOrg, remedyOf, uncheckedUnit } from './doctor-findings.ts'
import { checkDocument, checkJournal, checkLostUnits } from './doctor-lost.ts'
import { checkVersions } from './doctor-versions.ts'
import { nameKey, orgKey, stateClaimKey, versionsPrefix } from '../documents/layout.ts'
import type { UnitDocument, VersionFacts } from '../documents/model.ts'
import type { OrgStore } from '../units/orgs.ts'
import { sayWarning } from '../locks/outside-warning.ts'
import { refuseNested } from '../units/key-nesting.ts'
import { lookAt } from '../protocol/reconcile.ts'
import type { Parts } from '../protocol/context.ts'
import { idOf } from '../protocol/context.ts'
import { stateMissing } from '../protocol/refusals.ts'
import { hashOf } from '../protocol/resolve.ts'
import type { Caller, Upkeep } from '../state-control.ts'
import { outsideEntries } from './sweep.ts'
import type { UnitMaker } from '../units/unit-making.ts'
import type { UnitChanges } from '../documents/transitions.ts'
import { abandonWrite, isWorthMissing, supersedeWrite } from '../documents/transitions.ts'
import type { Unit } from '../documents/unit-store.ts'
import type { DoctorFinding } from '../views/views.ts'

/** Reports what is wrong in plain words, and with `repair` repairs what any crash may leave behind. */
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
    // A repair changes the document.
    const current = async () => (options.repair ? parts.store.load(doc.org, doc.id) : unit)
    if (options.deep) yield* checkDocument(parts, doc, options.repair, say)
    if (doc.deleted === undefined) {
      const now = await current()
      if (now !== undefined) yield* checkClaims(now, options.repair, say)
      const claimed = await current()
      if (claimed !== undefined) yield* checkState(parts.store.folded(claimed), options, caller, say)
    }
    const now = await current()
    if (now !== undefined && options.deep)
      yield* checkVersions(parts, parts.store.folded(now).value, toldBy(doc), options.repair, caller, say)
  }

  async function* checkClaims(unit: Unit, repair: boolean, say: Say): AsyncGenerator<DoctorFinding> {
    const { org, name, key, id } = unit.value
    for (const [what, place, value] of [
      ['name', nameKey(org, name, bucket.can), name],
      ['key', stateClaimKey(key, bucket.can), key],
    ] as const) {
      const claim = await claims.read(place).catch(damagedOnly)
      if (isTacoError(claim)) {
        const remedy = fromBackupOr('delete it and run `taco doctor --repair`')
        yield say('error', `unit.${what}-claim`, claim.message, remedy)
        continue
      }
      if (claim?.value.id === id) continue
      const rival = claim === undefined ? undefined : await parts.store.read(claim.value.org, claim.value.id)
      if (rival !== undefined && rival.value.deleted === undefined && rival.value[what] === value) {
        yield say(
          'error',
          `unit.${what}`,
          `Another unit (${rival.value.id}) has the same ${what}: ${value}.`,
          'Rename or delete one of the two.',
        )
        continue
      }
      if (repair) await maker.move(unit, { name, key }, [])
      yield say(
        'warning',
        `unit.${what}-claim`,
        `The claim on its ${what} is missing.`,
        'Run `taco doctor --repair`.',
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
    const blocked = await blockedPlace(doc)
    if (blocked !== undefined) {
      const isGivenUp = options.repair && (await giveUp(unit, supersedeWrite(doc), caller))
      const message = `A committed write cannot be finished. ${blocked.message}`
      yield say(
        'error',
        'unit.place',
        message,
        `${blocked.hint} Or give the write up with \`taco doctor --repair\`.`,
        isGivenUp,
      )
      return
    }
    const entry = await bucket.head(doc.key)
    const present = entry === undefined || entry.size === 0 ? null : entry.tag
    if (doc.head?.version.unreadable === true && present !== null && present === doc.head.tag)
      yield say(
        'warning',
        'state.unreadable',
        'The object at its key was written around OpenTaco and is not a state.',
        'Roll back to the last good version with `taco state rollback`, or push a state with --force.',
      )
    if (!options.repair && (await isWriteLost(doc, present))) {
      yield say(
        'error',
        'unit.write-lost',
        'The content of a committed write is missing from the bucket.',
        fromBackupOr('give the write up with `taco doctor --repair`'),
      )
      return
    }
    const strange = present === null || present !== doc.head?.tag ? undefined : doc.head.version.warning
    if (strange !== undefined)
      yield say(
        'warning',
        `state.${strange}`,
        sayWarning(strange),
        `Roll back to the right version with \`taco state rollback ${doc.name} <version>\`. If this state is the right one, accept it with \`taco state rollback ${doc.name} current\`.`,
      )
    const isMissing =
      doc.missing !== undefined || (present === null && doc.write === null && isWorthMissing(doc))
    if (isMissing) yield missingFinding(doc, say)
    const left: string[] = []
    if (doc.write !== null) left.push('A committed write is not finished yet.')
    if (!isMissing && present !== (doc.head?.tag ?? null) && doc.write === null)
      left.push('The state was changed around OpenTaco.')
    const mirror = await parts.mirrors.read(doc)
    if (doc.lock !== null && mirror.kind === 'none') left.push('The lock object beside the state is missing.')
    if (doc.lock === null && mirror.kind === 'ours')
      left.push('There is a left-over lock object beside the state.')
    if (mirror.kind === 'foreign' && doc.lock === null)
      yield say('info', 'unit.outside-lock', `Locked around OpenTaco by ${mirror.info.Who}.`)
    if (left.length > 0) {
      const isRepaired = options.repair && (yield* repairUnit(unit, caller, say))
      yield say(
        'warning',
        'unit.unfinished',
        left.join(' '),
        'Run `taco doctor --repair`. A running server does this by itself.',
        isRepaired,
      )
    } else if (options.deep && entry !== undefined && doc.head !== null && present !== null) {
      const found = await bucket.get(doc.key)
      if (found !== undefined && found.tag === present && (await hashOf(found)) !== doc.head.version.hash) {
        yield say(
          'error',
          'state.hash',
          'The content of the state object does not match its record.',
          'Compare `taco state pull` with `taco state show current`, then roll back.',
        )
      }
    }
  }

  /** Why the intent's state cannot be put at its place, if it is not there already. */
  async function blockedPlace({ write, key }: UnitDocument): Promise<TacoError | undefined> {
    if (write?.kind !== 'write' || write.from !== null) return undefined
    try {
      await refuseNested(bucket, key)
      return undefined
    } catch (error) {
      if (isTacoError(error, 'BAD_REQUEST')) return error
      throw error
    }
  }

  async function isWriteLost({ org, id, write }: UnitDocument, present: string | null): Promise<boolean> {
    if (write?.kind !== 'write' || write.from !== present) return false
    return (await bucket.head(versionsPrefix(org, id) + write.head.object)) === undefined
  }

  /** False: another process changed the unit meanwhile, so what we saw may be out of date. */
  async function giveUp(unit: Unit, changes: UnitChanges, caller: Caller): Promise<boolean> {
    const ended = await parts.store.swap(unit, changes)
    if (ended === undefined) return false
    await lookAt(parts, idOf(ended), caller)
    return true
  }

  async function* repairUnit(unit: Unit, caller: Caller, say: Say): AsyncGenerator<DoctorFinding, boolean> {
    try {
      await lookAt(parts, idOf(unit), caller)
      return true
    } catch (error) {
      if (!isTacoError(error, 'BUCKET_CORRUPT') || unit.value.write === null) throw error
      // A copy of the bucket may have the document that commits a write without the version that it commits.
      const isGivenUp = await giveUp(unit, abandonWrite(unit.value), caller)
      yield say(
        'error',
        'unit.write-lost',
        `The content of a committed write is missing, ${isGivenUp ? 'so the write was given up' : 'and the unit has changed since'}. ${error.message}`,
        isGivenUp
          ? 'Check the history, and repeat the work that is not in it.'
          : 'Run `taco doctor --repair` again.',
        isGivenUp,
      )
      return isGivenUp
    }
  }

  async function* checkOrg(org: string, repair: boolean, caller: Caller): AsyncGenerator<DoctorFinding> {
    try {
      await orgs.get(org, caller)
    } catch (error) {
      if (!isTacoError(error)) throw error
      if (error.facts['isLost'] === true) {
        const isBack = repair && (await orgs.make(org, {}, caller)) !== undefined
        const outcome = isBack ? ' It was rebuilt, without settings and with a new key for digests.' : ''
        yield finder(null)('error', 'org.document', error.message + outcome, error.hint, isBack)
      } else if (error.code === 'BUCKET_CORRUPT' || error.code === 'BUCKET_NEWER')
        yield finder(null)('error', 'org.document', error.message, remedyOf(error))
      else if (error.code === 'NOT_FOUND')
        yield finder(null)('error', 'org.document', `The document ${orgKey(org)} is missing.`, FROM_BACKUP)
      else throw error
    }
  }

  return async function* doctor(options, caller) {
    const report = await probeBucket(bucket, parts.deps)
    for (const finding of report.findings) {
      const level = finding.ok ? 'ok' : finding.fatal ? 'error' : 'warning'
      yield { ...finder(null)(level, `bucket.${finding.check}`, finding.detail, finding.hint) }
    }
    let units = 0
    let total = 0
    const keys = new Set<string>()
    const checkNamed = async function* (org: string, id: string, name: string) {
      caller.signal?.throwIfAborted()
      try {
        const unit = await parts.store.load(org, id)
        if (unit === undefined) return
        units++
        keys.add(unit.value.key)
        yield* checkUnit(parts.store.folded(unit), options, caller)
      } catch (error) {
        yield uncheckedUnit(name, error)
      }
    }
    const checkUnits = async function* (org: string): AsyncGenerator<DoctorFinding> {
      yield* checkOrg(org, options.repair, caller)
      const known = new Set<string>()
      const all = await catalog.all(org)
      total += all.length
      for (const { id, name } of all) {
        known.add(id)
        yield* checkNamed(org, id, name)
        options.progress?.({ checked: units, total })
      }
      for (const { id, error } of catalog.damaged(org)) {
        known.add(id)
        yield finder(null)('error', 'unit.document', error.message, remedyOf(error))
      }
      const madeAnew = options.deep ? yield* checkLostUnits(parts, org, known, options.repair, caller) : []
      for (const { id, name } of madeAnew) yield* checkNamed(org, id, name)
    }
    const names = await orgs.names(caller)
    for (const org of names) yield* inOrg(org, checkUnits(org))
    yield finder(null)('ok', 'units', `${units} ${units === 1 ? 'unit was' : 'units were'} checked.`)
    if (options.deep) yield* checkJournal(parts, names)
    let strangers = 0
    for await (const { key } of outsideEntries(bucket))
      if (key.endsWith('.tfstate') && !keys.has(key)) strangers++
    if (strangers > 0)
      yield finder(null)(
        'info',
        'bucket.unadopted',
        `${strangers} ${strangers === 1 ? 'state object belongs' : 'state objects belong'} to no unit.`,
        'List them with `taco adopt --dry-run`.',
      )
  }
}

function missingFinding(doc: UnitDocument, say: Say): DoctorFinding {
  const { message, hint } = stateMissing(doc)
  return say('error', 'state.missing', message, hint)
}

function damagedOnly(error: unknown): TacoError {
  if (isTacoError(error, 'BUCKET_CORRUPT')) return error
  throw error
}

function toldBy({ head, write }: UnitDocument): VersionFacts[] {
  return [head, write?.kind === 'write' ? write.head : null].flatMap((one) => one?.version ?? [])
}
