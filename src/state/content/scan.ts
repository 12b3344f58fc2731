import { TacoError } from '../../base/errors.ts'
import { type JsonEvents, JsonScan } from './json-scan.ts'
import { digestOutput, foldName, type LargeOutput, OutputCollector, type OutputDigest } from './outputs.ts'

/** What a state says about itself. For a state that OpenTofu encrypted, only serial and lineage are readable. */
export interface StateFacts {
  readonly serial: number
  readonly lineage: string
  readonly terraformVersion: string | undefined
  readonly encrypted: boolean
  /** Resource instances; undefined when encrypted. */
  readonly resources: number | undefined
  /** Those of data sources among them. */
  readonly dataResources: number | undefined
  /** Sorted by name; undefined when encrypted, or when there are too many. */
  readonly outputs: readonly OutputDigest[] | undefined
}

export interface StateScanOptions {
  /** Makes digests of sensitive outputs impossible to guess. */
  readonly sensitiveKey?: Uint8Array
  /** What becomes of a state with more outputs than can be recorded. `unknown`: as if they could not be read. */
  readonly tooManyOutputs?: 'refused' | 'unknown'
}

const SCALARS = new Set(['version', 'serial', 'lineage', 'terraform_version', 'encryption_version'])
const CONTAINERS = new Set(['outputs', 'resources'])
const KNOWN = new Set([...SCALARS, ...CONTAINERS, 'encrypted_data', 'meta', 'check_results'])
const MAX_SCALAR_BYTES = 4096
const MAX_TOP_KEYS = 1000
/** Digests of all outputs are part of the unit's document, which every operation on the unit reads. */
export const MOST_OUTPUTS = 5000
const MOST_NAME_LENGTH = 500_000
const INSTANCES = Buffer.from('instances')
const MODE = Buffer.from('mode')
const DATA = Buffer.from('"data"')

const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b
const LETTER_N = 0x6e

/** Reads a state as it streams by: checks it, and keeps what the unit's document needs to know. */
export class StateScan {
  private readonly fields: StateFields
  private readonly json: JsonScan

  constructor(options: StateScanOptions = {}) {
    this.fields = new StateFields(options)
    this.json = new JsonScan(this.fields)
  }

  push(chunk: Uint8Array): void {
    this.json.push(chunk)
  }

  /** Large outputs that are complete are digested in the background; undefined: there are none. */
  settle(digest: DigestOutput): Promise<void> | undefined {
    return this.fields.hasLarge() ? this.fields.settle(digest) : undefined
  }

  /** What was not settled is digested at once. */
  finish(): StateFacts {
    this.json.finish()
    return this.fields.facts()
  }
}

type DigestOutput = (...given: Parameters<typeof digestOutput>) => Promise<OutputDigest>

class StateFields implements JsonEvents {
  private readonly options: StateScanOptions
  private readonly seen = new Set<string>()
  private readonly scalars = new Map<string, unknown>()
  private readonly outputs = new Map<string, OutputDigest>()
  private readonly large = new Map<string, LargeOutput>()
  private isObject = true
  private topKey = ''
  /** Compared for every shallow thing, and therefore one of two constants instead of a text just read. */
  private section: 'resources' | 'outputs' | undefined = undefined
  private outputName = ''
  private output: OutputCollector | undefined = undefined
  /** Characters in the names of all outputs. */
  private nameLength = 0
  private isBeyondOutputs = false
  private scalar: Buffer[] | undefined = undefined
  private scalarBytes = 0
  private inResource: 'instances' | 'mode' | undefined = undefined
  /** How many bytes of `"data"` the mode of the resource has shown, or -1 when it is something else. */
  private dataBytes = 0
  private instances = 0
  private all = 0
  private data = 0

  constructor(options: StateScanOptions) {
    this.options = options
  }

