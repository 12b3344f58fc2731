import { TacoError } from '../../base/errors.ts'
import type { Bucket, Entry, Fields } from '../../bucket/index.ts'
import { readableEntry } from '../history/history-entry.ts'
import type { VersionKeyParts } from '../documents/layout.ts'
import { parseVersionObject, versionsPrefix } from '../documents/layout.ts'
import type { Claim, UnitDocument } from '../documents/model.ts'
import type { Parts } from '../protocol/context.ts'
import { hashOf } from '../protocol/resolve.ts'
import type { UnitStore } from '../documents/unit-store.ts'

/** Units whose document is gone from the bucket, while their versions are there. */

async function hasVersions(bucket: Bucket, org: string, id: string): Promise<boolean> {
  for await (const page of bucket.list(versionsPrefix(org, id), { pageSize: 1 }))
    if (page.length > 0) return true
  return false
}

/** A claim whose unit has versions and no document: that unit was there, so nothing may begin in its place. */
export async function refuseLost(
  bucket: Bucket,
  store: Pick<UnitStore, 'load'>,
  claim: Pick<Claim, 'org' | 'id' | 'name'>,
): Promise<void> {
  if (!(await hasVersions(bucket, claim.org, claim.id))) return
  if ((await store.load(claim.org, claim.id)) === undefined) throw documentLost(claim)
}

function documentLost(claim: Pick<Claim, 'org' | 'id' | 'name'>): TacoError {
  return new TacoError(
    'BUCKET_CORRUPT',
    `The document of the unit ${claim.name} (${claim.id}) is missing from the bucket, but its versions exist.`,
    {
      facts: { unit: claim.name, id: claim.id },
      hint: 'Restore it from a backup of the bucket, or run `taco doctor --deep --repair` to rebuild it.',
    },
  )
}

/**
 * Rebuilds the document from claims and versions. What only the document knew is lost: labels, settings, locks. A look
 * at the state shows afterwards whether the newest version is the current state.
 */
export async function rebuiltDocument<D extends Fields<UnitDocument>>(
  parts: Parts,
  blank: D,
): Promise<D | undefined> {
  const { bucket, clock } = parts.deps
  const found = await bucket.get(blank.key)
  const current = found === undefined ? undefined : await hashOf(found)
  const stored: (VersionKeyParts & { readonly entry: Entry })[] = []
  for await (const page of bucket.list(versionsPrefix(blank.org, blank.id)))
    for (const entry of page) {
      const named = parseVersionObject(entry.key)
      if (named !== undefined) stored.push({ ...named, entry })
    }
  const numbers = [...new Set(stored.map(({ seq }) => seq))].sort((a, b) => b - a)
  // Numbers continue from the highest, readable or not: gc takes anything above for uncommitted attempts.
  const top = numbers[0] ?? 0
  for (const seq of numbers) {
    const attempts = stored.filter((one) => one.seq === seq)
    const read = await Promise.all(attempts.map(({ entry }) => readableEntry(bucket, blank, entry)))
    const readable = read.filter((entry) => entry !== undefined)
    const newest = readable.find(({ facts }) => facts.hash === current) ?? readable[0]
    if (newest === undefined) continue
    const { facts, object, commit, outputs, receipt } = newest
    const isCurrent = current === undefined ? undefined : facts.hash === current
    const tail =
      seq === top
        ? { id: facts.id, superseded: isCurrent === false }
        : { id: stored.find((one) => one.seq === top)?.id ?? '', superseded: isCurrent === true }
    return {
      ...blank,
      changedAt: clock.now(),
      seq: top,
      // Missing versions show as a gap; those below it are still history.
      historyFrom: numbers.at(-1) ?? 1,
      head: {
        version: facts,
        object,
        tag: null,
        commit,
        outputs: outputs === null ? null : [...outputs],
        chain: {},
      },
      receipt,
      tail,
    }
  }
  return undefined
}
