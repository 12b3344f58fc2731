import { z } from 'zod'
import type { StateFacts } from '../content/scan.ts'
import type { UnitDocument } from '../documents/model.ts'
import { highestSerial } from '../intake/serials.ts'

/** What is strange about a state that was written around OpenTaco. */
export const OutsideWarning = z.enum(['other-lineage', 'older-serial'])
export type OutsideWarning = z.infer<typeof OutsideWarning>

/**
 * The state of another unit, or an older one of this unit, was put in place of the current one: engines would plan
 * unintended changes. A state that begins after a deletion is neither. Pure.
 */
export function warningAbout(doc: UnitDocument, facts: StateFacts | undefined): OutsideWarning | undefined {
  const { head, missing } = doc
  if (facts === undefined || head === null || (head.tag === null && missing === undefined)) return undefined
  if (head.version.unreadable !== true && head.version.lineage !== facts.lineage) return 'other-lineage'
  return facts.serial < highestSerial(doc) ? 'older-serial' : undefined
}

export function sayWarning(warning: string): string {
  if (warning === 'other-lineage')
    return 'The state was replaced around OpenTaco by one of another lineage, perhaps that of another unit.'
  if (warning === 'older-serial')
    return 'The state was replaced around OpenTaco by an older one: its serial is lower than an earlier one.'
  return `The state has an unknown warning: ${warning}.`
}
