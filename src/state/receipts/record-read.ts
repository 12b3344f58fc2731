import { among } from '../../base/text/among.ts'
import { TacoError } from '../../base/errors.ts'
import type { Locator } from '../units/locate.ts'
import type { PendingRead, Read } from '../documents/model.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Parts } from '../protocol/context.ts'
import { mergedReads } from './merge-reads.ts'
import { mayWrite } from './receipts.ts'
import type { NewRead, UnitRef } from '../state-control.ts'

/** The reader: an engine over the http backend, or a run that identifies itself. Neither: any program, for any use. */
export type Reader = Pick<PendingRead, 'engine' | 'run'>

/** More than this many reads between two writes are merged: of each unit the oldest counts anyway. */
const MOST_PENDING = 200
/** So are reads of units with very many outputs: all of it is kept in the document of the unit that reads. */
const MOST_DIGESTS = 20_000

/**
 * Notes in the reading unit's document what it was given, before it is given. The unit's next write takes it up as
 * its receipt. Several reads are noted in one write.
 */
export async function recordReads(
  parts: Parts,
  locator: Locator,
  consumer: UnitRef,
  reads: readonly NewRead[],
  reader: Reader = {},
): Promise<void> {
  const { clock } = parts.deps
  await untilDone(clock, 'recording what was read', async () => {
    const unit = await locator.find(consumer)
    const doc = parts.store.folded(unit).value
    if (reads.some(({ from }) => from === doc.id))
      throw new TacoError('BAD_REQUEST', `${doc.name} cannot read its own outputs as a dependency.`, {
        facts: { field: 'consumer' },
      })
    const lock = doc.lock?.id ?? null
    const at = clock.now()
    const isOfPlan = reader.engine === true && (doc.lock === null || !mayWrite(doc.lock.info.Operation))
    const fresh = reads
      .map((read) => ({ ...read, ...reader, ...(isOfPlan ? { plan: true } : {}), lock, at }))
      .filter(
        (read) => !doc.pendingReads.some((known) => kindOf(known) === kindOf(read) && isCovered(read, known)),
      )
    if (fresh.length === 0) return undefined
    const pendingReads = fewer([...doc.pendingReads, ...fresh])
    return (await parts.store.swap(unit, { pendingReads })) === undefined ? again : undefined
  })
}

export async function recordRead(
  parts: Parts,
  locator: Locator,
  consumer: UnitRef,
  read: NewRead,
  reader: Reader = {},
): Promise<void> {
  await recordReads(parts, locator, consumer, [read], reader)
}

/** Reads that count alike are merged: of each output the oldest counts in the end. */
function fewer(reads: readonly PendingRead[]): PendingRead[] {
  const named = reads.reduce((sum, { digests }) => sum + Object.keys(digests ?? {}).length, 0)
  if (reads.length <= MOST_PENDING && named <= MOST_DIGESTS) return [...reads]
  const alike = new Map<string, PendingRead[]>()
  for (const read of reads) {
    const same = alike.get(kindOf(read))
    if (same === undefined) alike.set(kindOf(read), [read])
    else same.push(read)
  }
  return [...alike.values()].flatMap((same) =>
    mergedReads(same).map((read): PendingRead => ({ ...same[0], lock: same[0]?.lock ?? null, ...read })),
  )
}

function kindOf({ lock, engine, run, taken }: PendingRead): string {
  return JSON.stringify([lock, engine === true, run ?? null, taken ?? null])
}

function isCovered(read: NewRead, known: PendingRead): boolean {
  return (
    known.from === read.from &&
    known.commit === read.commit &&
    covers(known.names, read.names) &&
    isSameMapping(known.inputs, read.inputs)
  )
}

function isSameMapping(known: Read['inputs'], wanted: Read['inputs']): boolean {
  if (known === undefined || wanted === undefined) return known === wanted
  const variables = Object.keys(wanted)
  return (
    variables.length === Object.keys(known).length &&
    variables.every((variable) => known[variable] === wanted[variable])
  )
}

function covers(known: readonly string[] | null, wanted: readonly string[] | null): boolean {
  if (known === null) return true
  return wanted !== null && wanted.every(among(known))
}
