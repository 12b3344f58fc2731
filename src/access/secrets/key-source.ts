import { type KeyRing, createKeyRing } from './key-ring.ts'
import { parseKeys } from './keys.ts'

/**
 * Where the keys come from: one folder per adapter below `adapters`, and one test for all of them
 * (`test/contract/key-source.ts`). A source is read once, when a server starts.
 */
export interface KeySource {
  /** For messages: `TACO_SECRET_KEY`, `the file /etc/taco/keys`. */
  readonly label: string
  /** The text that `parseKeys` reads. A failure says what to do, and contains no part of a key. */
  read(): Promise<string>
}

export async function keyRingFrom(source: KeySource): Promise<KeyRing> {
  return createKeyRing(parseKeys(await source.read(), source.label))
}
