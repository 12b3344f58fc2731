import { z } from 'zod'
import { TacoError } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import { type Bucket, type Found, type Taken, layerPrefix, openObject } from '../bucket/index.ts'

/** What a record says about its bytes. */
export const Content = openObject({ object: z.string(), size: z.number(), sha256: z.string() })
export type Content = z.infer<typeof Content>

/**
 * Bytes of records, such as uploads. Each upload is an object of its own under a random name, which the record refers
 * to: it counts from the moment the record is written. So removing an earlier one never removes what another server has
 * just stored.
 */
export interface Contents {
  put(org: string, of: string, taken: Pick<Taken, 'body' | 'hash'>): Promise<Content>
  open(org: string, of: string, content: Content): Promise<Found>
  /** For bytes that no record refers to any more. */
  remove(org: string, of: string, content: Content | undefined): Promise<void>
}

/** `layer` names the folder of the organization that they are in. */
export function createContents(
  { bucket, ids }: { readonly bucket: Bucket; readonly ids: Ids },
  layer: string,
): Contents {
  const keyOf = (org: string, of: string, object: string) => `${layerPrefix(org, layer)}${of}/${object}`

  return {
    async put(org, of, { body, hash }) {
      const object = ids.id('content')
      // The name is new: a conflict is our own first try, which was answered too late.
      await bucket.put(keyOf(org, of, object), body, 'absent', { contentType: 'application/octet-stream' })
      return { object, size: body.size, sha256: hash }
    },
    async open(org, of, { object }) {
      const found = await bucket.get(keyOf(org, of, object))
      if (found !== undefined) return found
      throw new TacoError('BUCKET_CORRUPT', `The content of ${of} is missing in the bucket.`, {
        hint: 'Restore the object from a backup, or upload the content again.',
        facts: { key: keyOf(org, of, object) },
      })
    },
    async remove(org, of, content) {
      if (content === undefined) return
      const entry = await bucket.head(keyOf(org, of, content.object))
      if (entry !== undefined) await bucket.delete(entry.key, entry.tag)
    },
  }
}