  key(depth: number, bytes: Uint8Array, start: number, end: number): void {
    if (depth === 1) {
      const key = enter(decodeKey(bytes, start, end), this.seen)
      this.topKey = key
      this.section = key === 'resources' ? 'resources' : key === 'outputs' ? 'outputs' : undefined
    } else if (this.section === 'resources') {
      if (depth === 3) this.inResource = resourceKey(bytes, start, end)
    } else if (this.section === 'outputs' && depth === 2) this.outputName = decodeKey(bytes, start, end)
  }

  begin(depth: number, first: number): boolean {
    if (depth === 4) {
      if (this.inResource === 'instances' && this.section === 'resources') this.instances++
      return false
    }
    // We do not know yet whether it is JSON at all: that is the more useful error.
    if (depth === 0) this.isObject = first === OPEN_OBJECT
    if (depth === 1) return this.beginTop(first)
    if (depth === 2 && this.section === 'resources') {
      this.instances = 0
      this.dataBytes = 0
      this.inResource = undefined
    } else if (depth === 2 && this.section === 'outputs') {
      return this.beginOutput(this.outputName)
    } else if (depth === 3) return this.inResource === 'mode' && this.section === 'resources'
    return false
  }

  piece(bytes: Uint8Array): void {
    if (this.scalar !== undefined) this.takePiece(bytes, this.scalar)
    else if (this.output !== undefined) this.output.push(bytes)
    else this.compareMode(bytes)
  }

  end(depth: number): void {
    if (depth === 1 && this.scalar !== undefined) {
      this.scalars.set(this.topKey, JSON.parse(Buffer.concat(this.scalar).toString()))
      this.scalar = undefined
    } else if (depth === 2 && this.section === 'resources') {
      this.all += this.instances
      if (this.dataBytes === DATA.length) this.data += this.instances
    } else if (depth === 2 && this.output !== undefined) {
      this.keepOutput(this.output.finish())
      this.output = undefined
    }
  }

  private beginOutput(name: string): boolean {
    if (this.isBeyondOutputs) return false
    if (this.outputs.has(name) || this.large.has(name)) throw malformed(`outputs.${name}`, 'is there twice')
    this.nameLength += name.length
    if (this.outputs.size + this.large.size === MOST_OUTPUTS || this.nameLength > MOST_NAME_LENGTH) {
      if (this.options.tooManyOutputs !== 'unknown') throw tooManyOutputs()
      this.isBeyondOutputs = true
      this.outputs.clear()
      this.large.clear()
      return false
    }
    this.output = new OutputCollector(name, this.options.sensitiveKey)
    return true
  }

  private beginTop(first: number): boolean {
    const { topKey } = this
    if (
      CONTAINERS.has(topKey) &&
      first !== LETTER_N &&
      first !== (topKey === 'outputs' ? OPEN_OBJECT : OPEN_ARRAY)
    ) {
      throw malformed(topKey, `is not ${topKey === 'outputs' ? 'an object' : 'a list'}`)
    }
    if (!SCALARS.has(topKey)) return false
    this.scalar = []
    this.scalarBytes = 0
    return true
  }

  private compareMode(piece: Uint8Array): void {
    for (let i = 0; i < piece.length; i++)
      this.dataBytes = this.dataBytes >= 0 && piece[i] === DATA[this.dataBytes] ? this.dataBytes + 1 : -1
  }

  private takePiece(piece: Uint8Array, scalar: Buffer[]): void {
    this.scalarBytes += piece.length
    if (this.scalarBytes > MAX_SCALAR_BYTES) throw malformed(this.topKey, 'is far too long')
    scalar.push(Buffer.from(piece))
  }

  private keepOutput(output: OutputDigest | LargeOutput): void {
    if ('text' in output) this.large.set(output.name, output)
    else this.outputs.set(output.name, output)
  }

  hasLarge(): boolean {
    return this.large.size > 0
  }

  async settle(digest: DigestOutput): Promise<void> {
    for (const { name, text, sensitiveKey } of this.large.values()) {
      this.outputs.set(name, await digest(name, text, sensitiveKey))
      this.large.delete(name)
    }
  }

