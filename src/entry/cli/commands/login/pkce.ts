import { createHash, randomBytes } from 'node:crypto'

/** RFC 7636. */
export function newPkce(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomText()
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export function randomText(): string {
  return randomBytes(32).toString('base64url')
}
