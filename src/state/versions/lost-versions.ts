import { isInHistory } from '../history/history.ts'
import type { LostVersions, UnitDocument } from '../documents/model.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Parts, Target } from '../protocol/context.ts'
import { loadUnit } from '../protocol/context.ts'
import type { Caller } from '../state-control.ts'

/** Versions that are missing from the bucket for good, according to the unit's document. */

export function isLost({ lost = [] }: UnitDocument, seq: number): boolean {
  return lost.some(({ from, to }) => from <= seq && seq <= to)
}

/** From now on exactly these are known to be lost: one that was put back from a backup is no longer. */
export async function recordLost(
  parts: Parts,
  target: Target,
  seqs: readonly number[],
  caller: Caller,
): Promise<void> {
  const { clock } = parts.deps
  await untilDone(clock, 'recording lost versions', async () => {
    const unit = await loadUnit(parts, target)
    const doc = unit.value
    const lost = rangesOf(
      seqs.filter((seq) => isInHistory(doc, seq)),
      doc.lost ?? [],
      clock.now(),
    )
    if (JSON.stringify(lost) === JSON.stringify(doc.lost ?? [])) return undefined
    const event = { type: 'unit.changed' as const, caller, data: { lost } }
    const swapped = await parts.store.swap(unit, { lost: lost.length === 0 ? undefined : lost }, [event])
    return swapped === undefined ? again : undefined
  })
}

function rangesOf(seqs: readonly number[], known: readonly LostVersions[], now: number): LostVersions[] {
  const ranges: LostVersions[] = []
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const at = known.find(({ from, to }) => from <= seq && seq <= to)?.at ?? now
    const last = ranges.at(-1)
    if (last?.to === seq - 1 && last.at === at) last.to = seq
    else ranges.push({ from: seq, to: seq, at })
  }
  return ranges
}
