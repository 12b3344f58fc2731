import type { AccessChange, JournalPort } from '../../src/access/journal-port.ts'

/** A journal that keeps what it is told in memory. */
export function silentJournal() {
  const events: (AccessChange & { readonly org: string })[] = []
  let count = 0
  const journal: JournalPort = {
    make({ org }, change) {
      events.push({ org, ...change })
      return { id: `event-${count++}`, at: Date.now() }
    },
    unsent: () => [],
    send: () => {},
    sendLeft: () => {},
  }
  return { journal, events }
}
