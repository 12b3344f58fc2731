import { isRecent } from '../../base/clock.ts'
import { createDocumentStore } from '../../bucket/index.ts'
import type { DocumentKind } from '../../bucket/index.ts'
import { directoryKey } from '../documents/layout.ts'
import { type DirectoryDocument, type Event, directoryFormat } from '../documents/model.ts'
import { DIRECTORY_LAG_MS, type StateDeps } from '../settings.ts'
import type { Caller, Outbox } from '../state-control.ts'
import { type Directory, readDirectory } from './directory.ts'

/**
 * The directory of organizations in the bucket. What is in memory may lag other servers by two seconds; whatever
 * refuses or changes something reads it anew.
 */
export interface OrgDirectory {
  /** From memory, however old. */
  latest(): Directory
  /** From memory. Undefined: it is too old, use `current`. */
  recent(): Directory | undefined
  /** As of at most two seconds ago. */
  current(): Promise<Directory>
  /** As it is in the bucket now. */
  fresh(): Promise<Directory>
  /** `change` gives the same entries if there is nothing to change. The events are those of the change. */
  change(
    change: (orgs: DirectoryDocument['orgs']) => DirectoryDocument['orgs'],
    events: () => readonly Event[],
    caller: Caller,
  ): Promise<Directory>
}

/** From then on it is read again, while requests still use what is in memory. */
const RENEW_MS = 1_000

const kind: DocumentKind<DirectoryDocument, null> = {
  name: 'directory of organizations',
  format: directoryFormat,
  keyOf: () => directoryKey,
  cache: { most: 1 },
}

export function createOrgDirectory(deps: StateDeps, outbox: Outbox): OrgDirectory {
  const { clock } = deps
  const documents = createDocumentStore<DirectoryDocument, null, Event>({ ...deps, outbox }, kind)
  let known = { rev: 0, nonce: '', directory: readDirectory({}) }
  let asOf = -Infinity
  let learned = 0
  let reading: Promise<Directory> | undefined

  async function learn(read: () => Promise<DirectoryDocument | undefined>): Promise<Directory> {
    const [at, before] = [clock.now(), learned]
    const { rev, nonce, orgs } = (await read()) ?? { rev: 0, nonce: '', orgs: {} }
    // A slow answer must not bring back what a later one has replaced. Without a later one, an older document was put
    // back into the bucket.
    if (learned !== before && rev < known.rev) return readDirectory(orgs)
    learned++
    asOf = rev < known.rev ? at : Math.max(at, asOf)
    known = { rev, nonce, directory: nonce === known.nonce ? known.directory : readDirectory(orgs) }
    return known.directory
  }

  const fresh = () => learn(async () => (await documents.find(null))?.value)

  function renewed(): Promise<Directory> {
    return (reading ??= fresh().finally(() => (reading = undefined)))
  }

  function recent(): Directory | undefined {
    if (!isRecent(clock, asOf, DIRECTORY_LAG_MS)) return undefined
    // If this fails, the next caller that needs it gets the error.
    if (!isRecent(clock, asOf, RENEW_MS)) renewed().catch(() => {})
    return known.directory
  }

  return {
    latest: () => known.directory,
    recent,
    current: async () => recent() ?? renewed(),
    fresh,
    async change(change, events, caller) {
      if ((await documents.find(null)) === undefined) await documents.create(null, { orgs: {} })
      return learn(async () => {
        const { value } = await documents.change(
          null,
          (document, before) => {
            const orgs = before === undefined ? change(document.orgs) : document.orgs
            if (orgs === document.orgs) return { value: document, answer: null }
            return { value: { ...document, orgs }, events: events(), answer: null }
          },
          caller,
        )
        return value
      })
    },
  }
}
