import type { z } from 'zod'
import { TacoError } from '../base/errors.ts'
import { faultsIn, sayFaults } from '../base/text/validation-messages.ts'
import { bodyOf } from './body.ts'
import type { Bucket, Conflict, Tag, Waiting, Written } from './bucket.ts'
import { conflict } from './bucket.ts'

/** A document as it was read: change it by `swapDocument`, which fails if anybody else changed it meanwhile. */
export interface Loaded<T> {
  readonly key: string
  readonly value: T
  readonly tag: Tag
}

/** With `known`, an earlier reading of it, an unchanged document is neither sent nor parsed again. */
export async function readDocument<T>(
  bucket: Bucket,
  key: string,
  schema: z.ZodType<T>,
  options: Waiting & { readonly known?: Loaded<T> | undefined } = {},
): Promise<Loaded<T> | undefined> {
  const { known, ...waiting } = options
  const found =
    known === undefined
      ? await bucket.get(key, waiting)
      : await bucket.get(key, { ...waiting, ifNoneMatch: known.tag })
  if (found === 'unchanged') return known
  if (found === undefined) return undefined
  return { key, value: parseDocument(key, await found.bytes(), schema), tag: found.tag }
}

export function createDocument(bucket: Bucket, key: string, value: unknown): Promise<Written | Conflict> {
  return putDocument(bucket, key, value, 'absent')
}

export function swapDocument(
  bucket: Bucket,
  loaded: Loaded<unknown>,
  value: unknown,
): Promise<Written | Conflict> {
  return putDocument(bucket, loaded.key, value, loaded.tag)
}

/**
 * A conditional write whose answer was lost may have landed. Documents are never byte-equal twice (they carry a
 * revision and a nonce), so reading the same bytes back proves that it did.
 */
async function putDocument(
  bucket: Bucket,
  key: string,
  value: unknown,
  when: 'absent' | Tag,
): Promise<Written | Conflict> {
  const text = JSON.stringify(value)
  const answer = await bucket.put(key, bodyOf(text), when, { contentType: 'application/json' })
  if (answer.kind === 'written') return answer
  const found = await bucket.get(key)
  if (found === undefined) return conflict
  const same = (await found.bytes()).toString('utf8') === text
  return same ? { kind: 'written', tag: found.tag } : conflict
}

export function parseDocument<T>(key: string, bytes: Buffer, schema: z.ZodType<T>): T {
  let json: unknown
  try {
    json = JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new TacoError('BUCKET_CORRUPT', `the document ${key} is not JSON`, {
      cause,
      facts: { key },
      hint: 'run `taco doctor --deep`, or restore this object from a backup of the bucket',
    })
  }
  refuseNewer(key, json)
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  if (parsed.error.issues.every((issue) => isUnknownWord(json, issue)))
    throw unknownWord(key, json, parsed.error)
  const faults = sayFaults(faultsIn(parsed.error).slice(0, 1))
  throw new TacoError('BUCKET_CORRUPT', `the document ${key} is damaged: ${faults}`, {
    facts: { key },
    hint: 'run `taco doctor --deep`, or restore this object from a backup of the bucket',
  })
}

/** In the place of one of a few words there is another one: a later version may have more of them. */
function isUnknownWord(json: unknown, { code, path }: z.core.$ZodIssue): boolean {
  if (code !== 'invalid_value' && code !== 'invalid_union') return false
  const given = path.reduce<unknown>((inner, step) => (inner as Record<PropertyKey, unknown>)[step], json)
  return typeof given === 'string' && given !== ''
}

function unknownWord(key: string, json: unknown, error: z.ZodError): TacoError {
  const { path = [] } = error.issues[0] ?? {}
  const word = path.reduce<unknown>((inner, step) => (inner as Record<PropertyKey, unknown>)[step], json)
  return new TacoError(
    'BUCKET_NEWER',
    `the document ${key} says ${JSON.stringify(word)} for ${path.join('.')}, which this OpenTaco does not know`,
    {
      facts: { key },
      hint: 'upgrade this OpenTaco; it does not touch what it does not understand',
    },
  )
}

const KNOWN_FORMAT = 1

function refuseNewer(key: string, json: unknown): void {
  if (typeof json !== 'object' || json === null || !('v' in json)) return
  if (typeof json.v === 'number' && json.v > KNOWN_FORMAT) {
    throw new TacoError(
      'BUCKET_NEWER',
      `the document ${key} was written by a newer OpenTaco (format ${json.v})`,
      {
        facts: { key, format: json.v },
        hint: 'upgrade this OpenTaco; it does not touch what it does not understand',
      },
    )
  }
}
