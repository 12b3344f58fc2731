import { z } from 'zod'
import { badRequest } from '../../base/errors.ts'
import { openObject } from './open-schemas.ts'

/**
 * Requests that carried an Idempotency-Key, kept in the document that they changed. They are written by the same
 * compare-and-swap as the change, so a request is recorded exactly if its change was made. Pure.
 */
export const Answered = openObject({
  /** A hash of the key and of who sent it. */
  key: z.string(),
  /** A hash of the request itself: the same key must not be used for another one. */
  request: z.string(),
  at: z.number(),
  /** Id of what it made: a version, a rollout. */
  made: z.string().optional(),
})
export type Answered = z.infer<typeof Answered>

/** The sender of a request. Without `request`, its repetition cannot be recognised. */
export interface Asking {
  readonly request?: { readonly key: string; readonly digest: string } | undefined
}

const KEEP = 32
const KEEP_MS = 24 * 3_600_000

type Notes = readonly Answered[] | undefined

/** The note of this very request, if its change was made before. The same key with another request is refused. */
export function answeredBefore(notes: Notes, { request }: Asking): Answered | undefined {
  const found = request && notes?.find(({ key }) => key === request.key)
  if (found === undefined || found.request === request?.digest) return found
  throw badRequest(
    'Idempotency-Key',
    'This Idempotency-Key was used for another request.',
    'Repeat a request with the same method, path, query and body, or use a new key.',
  )
}

/** What a change for this request adds to the document. */
export function noteRequest(
  notes: Notes,
  { request }: Asking,
  at: number,
  made?: string,
): { answered?: Answered[] } {
  if (request === undefined) return {}
  const young = (notes ?? []).filter((one) => at - one.at < KEEP_MS && one.key !== request.key)
  const own = { key: request.key, request: request.digest, at, ...(made === undefined ? {} : { made }) }
  return { answered: [...young, own].slice(-KEEP) }
}

/** For a step of a request that is not the whole of it. */
export function withoutRequest<T extends Asking>({ request: _, ...caller }: T): Omit<T, 'request'> {
  return caller
}
