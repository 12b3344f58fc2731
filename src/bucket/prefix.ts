import { badRequest } from '../base/errors.ts'
import { keyFault, MAX_KEY_BYTES } from './keys.ts'

export interface Prefixed {
  /** Empty, or ending in a slash. */
  readonly prefix: string
  whole(key: string): string
  /** Undefined for a name outside the prefix. */
  short(name: string): string | undefined
}

/** Lets one store hold several buckets, each in its own folder. */
export function prefixed(text: string): Prefixed {
  const folder = text.replace(/^\/+|\/+$/g, '')
  const fault = folder === '' ? undefined : keyFault(folder)
  if (fault !== undefined)
    throw badRequest(
      'bucket',
      `The prefix ${JSON.stringify(text)} cannot be used: ${fault}.`,
      'Use a plain path, such as s3://bucket/states.',
    )
  const prefix = folder === '' ? '' : `${folder}/`
  return {
    prefix,
    whole(key) {
      const name = prefix + key
      if (prefix !== '' && Buffer.byteLength(name) > MAX_KEY_BYTES) {
        throw badRequest(
          'key',
          `The key ${JSON.stringify(key)} cannot be used: with the prefix of the bucket it is longer than ${MAX_KEY_BYTES} bytes.`,
          'Use a shorter key, or a bucket with a shorter prefix.',
        )
      }
      return name
    },
    short: (name) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined),
  }
}
