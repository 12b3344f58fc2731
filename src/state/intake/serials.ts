import { newest } from '../history/history.ts'
import type { UnitDocument, VersionFacts } from '../documents/model.ts'

/**
 * Serials only grow. Engines accept a saved plan if the current state has the serial and the lineage that the plan was
 * made from, so a serial that returns with other content makes a stale plan valid again.
 */

/** The highest serial that the document knows of. It covers the whole history only if `knowsAllSerials`. */
export function highestSerial({ serials, head, write }: UnitDocument): number {
  const pending = write?.kind === 'write' ? write.head.version.serial : 0
  return Math.max(serials?.highest ?? 0, head?.version.serial ?? 0, pending)
}

/** False for units that were last written by a server that did not keep count, or that a repair rebuilt. */
export function knowsAllSerials(doc: UnitDocument): boolean {
  return (doc.serials?.seq ?? 0) >= (newest(doc)?.seq ?? 0)
}

/** With the version that is about to be committed. */
export function serialsWith(doc: UnitDocument, { seq, serial }: VersionFacts): Pick<UnitDocument, 'serials'> {
  if ((doc.serials?.seq ?? 0) < doc.seq) return {}
  return { serials: { highest: Math.max(doc.serials?.highest ?? 0, serial), seq } }
}
