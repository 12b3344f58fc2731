import { bodyOf } from '../body.ts'
import type { Bucket, Conflict, Tag, Waiting, Written } from '../bucket.ts'
import { conflict } from '../bucket.ts'
import { type DocumentFormat, parseDocument } from './format.ts'

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
  format: DocumentFormat<T>,
  options: Waiting & { readonly known?: Loaded<T> | undefined } = {},
): Promise<Loaded<T> | undefined> {
  const { known, ...waiting } = options
  const found =
    known === undefined
      ? await bucket.get(key, waiting)
      : await bucket.get(key, { ...waiting, ifNoneMatch: known.tag })
  if (found === 'unchanged') return known
  if (found === undefined) return undefined
  return { key, value: parseDocument(key, await found.bytes(), format), tag: found.tag }
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
