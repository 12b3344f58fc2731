import { hash } from 'node:crypto'
import { z } from 'zod'
import { TacoError } from '../../base/errors.ts'
import {
  canonical,
  isList,
  isNumber,
  isObject,
  isPlain,
  parseExact,
  plain,
  written,
  type Exact,
} from './exact.ts'
import { maskFor, SENSITIVE, type MaskedPlace, type Step } from './masking.ts'
import { isSensitive } from './outputs.ts'
import { findRegions, type Region, type StateRegions } from './regions.ts'
import { scanState } from './scan.ts'

const Side = z.object({ serial: z.number(), lineage: z.string(), size: z.number(), encrypted: z.boolean() })

const Change = z.enum(['added', 'removed', 'changed'])

/** The value as JSON text with every digit: there only if it has a number that JavaScript cannot hold. */
const ExactText = z.string().optional()

export const AttributeChange = z.object({
  /** `tags.Name`, `ingress[0].from_port` */
  path: z.string(),
  sensitive: z.boolean(),
  /** Absent when there was nothing. `(sensitive)` when it must not be shown. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  beforeJson: ExactText,
  afterJson: ExactText,
})
export type AttributeChange = z.infer<typeof AttributeChange>

export const ResourceChange = z.object({
  address: z.string(),
  mode: z.string(),
  type: z.string(),
  /** `moved`: the same resource, by its id, under another address. */
  change: z.enum([...Change.options, 'moved']),
  /** Of a moved instance: its address before. */
  from: z.string().optional(),
  /** Of a changed or moved instance: what differs. */
  attributes: z.array(AttributeChange),
  /** Names of other parts of the instance that differ (`status`, `dependencies`, `private`); never their values. */
  fields: z.array(z.string()),
})
export type ResourceChange = z.infer<typeof ResourceChange>

