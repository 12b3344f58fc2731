import { TacoError } from '../../base/errors.ts'

export function corrupt(what: string, cause?: unknown): TacoError {
  return new TacoError('BUCKET_CORRUPT', `A stored state version is damaged: ${what}.`, {
    hint: 'Run `taco doctor --deep` to see which versions are affected. Restore the object from a backup of the bucket.',
    ...(cause === undefined ? {} : { cause }),
  })
}