  facts(): StateFacts {
    const { scalars, outputs } = this
    for (const { name, text, sensitiveKey } of this.large.values())
      outputs.set(name, digestOutput(name, text, sensitiveKey))
    if (!this.isObject) throw malformed('', 'is not an object')
    const encrypted = isEncrypted(scalars.get('encryption_version'))
    if (!encrypted && scalars.get('version') !== 4) {
      throw malformed(
        'version',
        this.seen.has('version') ? 'is not 4' : 'is missing',
        'Upgrade the state with a current tofu or terraform.',
      )
    }
    const terraformVersion = scalars.get('terraform_version')
    return {
      serial: readSerial(scalars.get('serial')),
      lineage: readLineage(scalars.get('lineage')),
      terraformVersion: typeof terraformVersion === 'string' ? terraformVersion : undefined,
      encrypted,
      resources: encrypted ? undefined : this.all,
      dataResources: encrypted ? undefined : this.data,
      outputs:
        encrypted || this.isBeyondOutputs
          ? undefined
          : [...outputs.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    }
  }
}

/** The facts of a state that is in memory. */
export function scanState(bytes: Uint8Array, options: StateScanOptions = {}): StateFacts {
  const scan = new StateScan(options)
  scan.push(bytes)
  return scan.finish()
}

/** Refuses what tofu would read in another way than we do: a key twice, or a known one in other letters. */
function enter(key: string, seen: Set<string>): string {
  if (seen.has(key)) throw malformed(key, 'is there twice')
  if (!KNOWN.has(key) && KNOWN.has(foldName(key))) throw malformed(key, `is to be spelled "${foldName(key)}"`)
  if (seen.size === MAX_TOP_KEYS) throw malformed(key, 'is one field too many')
  seen.add(key)
  return key
}

function isEncrypted(version: unknown): boolean {
  if (version === undefined || version === null || version === '') return false
  if (typeof version !== 'string') throw malformed('encryption_version', 'is not a string')
  return true
}

function readSerial(serial: unknown): number {
  if (typeof serial === 'number' && Number.isSafeInteger(serial) && serial >= 0) return serial
  throw malformed('serial', serial === undefined ? 'is missing' : 'is not a whole number')
}

function readLineage(lineage: unknown): string {
  if (typeof lineage === 'string' && lineage !== '') return lineage
  throw malformed('lineage', lineage === undefined ? 'is missing' : 'is not a non-empty string')
}

/** Looks at single bytes first: this runs for every field of every resource. */
function resourceKey(bytes: Uint8Array, start: number, end: number): 'instances' | 'mode' | undefined {
  if (isText(INSTANCES, bytes, start, end)) return 'instances'
  if (isText(MODE, bytes, start, end)) return 'mode'
  const first = bytes[start] ?? 0
  if ((first >= 0x61 && first <= 0x7a && first !== 0x69) || end - start < 9) return undefined
  return foldName(decodeKey(bytes, start, end)) === 'instances' ? 'instances' : undefined
}

function isText(text: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== text.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text[i]) return false
  return true
}

export function decodeKey(bytes: Uint8Array, start: number, end: number): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

function tooManyOutputs(): TacoError {
  return new TacoError(
    'TOO_LARGE',
    `The state has more than ${MOST_OUTPUTS} outputs, or their names take more than ${MOST_NAME_LENGTH} characters.`,
    {
      facts: { field: 'outputs', most: MOST_OUTPUTS, mostNameCharacters: MOST_NAME_LENGTH },
      hint: 'Group values into outputs that are objects or lists, or split the unit.',
    },
  )
}

function malformed(field: string, what: string, hint?: string): TacoError {
  const subject = field === '' ? 'The state' : `The field "${field}" of the state`
  return new TacoError('STATE_FORMAT', `${subject} ${what}.`, {
    hint: hint ?? 'Send the state file exactly as tofu or terraform wrote it.',
    facts: { field: field === '' ? 'state' : field },
  })
}
