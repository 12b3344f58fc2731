import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { bodyOf, readDocument } from '../../bucket/index.ts'
import { readOutputValues } from '../content/output-values.ts'
import type { HistoryEntry } from '../history/history-entry.ts'
import { outputsKey } from '../documents/layout.ts'
import type { UnitDocument } from '../documents/model.ts'
import type { Parts } from '../protocol/context.ts'
import { OutputView } from '../views/views.ts'

/**
 * Values of the outputs that are not sensitive, beside the state: a consumer needs the right to read outputs, not the
 * state. Derived: if it is missing, the next reader rebuilds it from the version.
 */
const OutputsObject = z.object({
  v: z.literal(1),
  version: z.string(),
  commit: z.number().int(),
  outputs: z.array(OutputView),
})
const outputsFormat = { schema: OutputsObject, major: 1, minor: 0 }

/** Larger values stay in the state alone. */
const MOST_VALUE_BYTES = 1024 * 1024
/** All of them together: they are read and written as one document. */
const MOST_PLAIN_BYTES = 4 * 1024 * 1024

/** Outputs of a version with the values that are not sensitive; null: encrypted. */
export async function outputsOfVersion(
  parts: Parts,
  doc: UnitDocument,
  entry: Pick<HistoryEntry, 'object' | 'facts' | 'commit' | 'outputs'>,
  cache: OutputsCache,
): Promise<readonly OutputView[] | null> {
  if (entry.outputs === null) return null
  const key = outputsKey(doc.org, doc.id, entry.commit, entry.facts.id)
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const outputs = await storedOutputs(parts, doc, entry, key)
  cache.set(key, outputs)
  return outputs
}

/** An object of outputs never changes: it is about one version. */
export type OutputsCache = LRUCache<string, readonly OutputView[]>

export function createOutputsCache(): OutputsCache {
  return new LRUCache({
    maxSize: 16_000_000,
    sizeCalculation: (outputs) =>
      outputs.reduce((sum, { name, json = '' }) => sum + 200 + 2 * (name.length + json.length), 200),
  })
}

async function storedOutputs(
  parts: Parts,
  doc: UnitDocument,
  entry: Pick<HistoryEntry, 'object' | 'facts' | 'commit' | 'outputs'>,
  key: string,
): Promise<readonly OutputView[]> {
  const present = await readDocument(parts.deps.bucket, key, outputsFormat)
  if (present !== undefined) return present.value.outputs
  const outputs = await readFromState(parts, doc, entry, 'plain')
  const object = { v: 1, version: entry.facts.id, commit: entry.commit, outputs }
  await parts.deps.bucket.put(key, bodyOf(JSON.stringify(object)), 'absent', {
    contentType: 'application/json',
  })
  return outputs
}

/** Out of the state itself: with `all`, sensitive values too. */
export async function readFromState(
  parts: Parts,
  doc: UnitDocument,
  entry: Pick<HistoryEntry, 'object' | 'facts' | 'outputs'>,
  which: 'plain' | 'all',
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly OutputView[]> {
  const stored = await parts.versions.read(doc, { object: entry.object, version: entry.facts })
  try {
    const { outputValue } = parts.deps.work
    const values = await readOutputValues(stored.body.stream(), isWanted, outputValue)
    let left = which === 'all' ? Infinity : MOST_PLAIN_BYTES
    return (entry.outputs ?? [])
      .filter(({ name }) => isWanted(name))
      .map((output) => {
        const value = values.get(output.name)
        const size = value?.json.length ?? 0
        const isServed =
          value !== undefined &&
          (which === 'all' || (!output.sensitive && size <= Math.min(left, MOST_VALUE_BYTES)))
        if (isServed) left -= size
        return { ...output, type: value?.type ?? '"dynamic"', ...(isServed ? { json: value.json } : {}) }
      })
  } finally {
    await stored.dispose()
  }
}
