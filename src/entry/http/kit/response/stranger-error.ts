import { TacoError } from '../../../../base/errors.ts'

/** The words of a bucket's failure name the bucket, and anybody may be asking. The log has them. */
export function forStranger(error: unknown): unknown {
  if (!(error instanceof TacoError)) return error
  const isUnreadable = error.code === 'BUCKET_CORRUPT' || error.code === 'BUCKET_NEWER'
  const message = isUnreadable
    ? 'A record that decides who may do what cannot be read, so everything is denied.'
    : 'The bucket is unavailable.'
  return new TacoError(error.code, message, {
    hint: "The server's log says more. So does /readyz with the root token.",
    cause: error,
  })
}
