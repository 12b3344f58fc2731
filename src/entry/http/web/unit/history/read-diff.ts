import { StateDiff, type Caller, type UnitRef, type Versions } from '../../../../../state/index.ts'

/** A larger comparison is for the command line. */
const MOST_BYTES = 4_000_000

/** What differs between two versions. `too large`: it is not shown on a page. */
export type ReadDiff = StateDiff | 'too large'

export async function readDiff(
  versions: Versions,
  ref: UnitRef,
  ends: { readonly from: string; readonly to: string },
  caller: Caller,
): Promise<ReadDiff> {
  const text = await versions.diff(ref, ends.from, ends.to, caller)
  if (text.byteLength > MOST_BYTES) return 'too large'
  return StateDiff.parse(JSON.parse(Buffer.from(text).toString()))
}
