import type { IncomingMessage } from 'node:http'
import { TacoError } from '../../../base/errors.ts'
import type { ErrorCode } from '../../../base/errors.ts'
import { isErrorCode } from '../terminal/exit-codes.ts'
import { isForTls, needsTls } from './connection-error.ts'

const maxProblemBytes = 1_000_000

/** What a status means when the body does not say: a proxy in between answers without knowing our codes. */
const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'GONE',
  412: 'PRECONDITION_FAILED',
  413: 'TOO_LARGE',
  423: 'LOCKED',
  429: 'RATE_LIMITED',
  502: 'BUCKET_UNAVAILABLE',
  503: 'BUCKET_UNAVAILABLE',
  504: 'BUCKET_UNAVAILABLE',
}

const hintOfCode: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHENTICATED: 'Run `taco login`, or set TACO_TOKEN or --token-file.',
  FORBIDDEN: 'Ask for permission, or use another token.',
  LOCKED: 'Wait until the lock is released, or see who holds it with `taco unit show`.',
  RATE_LIMITED: 'Wait a moment, then run the command again.',
  BUCKET_UNAVAILABLE: 'Run `taco doctor` to see what does not answer.',
}

export async function problemOf(reply: IncomingMessage, label: string): Promise<TacoError> {
  const status = reply.statusCode ?? 0
  const requestId = reply.headers['x-request-id']
  const text = await shortText(reply)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const facts = { status, ...(requestId === undefined ? {} : { requestId }) }
  if (isProblem(value)) return errorOfProblem(value, facts)
  if (isOAuthError(value)) return errorOfOAuth(value, codeOfStatus[status] ?? 'UNEXPECTED', facts)
  if (status === 400 && isForTls(text, label)) return needsTls(label)
  const code = codeOfStatus[status] ?? 'UNEXPECTED'
  const said = /html/.test(reply.headers['content-type'] ?? '') ? '' : text.trim().slice(0, 300)
  return new TacoError(code, `The server answered ${status}${said === '' ? '' : `: ${said}`}.`, {
    hint:
      hintOfCode[code] ??
      'Check that this is the address of an OpenTaco server. `taco doctor` tests the connection.',
    facts,
  })
}

interface Problem {
  readonly detail?: unknown
  readonly title?: unknown
  readonly code?: unknown
  readonly hint?: unknown
  readonly field?: unknown
  readonly status?: unknown
  readonly requestId?: unknown
  readonly holder?: unknown
  readonly errors?: unknown
  readonly moreErrors?: unknown
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && ('code' in value || 'title' in value)
}

export function errorOfProblem(problem: unknown, facts: Readonly<Record<string, unknown>> = {}): TacoError {
  if (!isProblem(problem))
    return new TacoError('UNEXPECTED', 'The server reported an error without an explanation.', { facts })
  const code = isErrorCode(problem.code)
    ? problem.code
    : (codeOfStatus[Number(problem.status ?? facts['status'])] ?? 'UNEXPECTED')
  // The server's hint is for those who write requests.
  const own = hintOfCode[code]
  const hint = code === 'UNAUTHENTICATED' ? own : (text(problem.hint) ?? own)
  return new TacoError(code, text(problem.detail) ?? text(problem.title) ?? `The server reported ${code}.`, {
    ...(hint === undefined ? {} : { hint }),
    facts: {
      ...facts,
      ...(problem.field === undefined ? {} : { field: problem.field }),
      ...(problem.holder === undefined ? {} : { holder: problem.holder }),
      ...(problem.errors === undefined ? {} : { errors: problem.errors }),
      ...(problem.moreErrors === undefined ? {} : { moreErrors: problem.moreErrors }),
      ...(typeof problem.requestId === 'string' ? { requestId: problem.requestId } : {}),
    },
  })
}

/** RFC 6749 section 5.2. */
interface OAuthError {
  readonly error: string
  readonly error_description?: unknown
}

function isOAuthError(value: unknown): value is OAuthError {
  return typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string'
}

function errorOfOAuth(
  { error, error_description: said }: OAuthError,
  code: ErrorCode,
  facts: Readonly<Record<string, unknown>>,
): TacoError {
  return new TacoError(code, text(said) ?? `The server answered ${error}.`, {
    facts: { ...facts, oauth: error },
    hint: hintOfCode[code] ?? 'Run `taco login` again.',
  })
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

async function shortText(reply: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of reply as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxProblemBytes) break
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
