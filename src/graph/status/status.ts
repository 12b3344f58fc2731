import { among } from '../../base/text/among.ts'
import type { OutputDigest } from '../../state/index.ts'
import type { Edge } from './edges.ts'

/**
 * Status, decided from documents alone. Wrongly stale is a nuisance, wrongly fine is a lie: what is not known is
 * `unknown`, never fresh. Pure.
 */
export type DependencyState = 'fresh' | 'changed' | 'unknown' | 'dangling'

export type UnitStatus = 'up-to-date' | 'stale' | 'waiting' | 'unknown' | 'never-applied' | 'state-missing'

/** Outputs as they stand. Undefined: the unit is gone. Null: they cannot be read. Without a state there are none. */
export type OutputsNow = readonly OutputDigest[] | null | undefined

export interface OutputChange {
  readonly output: string
  readonly change: 'changed' | 'appeared' | 'disappeared'
  /** The outputs commit that changed it; null: it is gone, so nothing says since when. */
  readonly since: number | null
}

export interface Comparison {
  readonly state: DependencyState
  readonly changes: readonly OutputChange[]
  /** Outputs in use for which it is uncertain what the state was made from. */
  readonly unread: readonly string[]
  /** Why the state is unknown as a whole. */
  readonly because: 'no-receipt' | 'encrypted' | null
}

const nothing = { changes: [], unread: [], because: null }
const fresh: Comparison = { ...nothing, state: 'fresh' }
const dangling: Comparison = { ...nothing, state: 'dangling' }
const noReceipt: Comparison = { ...nothing, state: 'unknown', because: 'no-receipt' }
const encrypted: Comparison = { ...nothing, state: 'unknown', because: 'encrypted' }

/** One dependency: what the last write read, compared with what is current. */
export function compareDependency({ outputs: used, read, inputs }: Edge, now: OutputsNow): Comparison {
  if (now === undefined) return dangling
  if (used?.length === 0) return fresh
  if (read === undefined || read.names?.length === 0) return noReceipt
  if (now === null) return encrypted
  if (read.digests === null) return read.doubted === null ? noReceipt : encrypted
  const { digests, names } = read
  // A declaration that names outputs narrows a read of the whole state; one that does not is narrowed by the read.
  const covered = withInputs(used ?? names ?? allNames(digests, now), inputs)
  const remapped = inputs === undefined ? [] : notGiven(inputs, read)
  if (read.doubted === undefined && remapped.length === 0 && isUnchanged(covered, digests, now)) return fresh
  if (read.doubted === null && covered.length === 0) return noReceipt
  const seen = names === null ? covered : covered.filter(among(names))
  const changes = seen.flatMap((name) => compareOutput(name, digests, now) ?? [])
  const isSeen = among(names)
  const isDoubted = read.doubted === undefined ? () => false : among(read.doubted)
  const unread = covered.filter((name) => !isSeen(name) || isDoubted(name) || remapped.includes(name))
  if (changes.length === 0 && unread.length === 0) return fresh
  return { state: changes.length > 0 ? 'changed' : 'unknown', changes, unread, because: null }
}

/** What a variable takes is used, whatever was read. */
function withInputs(names: readonly string[], inputs: Edge['inputs']): readonly string[] {
  if (inputs === undefined) return names
  return [...new Set([...names, ...Object.values(inputs)])]
}

/** Outputs that variables take now and were not given then. A program may pass on what it fetched; an engine cannot. */
function notGiven(
  inputs: Readonly<Record<string, string>>,
  { inputs: given, engine }: NonNullable<Edge['read']>,
): readonly string[] {
  if (given === undefined) return engine === true ? Object.values(inputs) : []
  return Object.entries(inputs).flatMap(([variable, output]) => {
    const was = Object.hasOwn(given, variable) ? given[variable] : undefined
    return was === output ? [] : [output]
  })
}

function allNames(digests: Readonly<Record<string, string>>, now: readonly OutputDigest[]): string[] {
  const gone = Object.keys(digests).filter((name) => findOutput(now, name) === undefined)
  return [...now.map(({ name }) => name), ...gone]
}

/** The usual case, decided without allocating: of tens of thousands of dependencies few have changed. */
function isUnchanged(
  names: readonly string[],
  digests: Readonly<Record<string, string>>,
  now: readonly OutputDigest[],
): boolean {
  for (const name of names) {
    const stands = findOutput(now, name)
    // What objects have by themselves is no text, so it equals no digest.
    if (stands === undefined || digests[name] !== stands.digest) return false
  }
  return true
}

function compareOutput(
  output: string,
  digests: Readonly<Record<string, string>>,
  now: readonly OutputDigest[],
): OutputChange | undefined {
  const before = Object.hasOwn(digests, output) ? digests[output] : undefined
  const stands = findOutput(now, output)
  if (before === stands?.digest) return undefined
  if (stands === undefined) return { output, change: 'disappeared', since: null }
  return { output, change: before === undefined ? 'appeared' : 'changed', since: stands.since }
}

const indexes = new WeakMap<readonly OutputDigest[], ReadonlyMap<string, OutputDigest>>()

/** Most units have a handful of outputs, for which an index costs more than it saves. */
export function findOutput(outputs: readonly OutputDigest[], name: string): OutputDigest | undefined {
  if (outputs.length <= 12) {
    for (const output of outputs) if (output.name === name) return output
    return undefined
  }
  let index = indexes.get(outputs)
  if (index === undefined) {
    index = new Map(outputs.map((output) => [output.name, output]))
    indexes.set(outputs, index)
  }
  return index.get(name)
}

export interface Circumstances {
  /** Its state was emptied or deleted around OpenTaco. */
  readonly isStateMissing: boolean
  readonly hasState: boolean
  readonly isInCycle: boolean
  /** One of its dependencies is changed, or its last apply failed. */
  readonly hasChanged: boolean
  /** One of its dependencies is unknown or dangling, or its own outputs cannot be read. */
  readonly hasUnknown: boolean
  /** A unit upstream, at any distance, is stale, waiting or never applied. */
  readonly isUpstreamMoving: boolean
  /** A unit upstream, at any distance, is unknown, or its state is missing. */
  readonly isUpstreamUnknown: boolean
}

/** The first that fits. Units of a cycle wait for each other for ever, so nothing can be said of them. */
export function decideStatus(unit: Circumstances): UnitStatus {
  if (unit.isStateMissing) return 'state-missing'
  if (!unit.hasState) return 'never-applied'
  if (unit.isInCycle) return 'unknown'
  if (unit.hasChanged) return 'stale'
  if (unit.isUpstreamMoving) return 'waiting'
  if (unit.hasUnknown || unit.isUpstreamUnknown) return 'unknown'
  return 'up-to-date'
}

/** Nobody can say what its outputs are. */
export function isUnknown(status: UnitStatus): boolean {
  return status === 'unknown' || status === 'state-missing'
}

/** Its outputs may still change without anybody touching its code. */
export function isMoving(status: UnitStatus): boolean {
  return status === 'stale' || status === 'waiting' || status === 'never-applied'
}