export const OutputChange = z.object({
  name: z.string(),
  change: Change,
  sensitive: z.boolean(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  beforeJson: ExactText,
  afterJson: ExactText,
})
export type OutputChange = z.infer<typeof OutputChange>

/** What differs between two states. When one of them is encrypted nothing but the outside can be compared. */
export const StateDiff = z.discriminatedUnion('encrypted', [
  z.object({ encrypted: z.literal(true), before: Side.optional(), after: Side.optional() }),
  z.object({
    encrypted: z.literal(false),
    before: Side.optional(),
    after: Side.optional(),
    resources: z.array(ResourceChange),
    outputs: z.array(OutputChange),
  }),
])
export type StateDiff = z.infer<typeof StateDiff>

interface Instance {
  readonly address: string
  readonly mode: string
  readonly type: string
  readonly provider: Exact
  readonly fields: ReadonlyMap<string, Exact>
}

interface Resource {
  readonly bytes: Uint8Array
  readonly region: Region
}

const NO_REGIONS: StateRegions = { resources: [], outputs: new Map() }
const NO_BYTES = new Uint8Array(0)
const ATTRIBUTES = 'attributes'

/**
 * Names can be long, and each one prefixes everything below it, so the description of a change can be far longer than
 * both states.
 */
const MOST_NAMED = 32_000_000

class Room {
  private left: number
  private readonly most: number

  constructor(most: number) {
    this.most = most
    this.left = most
  }

  take(characters: number): void {
    this.left -= characters
    if (this.left >= 0) return
    throw new TacoError(
      'TOO_LARGE',
      `The names of the differences between these versions take more than ${this.most} characters.`,
      {
        facts: { field: 'resources', most: this.most },
        hint: 'Get both with `taco state pull` and compare the files.',
      },
    )
  }
}

/** Compares two states; undefined means "no state". Only resources whose bytes differ are parsed. */
export function diffStates(
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
  room = MOST_NAMED,
): StateDiff {
  const sides = { ...side('before', before), ...side('after', after) }
  if (sides.before?.encrypted === true || sides.after?.encrypted === true)
    return { encrypted: true, ...sides }
  const old = { bytes: before ?? NO_BYTES, regions: before === undefined ? NO_REGIONS : findRegions(before) }
  const next = { bytes: after ?? NO_BYTES, regions: after === undefined ? NO_REGIONS : findRegions(after) }
  return {
    encrypted: false,
    ...sides,
    resources: diffResources(resourcesOf(old), resourcesOf(next), new Room(room)),
    outputs: diffOutputs(old, next),
  }
}

function side(
  name: 'before' | 'after',
  bytes: Uint8Array | undefined,
): { before?: z.infer<typeof Side>; after?: z.infer<typeof Side> } {
  if (bytes === undefined) return {}
  const { serial, lineage, encrypted } = scanState(bytes, { tooManyOutputs: 'unknown' })
  return { [name]: { serial, lineage, size: bytes.length, encrypted } }
}

interface Content {
  readonly bytes: Uint8Array
  readonly regions: StateRegions
}

/** By digest, so that resources that are byte for byte in both states need not be parsed. */
function resourcesOf({ bytes, regions }: Content): Map<string, Resource> {
  const found = new Map<string, Resource>()
  for (const region of regions.resources) {
    const digest = hash('sha256', bytes.subarray(region.start, region.end), 'base64')
    found.set(found.has(digest) ? `${digest}#${found.size}` : digest, { bytes, region })
  }
  return found
}

function diffResources(
  before: ReadonlyMap<string, Resource>,
  after: ReadonlyMap<string, Resource>,
  room: Room,
): ResourceChange[] {
  const old = instancesOf(before, after, room)
  const next = instancesOf(after, before, room)
  const changes: ResourceChange[] = []
  for (const [address, instance] of next) {
    const previous = old.get(address)
    if (previous !== undefined) changes.push(...changeOf(previous, instance, room))
  }
  const added = [...next.values()].filter(({ address }) => !old.has(address))
  const removed = [...old.values()].filter(({ address }) => !next.has(address))
  const moves = movesAmong(removed, added)
  for (const instance of added) {
    const previous = moves.get(instance)
    changes.push(previous === undefined ? wholeChange(instance, 'added') : moveOf(previous, instance, room))
  }
  const moved = new Set(moves.values())
  for (const instance of removed) if (!moved.has(instance)) changes.push(wholeChange(instance, 'removed'))
  return changes.sort((a, b) => (a.address < b.address ? -1 : 1))
}

function instancesOf(
  own: ReadonlyMap<string, Resource>,
  other: ReadonlyMap<string, Resource>,
  room: Room,
): Map<string, Instance> {
  const instances = new Map<string, Instance>()
  for (const [digest, { bytes, region }] of own) {
    if (other.has(digest)) continue
    for (const instance of parseInstances(parseExact(text(bytes, region)), room))
      instances.set(instance.address, instance)
  }
  return instances
}

function parseInstances(resource: Exact, room: Room): Instance[] {
  if (!isObject(resource)) return []
  const mode = word(resource.get('mode'), 'managed')
  const type = word(resource.get('type'), 'unknown')
  const module = word(resource.get('module'), '')
  const base = `${module === '' ? '' : `${module}.`}${mode === 'data' ? 'data.' : ''}${type}.${word(resource.get('name'), 'unknown')}`
  const listed = resource.get('instances')
  return (isList(listed) ? listed : []).filter(isObject).map((fields) => {
    const place = indexOf(fields.get('index_key')) + deposedOf(fields.get('deposed'))
    room.take(base.length + place.length)
    return { address: base + place, mode, type, provider: resource.get('provider') ?? null, fields }
  })
}

function indexOf(key: Exact | undefined): string {
  if (key === undefined || key === null) return ''
  // A quoted key is a template in HCL, hence the doubled signs.
  if (typeof key === 'string')
    return `[${JSON.stringify(key).replaceAll(/[$%](?=\{)/g, (sign) => sign + sign)}]`
  return `[${String(plain(key))}]`
}

function deposedOf(deposed: Exact | undefined): string {
  return typeof deposed === 'string' && deposed !== '' ? ` (deposed object ${deposed})` : ''
}

function wholeChange(instance: Instance, change: 'added' | 'removed'): ResourceChange {
  return {
    address: instance.address,
    mode: instance.mode,
    type: instance.type,
    change,
    attributes: [],
    fields: [],
  }
}

/** By what each was before. Only if the id distinguishes both from all others of their type. */
function movesAmong(
  removed: readonly Instance[],
  added: readonly Instance[],
): ReadonlyMap<Instance, Instance> {
  const [old, next] = [byIdentity(removed), byIdentity(added)]
  const moves = new Map<Instance, Instance>()
  for (const [identity, [after, ...others]] of next) {
    const [before, ...more] = old.get(identity) ?? []
    if (before === undefined || after === undefined || others.length + more.length > 0) continue
    moves.set(after, before)
  }
  return moves
}

function byIdentity(instances: readonly Instance[]): Map<string, Instance[]> {
  const found = new Map<string, Instance[]>()
  for (const instance of instances) {
    const attributes = instance.fields.get(ATTRIBUTES)
    const id = isObject(attributes) ? attributes.get('id') : undefined
    if (instance.mode !== 'managed' || typeof id !== 'string' || id === '') continue
    if (instance.fields.has('deposed')) continue
    const identity = JSON.stringify([instance.type, canonical(instance.provider), id])
    found.set(identity, [...(found.get(identity) ?? []), instance])
  }
  return found
}

function moveOf(before: Instance, after: Instance, room: Room): ResourceChange {
  const [change = wholeChange(after, 'added')] = changeOf(before, after, room)
  // Its place is what moved.
  const fields = change.fields.filter((name) => name !== 'index_key')
  return { ...change, fields, change: 'moved', from: before.address }
}

function changeOf(before: Instance, after: Instance, room: Room): ResourceChange[] {
  const attributes: AttributeChange[] = []
  compare(
    { trail: undefined, place: maskFor(after.type, [before.fields, after.fields]) },
    before.fields.get(ATTRIBUTES),
    after.fields.get(ATTRIBUTES),
    { changes: attributes, room },
  )
  const fields = [...new Set([...before.fields.keys(), ...after.fields.keys()])].filter(
    (name) => name !== ATTRIBUTES && !same(before.fields.get(name), after.fields.get(name)),
  )
  if (!same(before.provider, after.provider)) fields.push('provider')
  if (attributes.length === 0 && fields.length === 0) return []
  return [
    {
      address: after.address,
      mode: after.mode,
      type: after.type,
      change: 'changed',
      attributes,
      fields: fields.sort(),
    },
  ]
}

/** A step and those before it: most paths are never spelled. */
interface Trail {
  readonly before: Trail | undefined
  readonly step: Step
}

interface Visit {
  readonly trail: Trail | undefined
  readonly place: MaskedPlace
}

/**
 * Goes down while both sides have the same shape, so that a change is named as closely as possible. Each value is
 * looked at once: whether all of it is equal shows by no change being found in it.
 */
function compare(
  { trail, place }: Visit,
  before: Exact | undefined,
  after: Exact | undefined,
  found: { readonly changes: AttributeChange[]; readonly room: Room },
): void {
  const into = (step: Step): Visit => ({ trail: { before: trail, step }, place: place.at(step) })
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
    for (const key of keys) compare(into(key), before.get(key), after.get(key), found)
  } else if (isList(before) && isList(after) && before.length === after.length) {
    before.forEach((item, index) => compare(into(index), item, after[index], found))
  } else if (!isSameScalar(before, after)) {
    const sensitive = place.hides(before, after)
    found.changes.push({
      path: spell(trail, found.room),
      sensitive,
      ...shown('before', before, sensitive),
      ...shown('after', after, sensitive),
    })
  }
}

