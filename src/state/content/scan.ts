import { TacoError } from '../../base/errors.ts'
import { createJsonScan } from './json-scan.ts'
import { collectOutput, foldName, type OutputCollector, type OutputDigest } from './outputs.ts'

/** What a state says about itself. Of a state that OpenTofu encrypted only serial and lineage can be read. */
export interface StateFacts {
  readonly serial: number
  readonly lineage: string
  readonly terraformVersion: string | undefined
  readonly encrypted: boolean
  /** Resource instances; undefined when encrypted. */
  readonly resources: number | undefined
  /** Those of data sources among them. */
  readonly dataResources: number | undefined
  /** Sorted by name; undefined when encrypted. */
  readonly outputs: readonly OutputDigest[] | undefined
}

export interface StateScanOptions {
  /** Makes digests of sensitive outputs impossible to guess. */
  readonly sensitiveKey?: Uint8Array
}

export interface StateScan {
  push(chunk: Uint8Array): void
  finish(): StateFacts
}

const SCALARS = new Set(['version', 'serial', 'lineage', 'terraform_version', 'encryption_version'])
const CONTAINERS = new Set(['outputs', 'resources'])
const KNOWN = new Set([...SCALARS, ...CONTAINERS, 'encrypted_data', 'meta', 'check_results'])
const MAX_SCALAR_BYTES = 4096
const MAX_TOP_KEYS = 1000
const INSTANCES = Buffer.from('instances')
const MODE = Buffer.from('mode')
const DATA = Buffer.from('"data"')

const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b
const LETTER_N = 0x6e

/** Reads a state as it streams by: checks it, and keeps what the unit's document needs to know. */
export function createStateScan(options: StateScanOptions = {}): StateScan {
  const seen = new Set<string>()
  const scalars = new Map<string, unknown>()
  const outputs = new Map<string, OutputDigest>()
  let isObject = true
  let topKey = ''
  /** Compared for every shallow thing, and therefore one of two constants instead of a text just read. */
  let section: 'resources' | 'outputs' | undefined
  let outputName = ''
  let output: OutputCollector | undefined
  let scalar: Buffer[] | undefined
  let scalarBytes = 0
  let inResource: 'instances' | 'mode' | undefined
  /** How many bytes of `"data"` the mode of the resource has shown, or -1 when it is something else. */
  let dataBytes = 0
  let instances = 0
  let all = 0
  let data = 0

  const json = createJsonScan({
    key(depth, bytes, start, end) {
      if (depth === 1) {
        topKey = enter(decodeKey(bytes, start, end), seen)
        section = topKey === 'resources' ? 'resources' : topKey === 'outputs' ? 'outputs' : undefined
      } else if (section === 'resources') {
        if (depth === 3) inResource = resourceKey(bytes, start, end)
      } else if (section === 'outputs' && depth === 2) outputName = decodeKey(bytes, start, end)
    },
    begin(depth, first) {
      if (depth === 4) {
        if (inResource === 'instances' && section === 'resources') instances++
        return undefined
      }
      // Whether it is JSON at all is not known yet: that is worth saying first.
      if (depth === 0) isObject = first === OPEN_OBJECT
      if (depth === 1) return beginTop(first)
      if (depth === 2 && section === 'resources') {
        instances = 0
        dataBytes = 0
        inResource = undefined
      } else if (depth === 2 && section === 'outputs') {
        if (outputs.has(outputName)) throw malformed(`outputs.${outputName}`, 'is there twice')
        output = collectOutput(outputName, options.sensitiveKey)
        return output.push
      } else if (depth === 3 && inResource === 'mode' && section === 'resources') return compareMode
      return undefined
    },
    end(depth) {
      if (depth === 1 && scalar !== undefined) scalars.set(topKey, takeScalar())
      else if (depth === 2 && section === 'resources') {
        all += instances
        if (dataBytes === DATA.length) data += instances
      } else if (depth === 2 && output !== undefined) {
        outputs.set(outputName, output.finish())
        output = undefined
      }
    },
  })

  function beginTop(first: number): ((piece: Uint8Array) => void) | undefined {
    if (
      CONTAINERS.has(topKey) &&
      first !== LETTER_N &&
      first !== (topKey === 'outputs' ? OPEN_OBJECT : OPEN_ARRAY)
    ) {
      throw malformed(topKey, `is not ${topKey === 'outputs' ? 'an object' : 'a list'}`)
    }
    return SCALARS.has(topKey) ? beginScalar() : undefined
  }

  function beginScalar(): (piece: Uint8Array) => void {
    scalar = []
    scalarBytes = 0
    return takePiece
  }

  function compareMode(piece: Uint8Array): void {
    for (let i = 0; i < piece.length; i++)
      dataBytes = dataBytes >= 0 && piece[i] === DATA[dataBytes] ? dataBytes + 1 : -1
  }

  function takePiece(piece: Uint8Array): void {
    scalarBytes += piece.length
    if (scalarBytes > MAX_SCALAR_BYTES) throw malformed(topKey, 'is far too long')
    scalar?.push(Buffer.from(piece))
  }

  function takeScalar(): unknown {
    const text = Buffer.concat(scalar ?? []).toString()
    scalar = undefined
    return JSON.parse(text)
  }

  function finish(): StateFacts {
    json.finish()
    if (!isObject) throw malformed('', 'is not an object')
    const encrypted = isEncrypted(scalars.get('encryption_version'))
    if (!encrypted && scalars.get('version') !== 4) {
      throw malformed(
        'version',
        seen.has('version') ? 'is not 4' : 'is missing',
        'Upgrade the state with a current tofu or terraform.',
      )
    }
    const terraformVersion = scalars.get('terraform_version')
    return {
      serial: readSerial(scalars.get('serial')),
      lineage: readLineage(scalars.get('lineage')),
      terraformVersion: typeof terraformVersion === 'string' ? terraformVersion : undefined,
      encrypted,
      resources: encrypted ? undefined : all,
      dataResources: encrypted ? undefined : data,
      outputs: encrypted ? undefined : [...outputs.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    }
  }

  return { push: json.push, finish }
}

/** The facts of a state that is in memory. */
export function scanState(bytes: Uint8Array, options: StateScanOptions = {}): StateFacts {
  const scan = createStateScan(options)
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

function malformed(field: string, what: string, hint?: string): TacoError {
  const subject = field === '' ? 'The state' : `The field "${field}" of the state`
  return new TacoError('STATE_FORMAT', `${subject} ${what}.`, {
    hint: hint ?? 'Send the state file exactly as tofu or terraform wrote it.',
    facts: { field: field === '' ? 'state' : field },
  })
}
