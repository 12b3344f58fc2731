import { createHash } from 'node:crypto'
import { badRequest } from '../../../../base/errors.ts'
import type { Caller } from '../../../../state/index.ts'

/** For requests that cannot be repeated safely by nature; see docs/api.md. */
export function keyedRequest(
  key: string | undefined,
  by: string,
  says: readonly string[],
): Caller['request'] | undefined {
  if (key === undefined) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw badRequest(
      'Idempotency-Key',
      'The Idempotency-Key is empty, too long, or contains spaces or characters outside ASCII.',
      'Use a new random text for each request, such as a UUID.',
    )
  }
  return { key: hashOf([by, key]), digest: hashOf(says) }
}

export function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`)
  return hash.digest('base64url').slice(0, 24)
}
