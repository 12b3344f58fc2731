import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { z } from 'zod'
import { messageOf } from '../base/errors.ts'
import type { Bucket, Tag } from '../bucket/index.ts'
import { bodyOf } from '../bucket/index.ts'
import type { CatalogEntry } from './catalog-entry.ts'
import type { StateDeps } from './deps.ts'
import { catalogKey } from './layout.ts'

/**
 * The catalog as one compressed object, for a cold start: one read instead of one per unit. A cache of a cache: every
 * entry is used only if the unit's document still has the tag it was made from. Losing it costs time, nothing else.
 */
const CatalogObject = z.object({
  v: z.literal(1),
  units: z.array(z.tuple([z.string(), z.string(), z.number(), z.string(), z.number(), z.string()])),
})

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

export async function loadCatalogObject(bucket: Bucket, org: string): Promise<readonly CatalogEntry[]> {
  const found = await bucket.get(catalogKey(org))
  if (found === undefined) return []
  const bytes = await found.bytes()
  try {
    const parsed = CatalogObject.parse(JSON.parse((await decompress(bytes)).toString('utf8')))
    return parsed.units.map(([id, name, rev, tag, deletedAt, text]) => ({
      id,
      name,
      rev,
      tag: tag as Tag,
      deletedAt,
      seenAt: 0,
      text,
    }))
  } catch {
    // Damaged, or of another version: it is made anew.
    return []
  }
}

export async function saveCatalogObject(
  { bucket, log }: StateDeps,
  org: string,
  entries: readonly CatalogEntry[],
): Promise<void> {
  try {
    const units = entries.map(({ id, name, rev, tag, deletedAt, text }) => [
      id,
      name,
      rev,
      tag,
      deletedAt,
      text,
    ])
    const packed = await compress(JSON.stringify({ v: 1, units }), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
    })
    const present = await bucket.head(catalogKey(org))
    await bucket.put(catalogKey(org), bodyOf(packed), present?.tag ?? 'absent')
  } catch (error) {
    log.warn('the catalog could not be saved', { org, error: messageOf(error) })
  }
}