/** Of two values that are not of one shape: lists of other lengths, for one, are never the same. */
function isSameScalar(a: Exact | undefined, b: Exact | undefined): boolean {
  return a === b || (isNumber(a) && isNumber(b) && a.digits === b.digits)
}

function diffOutputs(before: Content, after: Content): OutputChange[] {
  const changes: OutputChange[] = []
  for (const name of [
    ...new Set([...before.regions.outputs.keys(), ...after.regions.outputs.keys()]),
  ].sort()) {
    if (isSameText(before, after, name)) continue
    const old = outputOf(before, name)
    const next = outputOf(after, name)
    if (same(old, next)) continue
    const sensitive = [old, next].some(
      (output) => output !== undefined && (!isObject(output) || isSensitive(output)),
    )
    const change = old === undefined ? 'added' : next === undefined ? 'removed' : 'changed'
    changes.push({
      name,
      change,
      sensitive,
      ...shown('before', valueOf(old), sensitive),
      ...shown('after', valueOf(next), sensitive),
    })
  }
  return changes
}

function outputOf({ bytes, regions }: Content, name: string): Exact | undefined {
  const region = regions.outputs.get(name)
  return region === undefined ? undefined : parseExact(text(bytes, region))
}

function isSameText(a: Content, b: Content, name: string): boolean {
  const [one, other] = [a.regions.outputs.get(name), b.regions.outputs.get(name)]
  if (one === undefined || other === undefined) return false
  return Buffer.from(a.bytes.buffer, a.bytes.byteOffset + one.start, one.end - one.start).equals(
    b.bytes.subarray(other.start, other.end),
  )
}

function valueOf(output: Exact | undefined): Exact | undefined {
  return isObject(output) ? (output.get('value') ?? null) : output
}

function shown(
  name: 'before' | 'after',
  value: Exact | undefined,
  sensitive: boolean,
): Record<string, unknown> {
  if (value === undefined) return {}
  if (sensitive) return { [name]: SENSITIVE }
  return { [name]: plain(value), ...(isPlain(value) ? {} : { [`${name}Json`]: written(value) }) }
}

function same(a: Exact | undefined, b: Exact | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a === b || canonical(a) === canonical(b)
}

function spell(trail: Trail | undefined, room: Room): string {
  const steps: Step[] = []
  for (let at = trail; at !== undefined; at = at.before) {
    steps.push(at.step)
    room.take(typeof at.step === 'string' ? at.step.length : 1)
  }
  return steps
    .toReversed()
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : spellName(step, i)))
    .join('')
}

function spellName(name: string, i: number): string {
  if (/^[A-Za-z_][\w-]*$/.test(name)) return i === 0 ? name : `.${name}`
  return `[${JSON.stringify(name)}]`
}

function word(value: Exact | undefined, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function text(bytes: Uint8Array, { start, end }: Region): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()
}
