/**
 * Every failure that a caller may want to distinguish has a stable code. Faces (HTTP, CLI) map codes to statuses and
 * exit codes in one table each; the domain knows no status codes.
 */
export type ErrorCode =
  | 'BAD_REQUEST' // the input is malformed; `facts.field` names where
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'GONE' // existed, and was removed on purpose (retention)
  | 'ALREADY_EXISTS'
  | 'NAME_GIVEN_UP' // the unit of this name was renamed (`facts.renamedTo`) or deleted; first use is refused
  | 'ORG_DELETED' // the organization was deleted, and can be restored
  | 'LIMIT_REACHED' // a limit of the organization; `facts.field` names which
  | 'CONFLICT' // somebody else changed the thing meanwhile
  | 'PRECONDITION_FAILED' // If-Match did not hold
  | 'LOCKED' // `facts.holder` is the lock info of the holder
  | 'LOCK_MISMATCH' // a lock id that is not (or no longer) the holder's
  | 'NOT_LOCKED'
  | 'STATE_NOT_JSON'
  | 'STATE_FORMAT' // wrong format version, missing serial or lineage
  | 'STATE_LINEAGE'
  | 'STATE_SERIAL'
  | 'STATE_SAME_SERIAL' // same serial, other bytes
  | 'STATE_DIGEST' // Content-MD5 does not match
  | 'STATE_TRUNCATED'
  | 'ARCHIVE_INVALID' // no gzip tar, or one that climbs out of its folder
  | 'STATE_WOULD_DECRYPT' // plain state over an encrypted one
  | 'STATE_HAS_RESOURCES' // delete refused
  | 'STATE_MISSING' // it was emptied or deleted around OpenTaco, and nobody has decided yet
  | 'STATE_ENCRYPTED' // content cannot be read by the server
  | 'TOO_LARGE'
  | 'RATE_LIMITED'
  | 'BUCKET_UNAVAILABLE' // the bucket does not answer; retry later
  | 'BUCKET_REFUSED' // the bucket answers: no permission
  | 'BUCKET_UNFIT' // the bucket lacks a needed ability
  | 'BUCKET_CORRUPT' // a document or version fails its check
  | 'BUCKET_NEWER' // written by a newer version of OpenTaco
  | 'PROVIDER_UNAVAILABLE' // the identity provider does not answer; retry later
  | 'PROVIDER_REFUSED' // the identity provider answers, but its settings or ours are wrong
  | 'SECRET_UNREADABLE' // a sealed secret cannot be opened: its key is missing (`facts.keyId`), or it was changed
  | 'UPSTREAM_FAILED' // another registry does not answer, or its answers contradict each other
  | 'CANCELLED'
  | 'UNEXPECTED'

export interface TacoErrorOptions {
  /** What to do next, for a person, in full sentences like the message. */
  readonly hint?: string
  /** Typed data for programs; never secrets. */
  readonly facts?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** The one error class. Compare `code`, never the message. Messages are full sentences: see CONTRIBUTING.md. */
export class TacoError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly facts: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: TacoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'TacoError'
    this.code = code
    this.hint = options.hint
    this.facts = options.facts ?? {}
  }
}

export function isTacoError(error: unknown, ...codes: readonly ErrorCode[]): error is TacoError {
  return error instanceof TacoError && (codes.length === 0 || codes.includes(error.code))
}

export function badRequest(field: string, message: string, hint?: string): TacoError {
  return new TacoError('BAD_REQUEST', message, { facts: { field }, ...(hint === undefined ? {} : { hint }) })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The message without its full stop, to end another sentence: `Cannot read x: ${reasonOf(error)}.` */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '')
}
