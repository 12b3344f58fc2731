import { TacoError } from '../../../../base/errors.ts'

/** The words of a bucket's failure name the bucket, and anybody may be asking. The log has them. */
export function forStranger(error: unknown): unknown {
  if (!(error instanceof TacoError)) return error
  return new TacoError(error.code, 'the bucket cannot be used at the moment', {
    hint: 'The log of the server says more, and so does /readyz to a request with the root token.',
    cause: error,
  })
}
