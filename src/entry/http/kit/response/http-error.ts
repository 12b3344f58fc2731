import { type ErrorCode, TacoError, type TacoErrorOptions } from '../../../../base/errors.ts'

export interface RenderedError {
  readonly status: number
  /** With the content type. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An HTTP status without an error code. */
export class HttpError extends TacoError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    options: TacoErrorOptions & { readonly headers?: Readonly<Record<string, string>> },
  ) {
    super(code, message, options)
    this.status = status
    this.headers = options.headers ?? {}
  }
}

/** A known address, and a method that it does not take. */
export function wrongMethod(allowed: Iterable<string>): HttpError {
  return new HttpError(405, 'BAD_REQUEST', 'this address does not take that method', {
    facts: { field: 'method' },
    hint: 'The Allow header lists the supported methods.',
    headers: { allow: [...allowed].join(', ') },
  })
}
