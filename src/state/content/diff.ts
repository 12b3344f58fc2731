import { hash } from 'node:crypto'
import { z } from 'zod'
import { canonical, isList, isObject, parseExact, plain, type Exact } from './exact.ts'
import { maskFor, SENSITIVE, type Mask, type Path, type Step } from './masking.ts'
import { isSensitive } from './outputs.ts'
import { findRegions, type Region, type StateRegions } from './regions.ts'
import { scanState } from './scan.ts'

const Side = z.object({ serial: z.number(), lineage: z.string(), size: z.number(), encrypted: z.boolean() })

const Change = z.enum(['added', 'removed', 'changed'])

export const AttributeChange = z.object({
  /** `tags.Name`, `ingress[0].from_port` */
  path: z.string(),
  sensitive: z.boolean(),
  /** Absent when there was nothing. `(sensitive)` when it must not be shown. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
})
export type AttributeChange = z.infer<typeof AttributeChange>

export const ResourceChange = z.object({
  address: z.string(),
  mode: z.string(),
  type: z.string(),
  change: Change,
  /** Of a changed instance: what differs. */
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

/** Compares two states; undefined stands for "no state". Only resources whose bytes differ are parsed. */
export function diffStates(before: Uint8Array | undefined, after: Uint8Array | undefined): StateDiff {
  const sides = { ...side('before', before), ...side('after', after) }
  if (sides.before?.encrypted === true || sides.after?.encrypted === true)
    return { encrypted: true, ...sides }
  const old = { bytes: before ?? NO_BYTES, regions: before === undefined ? NO_REGIONS : findRegions(before) }
  const next = { bytes: after ?? NO_BYTES, regions: after === undefined ? NO_REGIONS : findRegions(after) }
  return {
    encrypted: false,
    ...sides,
    resources: diffResources(resourcesOf(old), resourcesOf(next)),
    outputs: diffOutputs(old, next),
  }
}

function side(
  name: 'before' | 'after',
  bytes: Uint8Array | undefined,
): { before?: z.infer<typeof Side>; after?: z.infer<typeof Side> } {
  if (bytes === undefined) return {}
  const { serial, lineage, encrypted } = scanState(bytes)
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
): ResourceChange[] {
  const old = instancesOf(before, after)
  const next = instancesOf(after, before)
  const changes: ResourceChange[] = []
  for (const [address, instance] of next) {
    const previous = old.get(address)
    if (previous === undefined) changes.push(wholeChange(instance, 'added'))
    else changes.push(...changeOf(previous, instance))
  }
  for (const [address, instance] of old)
    if (!next.has(address)) changes.push(wholeChange(instance, 'removed'))
  return changes.sort((a, b) => (a.address < b.address ? -1 : 1))
}

function instancesOf(
  own: ReadonlyMap<string, Resource>,
  other: ReadonlyMap<string, Resource>,
): Map<string, Instance> {
  const instances = new Map<string, Instance>()
  for (const [digest, { bytes, region }] of own) {
    if (other.has(digest)) continue
    for (const instance of parseInstances(parseExact(text(bytes, region))))
      instances.set(instance.address, instance)
  }
  return instances
}

function parseInstances(resource: Exact): Instance[] {
  if (!isObject(resource)) return []
  const mode = word(resource.get('mode'), 'managed')
  const type = word(resource.get('type'), 'unknown')
  const module = word(resource.get('module'), '')
  const base = `${module === '' ? '' : `${module}.`}${mode === 'data' ? 'data.' : ''}${type}.${word(resource.get('name'), 'unknown')}`
  const listed = resource.get('instances')
  return (isList(listed) ? listed : []).filter(isObject).map((fields) => ({
    address: base + indexOf(fields.get('index_key')) + deposedOf(fields.get('deposed')),
    mode,
    type,
    provider: resource.get('provider') ?? null,
    fields,
  }))
}

function indexOf(key: Exact | undefined): string {
  if (key === undefined || key === null) return ''
  // A quoted key is a template to HCL, hence the doubled signs.
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

function changeOf(before: Instance, after: Instance): ResourceChange[] {
  const mask = maskFor(after.type, [before.fields, after.fields])
  const attributes: AttributeChange[] = []
  compare([], before.fields.get(ATTRIBUTES), after.fields.get(ATTRIBUTES), { mask, changes: attributes })
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

interface Found {
  readonly mask: Mask
  readonly changes: AttributeChange[]
}

/** Goes down while both sides have the same shape, so that a change is named as closely as possible. */
function compare(path: Path, before: Exact | undefined, after: Exact | undefined, found: Found): void {
  if (same(before, after)) return
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
    for (const key of keys) compare([...path, key], before.get(key), after.get(key), found)
  } else if (isList(before) && isList(after) && before.length === after.length) {
    before.forEach((item, index) => compare([...path, index], item, after[index], found))
  } else {
    const sensitive = found.mask.hides(path, before, after)
    found.changes.push({
      path: spell(path),
      sensitive,
      ...shown('before', before, sensitive),
      ...shown('after', after, sensitive),
    })
  }
}

function diffOutputs(before: Content, after: Content): OutputChange[] {
  const changes: OutputChange[] = []
  for (const name of [
    ...new Set([...before.regions.outputs.keys(), ...after.regions.outputs.keys()]),
  ].sort()) {
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

function valueOf(output: Exact | undefined): Exact | undefined {
  return isObject(output) ? (output.get('value') ?? null) : output
}

function shown(
  name: 'before' | 'after',
  value: Exact | undefined,
  sensitive: boolean,
): Record<string, unknown> {
  if (value === undefined) return {}
  return { [name]: sensitive ? SENSITIVE : plain(value) }
}

function same(a: Exact | undefined, b: Exact | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a === b || canonical(a) === canonical(b)
}

function spell(path: Path): string {
  return path.map((step: Step, i) => (typeof step === 'number' ? `[${step}]` : spellName(step, i))).join('')
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
