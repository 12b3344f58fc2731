import { TacoError } from '../../../../base/errors.ts'

/** The words of a bucket's failure name the bucket, and anybody may be asking. The log has them. */
export function forStranger(error: unknown): unknown {
  if (!(error instanceof TacoError)) return error
  return new TacoError(error.code, 'The bucket is unavailable.', {
    hint: "The server's log says more. So does /readyz with the root token.",
    cause: error,
  })
}
