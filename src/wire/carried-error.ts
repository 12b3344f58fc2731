import { type ErrorCode, TacoError, messageOf } from '../base/errors.ts'

/** An error on its way between threads or processes. */
export interface CarriedError {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string | undefined
  readonly facts: Readonly<Record<string, unknown>>
}

export function carried(error: unknown): CarriedError {
  if (!(error instanceof TacoError))
    return { code: 'UNEXPECTED', message: messageOf(error), hint: undefined, facts: {} }
  const { code, message, hint, facts } = error
  return { code, message, hint, facts }
}

export function uncarried({ code, message, hint, facts }: CarriedError): TacoError {
  return new TacoError(code, message, { facts, ...(hint === undefined ? {} : { hint }) })
}
