import { createHmac, hash, randomBytes, type Hmac } from 'node:crypto'
import { TacoError } from '../../base/errors.ts'
import { canonical, isObject, parseExact } from './exact.ts'

/** What we keep of an output: enough to notice a change, not the value. */
export interface OutputDigest {
  readonly name: string
  readonly sensitive: boolean
  /** The type as canonical JSON, `"string"` or `["list","string"]`. */
  readonly type: string
  /** 22 characters; equal for equal value and type, whatever their notation. */
  readonly digest: string
}

/** A larger output is digested as written, and counts as sensitive because we do not look inside. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024
const DIGEST_BYTES = 16
/** Even the slowest text of this length is digested in some milliseconds. */
const AT_ONCE_BYTES = 32 * 1024

/** What `digestOutput` needs. */
export interface LargeOutput {
  readonly name: string
  readonly text: Uint8Array
  readonly sensitiveKey: Uint8Array
}

/** Without an organization's key, digests of sensitive outputs are meaningful only within this process. */
const processKey = randomBytes(32)

/** Takes the raw text of one output in pieces; they are copied. */
export class OutputCollector {
  private readonly name: string
  private readonly sensitiveKey: Uint8Array
  private readonly pieces: Uint8Array[] = []
  private size = 0
  private raw: Hmac | undefined = undefined

  constructor(name: string, sensitiveKey: Uint8Array = processKey) {
    this.name = name
    this.sensitiveKey = sensitiveKey
  }

  push(piece: Uint8Array): void {
    this.size += piece.length
    if (this.raw === undefined && this.size > MAX_OUTPUT_BYTES) {
      this.raw = createHmac('sha256', this.sensitiveKey).update(`${JSON.stringify(this.name)}\nraw\n`)
      for (const held of this.pieces.splice(0)) this.raw.update(held)
    }
    if (this.raw === undefined) this.pieces.push(new Uint8Array(piece))
    else this.raw.update(piece)
  }

  /** Of a large one its text: `digestOutput` takes a while. */
  finish(): OutputDigest | LargeOutput {
    const { name, raw, sensitiveKey } = this
    if (raw !== undefined) return { name, sensitive: true, type: '"dynamic"', digest: short(raw.digest()) }
    const text = joined(this.pieces)
    return text.length > AT_ONCE_BYTES ? { name, text, sensitiveKey } : digestOutput(name, text, sensitiveKey)
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}

/** `text` is the raw text of the output. */
export function digestOutput(name: string, text: Uint8Array, sensitiveKey: Uint8Array): OutputDigest {
  const output = parseExact(Buffer.from(text.buffer, text.byteOffset, text.length).toString())
  if (!isObject(output)) {
    throw new TacoError('STATE_FORMAT', `The output "${name}" of the state is not an object.`, {
      facts: { field: `outputs.${name}` },
    })
  }
  const sensitive = isSensitive(output)
  const type = canonical(output.get('type') ?? 'dynamic')
  const content = `${canonical(output.get('value') ?? null)}\n${type}`
  // The name goes into the keyed digest, so that equal secrets under two names do not show as equal.
  const digest = sensitive
    ? createHmac('sha256', sensitiveKey)
        .update(`${JSON.stringify(name)}\n${content}`)
        .digest()
    : hash('sha256', content, 'buffer')
  return { name, sensitive, type, digest: short(digest) }
}

/** The CLIs match field names without regard to case, so any spelling of "sensitive" that is not false counts. */
export function isSensitive(output: ReadonlyMap<string, unknown>): boolean {
  for (const [key, value] of output) {
    if (foldName(key) === 'sensitive' && value !== false && value !== null) return true
  }
  return false
}

/** How Go's JSON decoder compares field names. */
export function foldName(name: string): string {
  return name.toUpperCase().toLowerCase()
}

function short(digest: Buffer): string {
  return digest.subarray(0, DIGEST_BYTES).toString('base64url')
}
