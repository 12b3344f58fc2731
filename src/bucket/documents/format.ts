import { z } from 'zod'
import { TacoError } from '../../base/errors.ts'
import { faultsIn, sayFaults } from '../../base/text/validation-messages.ts'

/**
 * How one kind of document is stored, and up to which version this code understands it. A document names its major
 * version in `v` and, above 0, its minor one in `minor`.
 *
 * - A newer minor only adds: fields, words, members of a union. This code carries them along (`open-schemas.ts`).
 * - A newer major changes the meaning of what is there. This code refuses the document and never rewrites it.
 */
export interface DocumentFormat<T> {
  readonly schema: z.ZodType<T>
  readonly major: number
  readonly minor: number
}

/** The fields by which a document names its format. */
export function formatFields<V extends number>(major: V) {
  return { v: z.literal(major), minor: z.number().int().min(0).optional() }
}

/** The fields that a document of every kind begins with. The store writes them. */
export function documentFields<V extends number>(major: V) {
  return {
    ...formatFields(major),
    /** Only grows, so that no two writes of one document are byte-equal. */
    rev: z.number().int().min(1),
    /** Random per write, to distinguish a lost answer from a lost race. */
    nonce: z.string(),
  }
}

/** What this code writes over a document of `before`: a rewrite never claims an older format than what it carries. */
export function formatOf(
  { major, minor }: Pick<DocumentFormat<unknown>, 'major' | 'minor'>,
  before?: { readonly minor?: number | undefined },
): { v: number; minor?: number } {
  const newest = Math.max(minor, before?.minor ?? 0)
  return newest === 0 ? { v: major } : { v: major, minor: newest }
}

export function parseDocument<T>(key: string, bytes: Buffer, format: DocumentFormat<T>): T {
  let json: unknown
  try {
    json = JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new TacoError('BUCKET_CORRUPT', `The document ${key} is not JSON.`, {
      cause,
      facts: { key },
      hint: 'Run `taco doctor --deep`, or restore this object from a backup of the bucket.',
    })
  }
  const found = versionOf(json)
  if (found !== undefined && found.major > format.major) throw newerFormat(key, found)
  const parsed = format.schema.safeParse(json)
  if (parsed.success) return parsed.data
  if (found !== undefined && found.major === format.major && found.minor > format.minor)
    throw newerFormat(key, found)
  if (parsed.error.issues.every((issue) => isUnknownWord(json, issue)))
    throw unknownWord(key, json, parsed.error)
  const faults = sayFaults(faultsIn(parsed.error).slice(0, 1))
  throw new TacoError('BUCKET_CORRUPT', `The document ${key} is damaged: ${faults}.`, {
    facts: { key },
    hint: 'Run `taco doctor --deep`, or restore this object from a backup of the bucket.',
  })
}

interface Version {
  readonly major: number
  readonly minor: number
}

const Versioned = z.object({ v: z.number(), minor: z.number().catch(0) })

function versionOf(json: unknown): Version | undefined {
  const { data } = Versioned.safeParse(json)
  return data && { major: data.v, minor: data.minor }
}

const LEAVE_ALONE = 'Upgrade OpenTaco. This version leaves the document unchanged.'

function newerFormat(key: string, { major, minor }: Version): TacoError {
  const format = minor === 0 ? String(major) : `${major}.${minor}`
  return new TacoError(
    'BUCKET_NEWER',
    `The document ${key} was written by a newer version of OpenTaco (format ${format}).`,
    { facts: { key, format }, hint: LEAVE_ALONE },
  )
}

/** An unknown word where the schema lists all: a later version may have more of them. */
function isUnknownWord(json: unknown, { code, path }: z.core.$ZodIssue): boolean {
  if (code !== 'invalid_value' && code !== 'invalid_union') return false
  const given = at(json, path)
  return typeof given === 'string' && given !== ''
}

function unknownWord(key: string, json: unknown, error: z.ZodError): TacoError {
  const { path = [] } = error.issues[0] ?? {}
  return new TacoError(
    'BUCKET_NEWER',
    `The document ${key} has the value ${JSON.stringify(at(json, path))} in ${path.join('.')}, which this version of OpenTaco does not know.`,
    { facts: { key }, hint: LEAVE_ALONE },
  )
}

function at(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Record<PropertyKey, unknown>)[step], json)
}
