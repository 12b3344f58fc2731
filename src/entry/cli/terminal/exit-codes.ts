import { TacoError } from '../../../base/errors.ts'
import type { ErrorCode } from '../../../base/errors.ts'
import type { Signal } from '../world.ts'

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  notAllowed: 5,
  unavailable: 6,
  found: 7,
  interrupted: 130,
} as const

/** The one table from codes to exit codes; `taco --help` prints the meaning of each. */
const exitCodes: Readonly<Record<ErrorCode, number>> = {
  BAD_REQUEST: EXIT.usage,
  UNAUTHENTICATED: EXIT.notAllowed,
  FORBIDDEN: EXIT.notAllowed,
  NOT_FOUND: EXIT.notFound,
  GONE: EXIT.notFound,
  ALREADY_EXISTS: EXIT.conflict,
  NAME_GIVEN_UP: EXIT.conflict,
  ORG_DELETED: EXIT.conflict,
  LIMIT_REACHED: EXIT.conflict,
  CONFLICT: EXIT.conflict,
  PRECONDITION_FAILED: EXIT.conflict,
  LOCKED: EXIT.conflict,
  LOCK_MISMATCH: EXIT.conflict,
  NOT_LOCKED: EXIT.conflict,
  STATE_NOT_JSON: EXIT.failed,
  STATE_FORMAT: EXIT.failed,
  STATE_LINEAGE: EXIT.conflict,
  STATE_SERIAL: EXIT.conflict,
  STATE_SAME_SERIAL: EXIT.conflict,
  STATE_DIGEST: EXIT.failed,
  STATE_TRUNCATED: EXIT.failed,
  ARCHIVE_INVALID: EXIT.failed,
  STATE_WOULD_DECRYPT: EXIT.conflict,
  STATE_HAS_RESOURCES: EXIT.conflict,
  STATE_MISSING: EXIT.conflict,
  STATE_ENCRYPTED: EXIT.failed,
  TOO_LARGE: EXIT.failed,
  RATE_LIMITED: EXIT.unavailable,
  BUCKET_UNAVAILABLE: EXIT.unavailable,
  BUCKET_REFUSED: EXIT.unavailable,
  BUCKET_UNFIT: EXIT.unavailable,
  BUCKET_CORRUPT: EXIT.failed,
  BUCKET_NEWER: EXIT.failed,
  PROVIDER_UNAVAILABLE: EXIT.unavailable,
  PROVIDER_REFUSED: EXIT.unavailable,
  UPSTREAM_FAILED: EXIT.unavailable,
  SECRET_UNREADABLE: EXIT.failed,
  CANCELLED: EXIT.interrupted,
  UNEXPECTED: EXIT.failed,
}

export const exitCodeHelp = `Exit codes:
  0    done
  1    failed
  2    the command line or its input is wrong
  3    not found
  4    conflict: locked, changed meanwhile, or refused by a check that --force may skip
  5    not authenticated, or not allowed
  6    the server or the bucket is unreachable or unusable
  7    \`doctor\` or \`audit verify\` found an error; with --exit-code, \`state diff\` and \`outputs diff\` a difference, \`status\` a stale unit, \`access explain\` a denial
  130  interrupted (143: ended by SIGTERM)
  \`taco exec\` exits with the code of the command it ran.`

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(exitCodes, text)
}

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof TacoError)) return EXIT.failed
  const own = error.facts['exitCode']
  return typeof own === 'number' ? own : exitCodes[error.code]
}

/** The server, or the bucket behind it, does not answer or cannot work: later it may. */
export function isAway(error: unknown): boolean {
  return exitCodeOf(error) === EXIT.unavailable
}

export function usageError(message: string, hint: string): TacoError {
  return new TacoError('BAD_REQUEST', message, { hint })
}

/** No answer came at all: the fault is on the way to the server, not in it. */
export function unreachable(message: string, hint: string, cause: unknown): TacoError {
  return new TacoError('UNEXPECTED', message, { hint, cause, facts: { exitCode: EXIT.unavailable } })
}

export function interrupted(signal: Signal): TacoError {
  return new TacoError('CANCELLED', 'Interrupted.', {
    hint: 'Run the same command again to start over.',
    facts: { exitCode: exitCodeOfSignal(signal) },
  })
}

/** As shells count: 128 and the number of the signal. */
export function exitCodeOfSignal(signal: Signal): number {
  return 128 + { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }[signal]
}
