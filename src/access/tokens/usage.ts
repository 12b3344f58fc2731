import { LRUCache } from 'lru-cache'
import { type Clock, isRecent } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { type TokenStore, hashOf } from './validated-tokens.ts'
import type { TokenDocument } from './document.ts'

const NOTE_EVERY_MS = 3_600_000
/** After one that failed, or whose result has not been read yet. */
const AGAIN_MS = 60_000

export interface TokenUsage {
  /**
   * Writes down that a token is in use, and brings its hash to the current key, if its text is known. No request waits
   * for it.
   */
  note(token: TokenDocument, text?: string): void
  /** Resolves when nothing is being written. */
  settled(): Promise<void>
}

export function createTokenUsage(deps: {
  readonly documents: Pick<TokenStore, 'change'>
  readonly clock: Clock
  readonly ring: Pick<KeyRing, 'mac' | 'currentKeyId'>
  readonly log: Log
}): TokenUsage {
  const { documents, clock, ring, log } = deps
  const tried = new LRUCache<string, number>({ max: 10_000 })
  const underWay = new Set<Promise<void>>()

  const isNoted = ({ lastUsedAt, hash }: TokenDocument, text: string | undefined) =>
    lastUsedAt !== undefined &&
    isRecent(clock, lastUsedAt, NOTE_EVERY_MS) &&
    (text === undefined || hash.keyId === ring.currentKeyId)

  async function write({ id }: TokenDocument, text: string | undefined): Promise<void> {
    try {
      await documents.change(id, (token) => {
        if (token.revoked !== undefined || isNoted(token, text)) return { value: token, answer: undefined }
        const hash = text === undefined ? token.hash : hashOf(ring, text)
        return { value: { ...token, lastUsedAt: clock.now(), hash }, answer: undefined }
      })
    } catch (error) {
      log.debug('the use of a token was not written down', { id, error })
    }
  }

  return {
    note(token, text) {
      if (isNoted(token, text)) return
      const triedAt = tried.get(token.id)
      if (triedAt !== undefined && isRecent(clock, triedAt, AGAIN_MS)) return
      tried.set(token.id, clock.now())
      const writing = write(token, text).finally(() => underWay.delete(writing))
      underWay.add(writing)
    },
    async settled() {
      await Promise.all(underWay)
    },
  }
}
