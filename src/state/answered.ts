import { badRequest } from '../base/errors.ts'
import type { Answered } from './documents/model.ts'
import type { Caller } from './state-control.ts'

/**
 * Requests that carried an Idempotency-Key, kept in the document that they changed: written by the very
 * compare-and-swap that made the change, so that a request is there exactly if its change is. Pure.
 */

const KEEP = 32
const KEEP_MS = 24 * 3_600_000

type Notes = readonly Answered[] | undefined

/** The note of this very request, if its change was made before. The same key with another request is refused. */
export function answeredBefore(notes: Notes, { request }: Caller): Answered | undefined {
  const found = request && notes?.find(({ key }) => key === request.key)
  if (found === undefined || found.request === request?.digest) return found
  throw badRequest(
    'Idempotency-Key',
    'this Idempotency-Key was used for another request',
    'Repeat a request with the same method, path, query and body, or use a new key.',
  )
}

/** What a document keeps besides when it is changed for this request. */
export function noteRequest(
  notes: Notes,
  { request }: Caller,
  at: number,
  made?: string,
): { answered?: Answered[] } {
  if (request === undefined) return {}
  const young = (notes ?? []).filter((one) => at - one.at < KEEP_MS && one.key !== request.key)
  const own = { key: request.key, request: request.digest, at, ...(made === undefined ? {} : { made }) }
  return { answered: [...young, own].slice(-KEEP) }
}

/** For a step of a request that is not the whole of it. */
export function withoutRequest({ request: _, ...caller }: Caller): Caller {
  return caller
}
