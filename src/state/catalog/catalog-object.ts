import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { Turns } from '../../base/turns.ts'
import type { Bucket, Tag } from '../../bucket/index.ts'
import { bodyOf } from '../../bucket/index.ts'
import { type CatalogEntry, textsOf } from './catalog-entry.ts'
import type { StateDeps } from '../settings.ts'
import { catalogKey } from '../documents/layout.ts'
import { packTexts, unpackText } from './packed-texts.ts'

/**
 * The catalog as one compressed object, for a cold start: one read instead of one per unit. A cache of a cache: every
 * entry is used only if the unit's document still has the tag it was made from. Losing it costs time, nothing else.
 */
const CatalogObject = z.object({
  v: z.literal(5),
  blocks: z.array(
    z.object({
      texts: z.base64(),
      // More than these: a newer server added to them.
      units: z.array(z.tuple([z.string(), z.string(), z.number(), z.string(), z.number()], z.unknown())),
    }),
  ),
})

/** The texts are already packed. A large window would find nothing, and unpacking it needs as much memory. */
const PACKING = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 16 }

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

export async function loadCatalogObject(bucket: Bucket, org: string): Promise<readonly CatalogEntry[]> {
  const found = await bucket.get(catalogKey(org))
  if (found === undefined) return []
  const bytes = await found.bytes()
  try {
    const { blocks } = CatalogObject.parse(JSON.parse((await decompress(bytes)).toString('utf8')))
    const entries: CatalogEntry[] = []
    const turns = new Turns()
    for (const { texts, units } of blocks) {
      const block = Buffer.from(texts, 'base64')
      // Now, where damage costs only time.
      unpackText({ block, at: units.length - 1 })
      for (const [at, [id, name, rev, tag, deletedAt, ...more]] of units.entries())
        entries.push({
          id,
          name,
          rev,
          tag: tag as Tag,
          deletedAt,
          seenAt: 0,
          text: { block, at },
          ...(more.length === 0 ? {} : { more }),
        })
      if (blocks.length > 1) await turns.pause()
    }
    return entries
  } catch {
    // Damaged, or of another format: it is rebuilt.
    return []
  }
}

export async function saveCatalogObject(
  { bucket, log }: StateDeps,
  org: string,
  entries: readonly CatalogEntry[],
): Promise<void> {
  try {
    // As they are now: they may change while they are packed.
    const blocks = await blocksOf([...entries])
    const packed = await compress(JSON.stringify({ v: 5, blocks }), { params: PACKING })
    const present = await bucket.head(catalogKey(org))
    await bucket.put(catalogKey(org), bodyOf(packed), present?.tag ?? 'absent')
  } catch (error) {
    log.warn('the catalog could not be saved', { org, error: messageOf(error) })
  }
}

async function blocksOf(entries: readonly CatalogEntry[]): Promise<z.infer<typeof CatalogObject>['blocks']> {
  const blocks = new Map<Buffer, [string, string, number, string, number, ...unknown[]][]>()
  for (const [i, { block }] of (await packTexts(textsOf(entries))).entries()) {
    const entry = entries[i]
    if (entry === undefined) continue
    const units = blocks.get(block) ?? []
    units.push([entry.id, entry.name, entry.rev, entry.tag, entry.deletedAt, ...(entry.more ?? [])])
    blocks.set(block, units)
  }
  return Array.from(blocks, ([block, units]) => ({ texts: block.toString('base64'), units }))
}
