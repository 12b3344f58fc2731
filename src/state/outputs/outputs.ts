import { viewAuthor } from '../../access/index.ts'
import { isoTime } from '../../base/clock.ts'
import { among } from '../../base/text/among.ts'
import { badRequest, TacoError } from '../../base/errors.ts'
import { didYouMean, MOST_NAMED, nearest, sayNames } from '../../base/text/nearest.ts'
import type { HistoryEntry } from '../history/history-entry.ts'
import type { Place } from '../history/history.ts'
import { findVersion, newest, readHistory } from '../history/history.ts'
import type { Locator } from '../units/locate.ts'
import type { OutputDigest, UnitDocument } from '../documents/model.ts'
import { createOutputsCache, outputsOfVersion, readFromState } from './outputs-object.ts'
import type { Parts } from '../protocol/context.ts'
import { stateMissing } from '../protocol/refusals.ts'
import { recordRead, recordReads } from '../receipts/record-read.ts'
import type { NewRead, Outputs, UnitRef } from '../state-control.ts'
import type { OutputsCommitView, OutputsDiffView, OutputView } from '../views/views.ts'

/** Outputs commits: the versions in which an output changed, read from version headers alone. */
export function createOutputs(parts: Parts, locator: Locator): Outputs {
  const { bucket } = parts.deps
  const cache = createOutputsCache()

  async function load(ref: UnitRef): Promise<UnitDocument> {
    return parts.store.folded(await locator.find(ref)).value
  }

  /** Every commit from the newest down, each with the entry before it. */
  async function* commits(doc: UnitDocument, from?: Place): AsyncGenerator<Commit> {
    let place = from ?? newest(doc)
    let newer: HistoryEntry | undefined
    while (place !== undefined) {
      const page: Awaited<ReturnType<typeof readHistory>> = await readHistory(bucket, doc, place, 50)
      for (const entry of page.entries) {
        if (entry.superseded) continue
        if (newer !== undefined && newer.commit !== entry.commit)
          yield { entry: newer, before: entry.outputs }
        newer = entry
      }
      place = page.next
    }
    // The oldest that is left made its commit, or retention took the one that did.
    if (newer !== undefined && newer.commit > 0) yield { entry: newer, before: null }
  }

  async function find(doc: UnitDocument, commit: number): Promise<Commit> {
    let oldest = Infinity
    for await (const found of commits(doc)) {
      if (found.entry.commit === commit) return found
      if (found.entry.facts.seq >= doc.historyFrom) oldest = found.entry.commit
    }
    if (doc.historyFrom > 1 && commit >= 1 && commit < oldest) {
      throw new TacoError('GONE', `Outputs commit ${commit} of ${doc.name} was removed by retention.`, {
        facts: { field: 'commit', commit },
        hint: `See \`taco outputs log ${doc.name}\` for the remaining commits. A backup of the bucket may still have it.`,
      })
    }
    throw new TacoError('NOT_FOUND', `${doc.name} has no outputs commit ${commit}.`, {
      facts: { field: 'commit', commit },
      hint: `See \`taco outputs log ${doc.name}\`.`,
    })
  }

  async function entryFor(
    doc: UnitDocument,
    entry: Stored,
    { commit, version }: { readonly commit?: number; readonly version?: string },
  ): Promise<Commit> {
    if (commit !== undefined) return find(doc, commit)
    if (version === undefined || entry.facts.id.startsWith(version)) return { entry, before: null }
    const found = await findVersion(bucket, doc, version)
    if (found !== undefined) return { entry: found, before: null }
    throw new TacoError('NOT_FOUND', `${doc.name} has no version ${version}.`, {
      facts: { field: 'version', version },
      hint: `See \`taco state versions ${doc.name}\`.`,
    })
  }

  async function get(...[ref, options]: Parameters<Outputs['get']>): Promise<OutputsCommitView> {
    const doc = await load(ref)
    const { head } = doc
    if (doc.missing !== undefined) throw stateMissing(doc)
    if (head === null || head.tag === null) {
      throw new TacoError('NOT_FOUND', `${doc.name} has no state, so it has no outputs.`, {
        hint: 'Apply it first.',
      })
    }
    const entry = { object: head.object, facts: head.version, commit: head.commit, outputs: head.outputs }
    const asked = await entryFor(doc, entry, options)
    checkNames(asked.entry.outputs, options.names, doc.name)
    const isWanted = among(options.names)
    const wanted = <T extends { name: string }>(outputs: readonly T[]) =>
      outputs.filter(({ name }) => isWanted(name))
    const values = await valuesOf(doc, asked.entry, options.sensitive, isWanted)
    const given = values === null ? null : wanted(values)
    if (options.consumer !== undefined) {
      const read = { from: doc.id, commit: asked.entry.commit, ...handedOut(given, options.names) }
      await recordRead(parts, locator, { org: ref.org, unit: options.consumer }, read)
    }
    return view(doc, asked, given)
  }

  async function valuesOf(
    doc: UnitDocument,
    entry: Stored,
    sensitive: boolean,
    isWanted: (name: string) => boolean,
  ): Promise<readonly OutputView[] | null> {
    if (entry.outputs === null) return null
    return sensitive && entry.outputs.some((output) => output.sensitive)
      ? readFromState(parts, doc, entry, 'all', isWanted)
      : outputsOfVersion(parts, doc, entry, cache)
  }

  async function log(...[ref, page]: Parameters<Outputs['log']>): ReturnType<Outputs['log']> {
    const doc = await load(ref)
    const items: OutputsCommitView[] = []
    const below = page.cursor === undefined ? Infinity : Number(page.cursor)
    if (Number.isNaN(below))
      throw badRequest('cursor', 'The cursor is invalid.', 'Leave it out to start from the newest.')
    if (isNeverReadable(doc)) throw encryptedOutputs(doc)
    for await (const commit of commits(doc)) {
      if (commit.entry.commit >= below) continue
      if (items.length === page.limit) return { items, next: String(items.at(-1)?.commit) }
      items.push(view(doc, commit, commit.entry.outputs?.map((output) => ({ ...output, type: '' })) ?? null))
    }
    return { items, next: undefined }
  }

  async function diff(...[ref, options]: Parameters<Outputs['diff']>): Promise<OutputsDiffView> {
    const doc = await load(ref)
    // The current outputs cannot be read; earlier commits can be compared by their numbers.
    if (options.to === undefined && doc.head?.outputs === null) throw encryptedOutputs(doc)
    const to = options.to ?? doc.head?.commit ?? 0
    const from = options.from ?? Math.max(to - 1, 0)
    const before = from === 0 ? [] : (await find(doc, from)).entry.outputs
    const after = to === 0 ? [] : (await find(doc, to)).entry.outputs
    if (before === null || after === null || isNeverReadable(doc)) throw encryptedOutputs(doc)
    await checkEver(doc, options.names, [...before, ...after])
    return { from, to, changed: compare(before, after, options.names) }
  }

  /** An output that only commits in between had is unchanged; one that never was is a mistake. */
  async function checkEver(
    doc: UnitDocument,
    names: readonly string[] | undefined,
    compared: readonly OutputDigest[],
  ): Promise<void> {
    const missing = new Set(names)
    const known = new Map(compared.map((output) => [output.name, output]))
    for (const { name } of compared) missing.delete(name)
    if (missing.size === 0) return
    for await (const { entry } of commits(doc)) {
      for (const output of entry.outputs ?? []) {
        known.set(output.name, output)
        missing.delete(output.name)
      }
    }
    checkNames([...known.values()], [...missing], doc.name)
  }

  return {
    get,
    log,
    diff,
    recordReads: (consumer, reads, reader) => recordReads(parts, locator, consumer, reads, reader),
  }
}

