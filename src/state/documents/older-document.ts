import { TacoError } from '../../base/errors.ts'
import type { Bucket } from '../../bucket/index.ts'
import { readDocument } from '../../bucket/index.ts'
import { padSeq, parseVersionObject, unitKey, versionsPrefix } from './layout.ts'
import { type UnitDocument, unitFormat } from './model.ts'

/**
 * An older copy of a unit's document was put back while newer versions exist. They were acknowledged, so their numbers
 * must not be used again, and they are not uncommitted attempts: an attempt has the number right above the document's,
 * because the next number is only tried once that one is committed. A document that is one version behind cannot be
 * distinguished from such an attempt; what it does not know is recorded as an outside write.
 */

/** The lowest version number above those that the document explains; undefined: there is none. */
async function unexplained(bucket: Bucket, { org, id, seq }: UnitDocument): Promise<number | undefined> {
  const prefix = versionsPrefix(org, id)
  for await (const page of bucket.list(prefix, { after: prefix + padSeq(seq + 2), pageSize: 1 }))
    for (const { key } of page) {
      const found = parseVersionObject(key)?.seq
      if (found !== undefined) return found
    }
  return undefined
}

/** True if there are versions that only a newer document can have committed. */
export async function isDocumentOlder(bucket: Bucket, doc: UnitDocument): Promise<boolean> {
  const found = await unexplained(bucket, doc)
  if (found === undefined) return false
  // Read after the listing: the document may just have gone on.
  const now = await readDocument(bucket, unitKey(doc.org, doc.id), unitFormat)
  return now !== undefined && found > now.value.seq + 1
}

export async function refuseOlderDocument(bucket: Bucket, doc: UnitDocument): Promise<void> {
  if (!(await isDocumentOlder(bucket, doc))) return
  throw new TacoError(
    'BUCKET_CORRUPT',
    `The document of ${doc.name} is older than its versions: it ends at version ${doc.seq}, but later versions exist.`,
    {
      facts: { unit: doc.name, id: doc.id, version: doc.seq },
      hint: 'Restore the newest document from a backup of the bucket, or run `taco doctor --deep --repair` to take in the later versions.',
    },
  )
}
