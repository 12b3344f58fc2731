import { badRequest, isTacoError, type TacoError } from '../../base/errors.ts'
import type { Bucket, Entry } from '../../bucket/index.ts'
import { readStateKey, unitNameFor } from './adopt-names.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Claims } from '../units/claims.ts'
import { alreadyTaken } from '../units/claims.ts'
import type { KeyOwners } from '../units/key-owner.ts'
import { objectOf, stateClaimKey } from '../documents/layout.ts'
import { refuseLost } from '../units/lost-units.ts'
import { parseNewUnitName, parseStateKey } from '../documents/names.ts'
import type { OrgStore } from '../units/orgs.ts'
import type { Parts } from '../protocol/context.ts'
import { recordState } from '../protocol/record-outside-write.ts'
import type { Caller, Upkeep } from '../state-control.ts'
import { outsideEntries } from './sweep.ts'
import type { UnitMaker } from '../units/unit-making.ts'
import type { AdoptFinding } from '../views/views.ts'

/**
 * Registers the states that a bucket already has as units: reads them, and moves, rewrites or locks none. Running it
 * again adopts only what is new.
 */
export function createAdopt(
  parts: Parts,
  orgs: OrgStore,
  maker: UnitMaker,
  claims: Claims,
  catalog: Catalog,
  owners: KeyOwners,
): Upkeep['adopt'] {
  const { bucket } = parts.deps

  async function ownerOf(key: string): Promise<{ org: string; name: string } | undefined> {
    const claim = await claims.read(stateClaimKey(key, bucket.can))
    if (claim === undefined) return undefined
    const { org, id } = claim.value
    const owner = await parts.store.read(org, id)
    if (owner === undefined) await refuseLost(bucket, parts.store, claim.value)
    return owner !== undefined &&
      owner.value.deleted === undefined &&
      objectOf(owner.value.key, bucket.can) === objectOf(key, bucket.can)
      ? { org, name: owner.value.name }
      : undefined
  }

  async function adoptOne(org: string, key: string, name: string, caller: Caller): Promise<void> {
    const event = { type: 'unit.adopted' as const, caller, data: { key } }
    const unit = await maker.create({ org, name, key }, caller, event)
    await recordState(parts, unit)
  }

  return async function* adopt(options, caller) {
    await orgs.require(options.org)
    // What is outside the folder of an organization is none of its business.
    const bounds = await owners.boundsOf(options.org)
    const under = options.under ?? bounds
    if (!under.startsWith(bounds))
      throw badRequest(
        'under',
        `"${under}" is outside the folder of the organization.`,
        `Use a path under ${bounds}, or leave it out.`,
      )
    checkTemplate(options.as)
    const defaults = await defaultFolders(bucket, under)
    /** Names that this rehearsal has given away. */
    const given = new Set<string>()

    for await (const entries of inGroups(candidates(bucket, under), AT_ONCE)) {
      caller.signal?.throwIfAborted()
      for (const { finding, owner, reason } of await Promise.all(entries.map(examine))) {
        if (await isHidden(finding.key, owner?.org)) continue
        else if (owner !== undefined) yield { ...finding, unit: owner.name, outcome: 'already-adopted' }
        else if (reason === 'no state') continue
        else if (reason !== undefined) yield { ...finding, outcome: 'skipped', reason }
        else yield options.dryRun ? await rehearse(finding) : await carryOut(finding)
      }
    }

    async function examine(entry: Entry) {
      const { key, size } = entry
      const reading = readStateKey(key, defaults.has(folderOf(key)))
      const name =
        options.as === undefined && bounds !== ''
          ? unitNameFor(reading, '{path}', bounds)
          : unitNameFor(reading, options.as, under)
      const finding = { key, unit: name, layout: reading.layout, reason: null, size }
      try {
        const owner = await ownerOf(key)
        return { finding, owner, reason: owner === undefined ? await whyNot(bucket, entry) : undefined }
      } catch (error) {
        if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) throw error
        return {
          finding,
          owner: undefined,
          reason: `It belongs to a unit that cannot be read. ${error.message}`,
        }
      }
    }

    /** Somebody with rights in this organization is not shown what others have in the same bucket. */
    async function isHidden(key: string, ownerOrg: string | undefined): Promise<boolean> {
      if (caller.sight === undefined) return false
      if (ownerOrg !== undefined) return ownerOrg !== options.org
      try {
        await owners.refuseForeign(options.org, key)
        return false
      } catch (error) {
        if (isTacoError(error, 'FORBIDDEN')) return true
        throw error
      }
    }

    async function rehearse(finding: Omit<AdoptFinding, 'outcome'>): Promise<AdoptFinding> {
      try {
        const place = {
          org: options.org,
          name: parseNewUnitName(finding.unit),
          key: parseStateKey(finding.key),
        }
        await owners.refuseForeign(place.org, place.key)
        const isTaken = given.has(place.name) || (await catalog.liveUnit('name', place)) !== undefined
        if (isTaken) throw alreadyTaken('name', place.name, place.name)
        given.add(place.name)
      } catch (error) {
        return skipped(finding, error)
      }
      return { ...finding, outcome: 'would-adopt' }
    }

    async function carryOut(finding: Omit<AdoptFinding, 'outcome'>): Promise<AdoptFinding> {
      try {
        await adoptOne(options.org, finding.key, finding.unit, caller)
        return { ...finding, outcome: 'adopted' }
      } catch (error) {
        return skipped(finding, error)
      }
    }
  }
}

