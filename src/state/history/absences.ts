import type { Author } from '../../access/index.ts'
import type { Absence, UnitDocument } from '../documents/model.ts'

/**
 * The times at which a unit had no state, or was deleted. They are part of the history and have no bytes, so the
 * document keeps them: neither later writes nor retention remove them. Pure.
 */

/** More than these are not kept, so that a unit that is made and destroyed every hour keeps a small document. */
export const MOST_ABSENCES = 256

type Known = Pick<UnitDocument, 'absences' | 'head'>

export function absenceBegins(
  doc: Known,
  what: Absence['what'],
  begun: Author & { readonly at: number },
): Absence[] {
  const seq = doc.head?.version.seq ?? 0
  return [...(doc.absences ?? []), { what, seq, ...begun }].slice(-MOST_ABSENCES)
}

/** Gives nothing to change if there is none under way. */
export function absenceEnds(
  { absences = [] }: Pick<UnitDocument, 'absences'>,
  what: readonly Absence['what'][],
  at: number,
): { readonly absences?: Absence[] } {
  const ends = (one: Absence) => one.until === undefined && what.includes(one.what)
  if (!absences.some(ends)) return {}
  return { absences: absences.map((one) => (ends(one) ? { ...one, until: at } : one)) }
}

/** The state is back, by a write or because it was found again. */
export function stateReturns(doc: Pick<UnitDocument, 'absences'>, at: number) {
  return absenceEnds(doc, ['state-deleted', 'state-missing'], at)
}

export type PresenceAt =
  | 'present'
  | 'unit-deleted'
  | 'state-deleted'
  | 'unknown'
  | { readonly missing: number }

/**
 * Whether the unit and its state were there then. `unknown`: documents from before absences were recorded say that the
 * state is deleted, and not since when; and only the last of very many are kept.
 */
export function presenceAt(
  doc: Pick<UnitDocument, 'absences' | 'deleted' | 'missing' | 'changedAt'> & {
    readonly head: { readonly tag: string | null; readonly version: { readonly at: number } } | null
  },
  time: number,
): PresenceAt {
  const { absences = [], deleted, missing, head } = doc
  const covers = (what: Absence['what']) =>
    absences.find((one) => one.what === what && one.at <= time && time < (one.until ?? Infinity))
  if ((deleted !== undefined && deleted.at <= time) || covers('unit-deleted') !== undefined)
    return 'unit-deleted'
  if (covers('state-deleted') !== undefined) return 'state-deleted'
  const known: readonly Absence['what'][] = ['unit-deleted', 'state-deleted', 'state-missing']
  // A newer server knows what was absent then.
  if (absences.some(({ what, at, until = Infinity }) => !known.includes(what) && at <= time && time < until))
    return 'unknown'
  const lost = covers('state-missing')?.at ?? missing?.at ?? Infinity
  if (lost <= time) return { missing: lost }
  if (absences.length >= MOST_ABSENCES && time < (absences[0]?.at ?? 0)) return 'unknown'
  const isRecorded = absences.some(({ what, until }) => what !== 'unit-deleted' && until === undefined)
  if (head === null || head.tag !== null || isRecorded || missing !== undefined) return 'present'
  if (time < head.version.at) return 'present'
  return time < doc.changedAt || deleted !== undefined ? 'unknown' : 'state-deleted'
}
