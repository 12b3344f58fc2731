import { TacoError, isTacoError } from '../../base/errors.ts'
import { withSerial } from '../content/rewrite.ts'
import { newest, readHistory } from '../history/history.ts'
import type { HistoryPage, Place } from '../history/history.ts'
import type { UnitDocument, VersionFacts } from '../documents/model.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Parts, Target } from '../protocol/context.ts'
import { loadUnit } from '../protocol/context.ts'
import type { StateWrite } from '../protocol/write.ts'
import { writeState } from '../protocol/write.ts'
import { highestSerial, knowsAllSerials } from './serials.ts'
import type { Caller, ReceivedState } from '../state-control.ts'
import type { Unit } from '../documents/unit-store.ts'

/**
 * A write that may replace any state: a roll-back, or a forced push. If its serial is not above every serial of the
 * unit's history, it is given the next one. An encrypted state has its serial sealed inside, so it is refused unless
 * the caller keeps the old serial knowingly.
 */
export async function writeAbove(
  parts: Parts,
  target: Target,
  write: Omit<StateWrite, 'force'>,
  caller: Caller,
): Promise<VersionFacts> {
  return untilDone(parts.deps.clock, 'writing the state', async () => {
    const { value: doc } = await withAllSerials(parts, target)
    const keepSerial = write.keepSerial === true || isLastState(doc, write)
    const raised = keepSerial ? undefined : await raisedAbove(parts, doc, write.state)
    try {
      const state = raised ?? write.state
      return await writeState(parts, target, { ...write, state, force: true, keepSerial }, caller)
    } catch (error) {
      // Meanwhile a state with a higher serial was written from outside.
      if (!keepSerial && isTacoError(error, 'STATE_SERIAL')) return again
      throw error
    } finally {
      await raised?.dispose()
    }
  })
}

/** The very bytes that are current, or were until the state was deleted: its serial means no other content. */
function isLastState({ head }: UnitDocument, { state, how }: Omit<StateWrite, 'force'>): boolean {
  if (head === null || head.version.hash !== state.hash) return false
  return head.version.encrypted || (how === 'push' && head.tag !== null)
}

/** Undefined: its serial is above all others already. */
async function raisedAbove(
  parts: Parts,
  doc: UnitDocument,
  state: ReceivedState,
): Promise<ReceivedState | undefined> {
  const highest = highestSerial(doc)
  if (state.facts === undefined || state.facts.serial > highest) return undefined
  if (state.facts.encrypted) throw sealedSerial(doc, state.facts.serial, highest)
  const raised = withSerial(() => state.body.stream(), highest + 1)
  return parts.intake.receiveOutside(raised, doc.org)
}

function sealedSerial({ name }: UnitDocument, serial: number, highest: number): TacoError {
  return new TacoError(
    'STATE_ENCRYPTED',
    `The state of ${name} is encrypted, so its serial ${serial} cannot be raised above ${highest}, the highest serial in the history.`,
    {
      facts: { field: 'serial', unit: name, serial, highest },
      hint: `With its old serial, engines accept any plan saved when ${name} was at serial ${serial}. Delete such plans, then repeat with --keep-serial. Or decrypt the version where the key is available, raise its serial and push it.`,
    },
  )
}

/** The unit, with a document that knows every serial of the history. */
export async function withAllSerials(parts: Parts, target: Target): Promise<Unit> {
  return untilDone(parts.deps.clock, 'reading the serials of the history', async () => {
    const unit = await loadUnit(parts, target)
    const doc = unit.value
    const top = newest(doc)
    if (top === undefined || knowsAllSerials(doc)) return unit
    let highest = highestSerial(doc)
    let place: Place | undefined = top
    while (place !== undefined && place.seq > (doc.serials?.seq ?? 0)) {
      const page: HistoryPage = await readHistory(parts.deps.bucket, doc, place, 100)
      for (const { facts } of page.entries) highest = Math.max(highest, facts.serial)
      place = page.next
    }
    return (await parts.store.swap(unit, { serials: { highest, seq: top.seq } })) ?? again
  })
}
