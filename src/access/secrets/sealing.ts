import { TacoError } from '../../base/errors.ts'
import type { KeyRing } from './key-ring.ts'

/** Seals secrets that organizations store, and opens them again. */
export type Sealing = Pick<KeyRing, 'seal' | 'open' | 'isCurrent'>

/** A server without a key ring stores no secrets: it says how to get one. */
export function sealingWith(keys: KeyRing | undefined): Sealing {
  if (keys !== undefined) return keys
  const refuse = (): never => {
    throw new TacoError('FORBIDDEN', 'This server has no secret key, so it cannot store secrets.', {
      hint: 'Make a key with `taco secret-key new`, and start the server with TACO_SECRET_KEY.',
    })
  }
  return { seal: refuse, open: refuse, isCurrent: refuse }
}