/** A value that is not served was not read. */
function handedOut(
  given: readonly OutputView[] | null,
  names: readonly string[] | undefined,
): Pick<NewRead, 'names' | 'digests'> {
  if (given === null) return { names: names === undefined ? null : [...names], digests: null }
  const served = given.filter(({ json }) => json !== undefined)
  const isAll = names === undefined && served.length === given.length
  return {
    names: isAll ? null : served.map(({ name }) => name),
    digests: Object.fromEntries(served.map(({ name, digest }) => [name, digest])),
  }
}

type Stored = Pick<HistoryEntry, 'object' | 'facts' | 'commit' | 'outputs'>

interface Commit {
  readonly entry: Stored
  readonly before: readonly OutputDigest[] | null
}

function view(
  doc: UnitDocument,
  { entry, before }: Commit,
  outputs: readonly OutputView[] | null,
): OutputsCommitView {
  const { facts, commit } = entry
  const now = new Set(entry.outputs?.map(({ name }) => name))
  const gone = (before ?? []).map(({ name }) => name).filter((name) => !now.has(name))
  const changed = (entry.outputs ?? []).filter(({ since }) => since === commit).map(({ name }) => name)
  return {
    unit: { id: doc.id, name: doc.name },
    commit,
    version: facts.id,
    seq: facts.seq,
    serial: facts.serial,
    at: isoTime(facts.at),
    ...viewAuthor(facts),
    how: facts.how,
    changed: [...changed, ...gone].sort(),
    outputs: outputs === null ? null : [...outputs],
  }
}

function compare(
  before: readonly OutputDigest[],
  after: readonly OutputDigest[],
  only?: readonly string[],
): OutputsDiffView['changed'] {
  const old = new Map(before.map((output) => [output.name, output]))
  const next = new Map(after.map((output) => [output.name, output]))
  const names = [...new Set([...old.keys(), ...next.keys()])].filter(among(only)).sort()
  return names.flatMap((name) => {
    const a = old.get(name)
    const b = next.get(name)
    if (a?.digest === b?.digest && a?.sensitive === b?.sensitive) return []
    const kind = a === undefined ? 'added' : b === undefined ? 'removed' : 'changed'
    return [
      {
        name,
        kind,
        sensitive: (b ?? a)?.sensitive ?? false,
        wasSensitive: a?.sensitive ?? false,
        before: a?.digest ?? null,
        after: b?.digest ?? null,
      },
    ]
  })
}

/** It has a state, and its outputs were never readable. */
function isNeverReadable({ head }: UnitDocument): boolean {
  return head !== null && head.outputs === null && head.commit === 0
}

function encryptedOutputs({ name }: UnitDocument): TacoError {
  return new TacoError(
    'STATE_ENCRYPTED',
    `The outputs of ${name} are encrypted, so changes cannot be determined.`,
    { facts: { field: 'unit', unit: name }, hint: `\`taco state versions ${name}\` lists its states.` },
  )
}

function checkNames(
  outputs: readonly OutputDigest[] | null,
  names: readonly string[] | undefined,
  unit: string,
): void {
  if (outputs === null || names === undefined) return
  const known = outputs.map(({ name }) => name)
  const isKnown = among(known)
  const missing = names.find((name) => !isKnown(name))
  if (missing === undefined) return
  const guess = nearest(missing, known)
  const has = `It has ${sayNames(known)}.`
  throw new TacoError('NOT_FOUND', `${unit} has no output ${missing}.`, {
    facts: { field: 'names', output: missing, known: known.slice(0, MOST_NAMED) },
    hint: didYouMean(guess, has),
  })
}
