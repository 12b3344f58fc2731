import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { TacoError } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import {
  type Bucket,
  type DocumentKind,
  createDocumentStore,
  documentFields,
  layerPrefix,
  openObject,
} from '../bucket/index.ts'
import { type Caller, authorOf } from './caller.ts'
import { type RunPrincipal, isMember, readAuthor } from './principal.ts'
import { RunReader, readerOf } from './run-reader.ts'
import { MAX_TTL_MS, type RunScope, readRunToken, runTokenText } from './run-scope.ts'

export interface IssuedRunToken {
  readonly id: string
  /** Shown this once; the bucket holds a hash of its secret. */
  readonly token: string
  readonly expiresAt: number
}

export interface RunTokenRef {
  readonly org: string
  readonly id: string
}

/**
 * Short-lived tokens for one unit. Each is a document in the bucket, so every server over the bucket accepts it, and
 * none does once it has been revoked. Revoking deletes the document: ids are random and never used again, so neither a
 * late delete nor a late renewal can bring one back.
 */
export interface RunTokens {
  issue(scope: RunScope, options: { readonly ttlMs: number }, caller: Caller): Promise<IssuedRunToken>
  /** Also after it has expired: a laptop that slept goes on where it was. NOT_FOUND once it has been revoked. */
  renew(
    ref: RunTokenRef,
    options: { readonly ttlMs: number },
    caller: Caller,
  ): Promise<{ readonly expiresAt: number }>
  /** Revoking what has been revoked changes nothing. */
  revoke(ref: RunTokenRef, caller: Caller): Promise<void>
  /** The text form of the principal that it was issued to. Undefined: there is no such token. */
  authorOf(ref: RunTokenRef, caller: Caller): Promise<string | undefined>
  /** Asks the bucket every time: a revoked token ends at once, on every server. */
  check(token: string): Promise<RunPrincipal | 'expired' | 'unknown'>
  /** Deletes the records of runs that were killed before they could revoke their token. */
  removeExpired(org: string, caller: Caller): Promise<number>
}

export const RunTokenDocument = openObject({
  ...documentFields(1),
  org: z.string(),
  unit: openObject({ id: z.string().nullable(), name: z.string() }),
  /** SHA-256 of the secret, which has 256 random bits: there is nothing to guess from it. */
  secretHash: z.string(),
  by: z.string(),
  who: z.string().optional(),
  /** Undefined: the caller may read everything. */
  reader: RunReader.optional(),
  issuedAt: z.number(),
  expiresAt: z.number(),
})
type RunTokenDocument = z.infer<typeof RunTokenDocument>

const prefixOf = (org: string) => layerPrefix(org, 'run-tokens')

const runTokenKind: DocumentKind<RunTokenDocument, RunTokenRef> = {
  name: 'run token',
  format: { schema: RunTokenDocument, major: 1, minor: 0 },
  keyOf: ({ org, id }) => `${prefixOf(org)}${id}.json`,
  missing: ({ id }) => noSuchToken(id),
}

export function createRunTokens(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
}): RunTokens {
  const { bucket, clock, ids } = deps
  const documents = createDocumentStore(deps, runTokenKind)

  return {
    async issue({ org, unit }, { ttlMs }, caller) {
      const secret = randomBytes(32).toString('base64url')
      const id = ids.id('rt').slice('rt-'.length)
      const now = clock.now()
      const expiresAt = now + ttlMs
      const secretHash = hashOf(secret)
      const { principal } = caller
      const fields = {
        org,
        unit: { ...unit },
        secretHash,
        ...authorOf(caller),
        ...(isMember(principal) ? { reader: RunReader.parse(principal) } : {}),
        issuedAt: now,
        expiresAt,
      }
      if ((await documents.create({ org, id }, fields)) === undefined)
        throw new TacoError('CONFLICT', 'The id of the run token is already in use.', { hint: 'Try again.' })
      return { id, token: runTokenText(org, id, secret), expiresAt }
    },

    async renew(ref, { ttlMs }) {
      if (!isId(ref.id)) throw noSuchToken(ref.id)
      const { answer } = await documents.change(ref, (token) => {
        const expiresAt = Math.max(token.expiresAt, clock.now() + ttlMs)
        return { value: { ...token, expiresAt }, answer: { expiresAt } }
      })
      return answer
    },

    async revoke(ref) {
      if (isId(ref.id)) await documents.remove(ref)
    },

    async authorOf(ref) {
      return isId(ref.id) ? (await documents.find(ref))?.value.by : undefined
    },

    async check(token) {
      const parts = readRunToken(token)
      if (parts === undefined) return 'unknown'
      const loaded = await documents.find(parts)
      if (loaded === undefined) return 'unknown'
      const { org, unit, secretHash, by, who, reader, expiresAt } = loaded.value
      if (org !== parts.org || !isEqual(secretHash, hashOf(parts.secret))) return 'unknown'
      if (clock.now() >= expiresAt) return 'expired'
      return {
        kind: 'run',
        id: parts.id,
        scope: { org, unit },
        issuedTo: readAuthor({ by, who }),
        reader: readerOf(reader),
      }
    },

    async removeExpired(org) {
      // A record was written when its token was issued or renewed, and never for longer than this.
      const before = clock.now() - 2 * MAX_TTL_MS
      let removed = 0
      for await (const page of bucket.list(prefixOf(org))) {
        for (const { key, tag, modifiedAt } of page)
          if (modifiedAt < before && (await bucket.delete(key, tag)) === 'deleted') removed++
      }
      return removed
    },
  }
}

function noSuchToken(id: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no run token ${id}.`, {
    facts: { field: 'id', id },
    hint: 'It was revoked or has expired. Issue a new one.',
  })
}

function isId(text: string): boolean {
  return /^[0-9A-Za-z]{16}$/.test(text)
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