function skipped(finding: Omit<AdoptFinding, 'outcome'>, error: unknown): AdoptFinding {
  if (isTacoError(error, 'FORBIDDEN'))
    return { ...finding, outcome: 'skipped', reason: `${error.message} ${error.hint ?? ''}` }
  if (!isTacoError(error, 'ALREADY_EXISTS', 'BAD_REQUEST')) throw error
  return { ...finding, outcome: 'skipped', reason: `${error.message} Choose names with --as.` }
}

const SNIFF_BYTES = 4096
/** So many objects are looked into at a time. */
const AT_ONCE = 16

async function* candidates(bucket: Bucket, under: string): AsyncGenerator<Entry> {
  for await (const entry of outsideEntries(bucket, under))
    if (!entry.key.endsWith('.tflock') && !entry.key.endsWith('/')) yield entry
}

/** A separate listing, so that not all entries are in memory. */
async function defaultFolders(bucket: Bucket, under: string): Promise<ReadonlySet<string>> {
  const folders = new Set<string>()
  for await (const { key } of outsideEntries(bucket, under))
    if (/(^|\/)default\.tfstate$/.test(key)) folders.add(folderOf(key))
  return folders
}

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let group: T[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Why a key is skipped; `no state` is not reported. */
async function whyNot(bucket: Bucket, entry: Entry): Promise<string | undefined> {
  if (entry.size === 0) return looksNamed(entry.key) ? 'It is empty.' : 'no state'
  if (/\.backup$|(^|\/)errored\.tfstate$/.test(entry.key)) return 'It is a backup copy.'
  const found = await bucket.get(entry.key, { range: { start: 0, end: SNIFF_BYTES - 1 } })
  const start = found === undefined ? '' : (await found.bytes()).toString('utf8')
  const isState = /^\s*\{/.test(start) && /"(lineage|terraform_version|encryption_version)"\s*:/.test(start)
  if (isState) return undefined
  return looksNamed(entry.key) ? 'Its content is not a state.' : 'no state'
}

function looksNamed(key: string): boolean {
  return key.includes('.tfstate') || key.includes('env:')
}

function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1)
}

function checkTemplate(template: string | undefined): void {
  if (template === undefined || template.includes('{path}')) return
  const error: TacoError = badRequest(
    'as',
    `The pattern "${template}" would give every state the same name.`,
    'Put {path} where the path of the state belongs, as in prod/{path}.',
  )
  throw error
}
