import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../base/clock.ts'
import type { Ids } from '../../base/ids.ts'
import {
  type Bucket,
  type DocumentKind,
  createDocumentStore,
  documentFields,
  openObject,
} from '../../bucket/index.ts'
import { accessPrefix } from '../layout.ts'
import type { SingleUse } from './provider.ts'

const UsedDocument = openObject({ ...documentFields(1), until: z.number() })
const prefix = `${accessPrefix}used/`

/** Ids come from outside, so their hash is the key. */
const usedKind: DocumentKind<z.infer<typeof UsedDocument>, string> = {
  name: 'record of what was used',
  format: { schema: UsedDocument, major: 1, minor: 0 },
  keyOf: (id) => `${prefix}${createHash('sha256').update(id).digest('hex')}.json`,
}

const SWEEP_EVERY_MS = 3_600_000

/** In the bucket, so that what one server accepted is refused by all. */
export function createSingleUse(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
}): SingleUse {
  const { bucket, clock } = deps
  const store = createDocumentStore(deps, usedKind)
  let sweptAt = 0

  async function sweep(): Promise<void> {
    const { loaded } = await store.readAll(await store.entries(prefix))
    for (const { key, tag, value } of loaded) if (value.until <= clock.now()) await bucket.delete(key, tag)
  }

  return {
    async claim(id, until) {
      const isFirst = (await store.create(id, { until })) !== undefined
      if (clock.now() - sweptAt >= SWEEP_EVERY_MS) {
        sweptAt = clock.now()
        // What stays is removed another time; it harms no one.
        await sweep().catch(() => {})
      }
      return isFirst
    },
  }
}
