import { z } from 'zod'
import { authorOf } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import {
  type DocumentKind,
  createDocumentStore,
  documentFields,
  openObject,
  takeIn,
} from '../../bucket/index.ts'
import { uploadKey, uploadPartKey, uploadPrefix, uploadsPrefix } from '../documents/layout.ts'
import type { StateDeps } from '../settings.ts'
import type { UploadRef, Uploads } from '../state-control.ts'
import type { OrgStore } from '../units/orgs.ts'
import { stateTooLarge } from './intake.ts'

/** An upload that is older than this is given up. */
const KEPT_MS = 24 * 3_600_000

export const UploadDocument = openObject({
  ...documentFields(1),
  org: z.string(),
  id: z.string(),
  /** Of the state, relative to the folder of the organization. */
  key: z.string(),
  by: z.string(),
  who: z.string().optional(),
  at: z.number(),
  /** What it became. A repeated request to finish it gets the answer of the first. */
  done: openObject({ version: z.string(), tag: z.string() }).optional(),
})
type UploadDocument = z.infer<typeof UploadDocument>
type Place = Pick<UploadRef, 'org' | 'id'>

const uploadKind: DocumentKind<UploadDocument, Place> = {
  name: 'upload',
  format: { schema: UploadDocument, major: 1, minor: 0 },
  keyOf: ({ org, id }) => uploadKey(org, id),
  refOf: ({ org, id }) => ({ org, id }),
  missing: ({ id }) => noSuchUpload(id),
}

/**
 * The parts are objects in the bucket, so each may come to another server. Their names have the hash of their bytes: a
 * part that is sent again is the same object, and one that is replaced does not disturb who reads the first.
 */
export function createUploads(deps: StateDeps, orgs: Pick<OrgStore, 'require'>): Uploads {
  const { bucket, clock, ids, spool } = deps
  const documents = createDocumentStore(deps, uploadKind)

  async function find(ref: UploadRef): Promise<UploadDocument> {
    if (!/^up-[0-9A-Za-z]{16}$/.test(ref.id)) throw noSuchUpload(ref.id)
    const { value } = await documents.get(ref)
    if (value.key !== ref.key || clock.now() - value.at > KEPT_MS) throw noSuchUpload(ref.id)
    return value
  }

  /** The document goes last: what a crash leaves is found by it. */
  async function removeParts({ org, id }: Place): Promise<void> {
    for await (const page of bucket.list(uploadPrefix(org, id)))
      for (const { key, tag } of page) if (key !== uploadKey(org, id)) await bucket.delete(key, tag)
  }

  return {
    async begin({ org, key }, caller) {
      await orgs.require(org)
      const id = ids.id('up')
      const made = await documents.create({ org, id }, { org, id, key, ...authorOf(caller), at: clock.now() })
      if (made === undefined)
        throw new TacoError('CONFLICT', 'The id of the upload is already in use.', { hint: 'Try again.' })
      return id
    },

    async putPart(ref, number, stream, options) {
      await find(ref)
      const taken = await takeIn(stream, spool, { ...options, tooLarge: stateTooLarge }, () => undefined)
      try {
        const { org, id } = ref
        // It may be there already, which is as good.
        await bucket.put(uploadPartKey(org, id, number, taken.hash), taken.body, 'absent')
        return taken.hash
      } finally {
        await taken.dispose()
      }
    },

    async find(ref) {
      return (await find(ref)).done
    },

    async *read({ org, id }, parts) {
      for (const { number, hash } of parts) {
        const found = await bucket.get(uploadPartKey(org, id, number, hash))
        if (found === undefined)
          throw new TacoError('BAD_REQUEST', `Part ${number} of the upload is missing.`, {
            facts: { field: 'part', number },
          })
        yield* found.stream()
      }
    },

    async finish(ref, done) {
      await documents.change(ref, (value) => ({ value: { ...value, done }, answer: undefined }))
      await removeParts(ref)
    },

    async abort(ref) {
      await find(ref)
      await removeParts(ref)
      await documents.remove(ref)
    },

    async removeOld(org) {
      const old = new Set<string>()
      for await (const page of bucket.list(uploadsPrefix(org)))
        for (const { key, modifiedAt } of page) {
          const [id = ''] = key.slice(uploadsPrefix(org).length).split('/')
          if (clock.now() - modifiedAt > KEPT_MS) old.add(id)
        }
      for (const id of old) {
        await removeParts({ org, id })
        await documents.remove({ org, id })
      }
    },
  }
}

function noSuchUpload(id: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no upload ${id}.`, {
    facts: { field: 'uploadId', s3: 'NoSuchUpload' },
    hint: 'It was finished or aborted, or it is more than a day old. Begin a new one.',
  })
}
