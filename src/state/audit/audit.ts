import { isTacoError } from '../../base/errors.ts'
import { type Caller, principalText, systemCaller } from '../../access/index.ts'
import type { Background } from '../journal/background.ts'
import { makeEvent } from '../journal/events.ts'
import type { JournalWriter } from '../journal/journal-writer.ts'
import type { JournalRecords } from '../journal/journal.ts'
import type { StateDeps } from '../settings.ts'
import type { Locator } from '../units/locate.ts'
import type { OrgStore } from '../units/orgs.ts'
import { type Tally, createCounter } from './counter.ts'
import type { Audit, AuditEntry, AuditType } from './model.ts'
import { isRecorded } from './recorded.ts'
import type { ServerRetentionStore } from './server-retention.ts'
import { createSealer } from './seals/sealer.ts'
import { type AuditFinding, verifyJournal } from './seals/verify.ts'
import { matchesQuery, viewRecord } from './view.ts'

export interface AuditParts {
  readonly background: Background
  readonly journal: JournalWriter
  readonly read: JournalRecords
  readonly serverRetention: Pick<ServerRetentionStore, 'pruned'>
  readonly orgs: Pick<OrgStore, 'require' | 'names'>
  readonly locator: Pick<Locator, 'tryFind'>
}

interface Noted {
  readonly type: AuditType
  readonly entry: AuditEntry
}

/** A unit's name as a request gave it can be anything. */
const MOST_NAME = 200

export function createAudit(deps: StateDeps, parts: AuditParts): Audit & { flush(): void } {
  const { background, journal, orgs } = parts
  const { records } = parts.read
  const prunedOf = (org: string) => (org === '' ? parts.serverRetention.pruned() : parts.read.prunedOf(org))
  const sealer = createSealer(deps, deps.keys)
  const { flushEvents } = deps.settings
  const counter = createCounter<Noted>(deps.clock)
  let timer: NodeJS.Timeout | undefined

  /** Anyone can name an organization that does not exist: nothing is written below its name. */
  async function knownOrg(org: string | undefined): Promise<string> {
    if (org === undefined) return ''
    try {
      await orgs.require(org)
      return org
    } catch {
      return ''
    }
  }

  async function unitOf(org: string, unit: string): Promise<{ readonly id: string; readonly name: string }> {
    const found = await parts.locator.tryFind({ org, unit }).catch(() => undefined)
    return found === undefined ? { id: '', name: unit.slice(0, MOST_NAME) } : found.value
  }

  async function write({ type, entry }: Noted, more: AuditEntry['data'] = {}): Promise<void> {
    if (!flushEvents) return
    const { caller, unit } = entry
    const org = await knownOrg(entry.org)
    const data = { ...entry.data, ...more, ...(org === (entry.org ?? '') ? {} : { org: entry.org ?? '' }) }
    const about = unit === undefined ? { org, name: org } : { org, ...(await unitOf(org, unit)) }
    const event = makeEvent(deps, about, { type, caller, data })
    await journal.write([event]).catch((error: unknown) => {
      // Who may only read the bucket may go on reading.
      if (!isTacoError(error, 'BUCKET_REFUSED')) throw error
      deps.log.warn('the audit record of a request could not be written', { error: error.message })
    })
  }

  /** Of every organization, and of the server. */
  async function journals(caller: Caller): Promise<readonly string[]> {
    return [...(await orgs.names(caller)), '']
  }

  /** Undefined: it was counted. */
  function writeFirst(noted: Noted): Promise<void> | undefined {
    const isFirst = counter.see({ ...keysOf(noted), value: noted })
    timer ??= setTimeout(flush, counter.dueMs()).unref()
    return isFirst ? write(noted) : undefined
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    for (const { value, count, of } of counter.take())
      background.run('writing what the audit counted', () => write(asTally(value, of), { count }))
  }

  return {
    async served(entry) {
      if (!isRecorded(entry.caller.origin)) await write({ type: 'request.served', entry })
    },
    async counted(entry) {
      if (!isRecorded(entry.caller.origin)) await writeFirst({ type: 'request.served', entry })
    },
    refused(entry) {
      const writing = writeFirst({ type: 'request.refused', entry })
      if (writing !== undefined) background.run('writing an audit record', () => writing)
    },
    async read(query) {
      const { cursor, ...asked } = query
      const from = cursor === undefined ? asked : { ...asked, after: cursor }
      const { items, next, more } = await records(from, (event) => matchesQuery(event, query))
      return { items: items.map(viewRecord), next: more ? next : undefined }
    },
    async seal(caller) {
      let objects = 0
      for (const org of await journals(caller)) {
        caller.signal?.throwIfAborted()
        objects += await sealer.seal(org)
      }
      return { objects }
    },
    async *verify({ org, since = 0, expect = [] }, caller) {
      const { bucket, keys: signer } = deps
      const missing = new Set(expect)
      for (const one of org === undefined ? await journals(caller) : [org])
        for await (const finding of verifyJournal({ bucket, signer, prunedOf }, one, since, (hash) =>
          missing.delete(hash),
        )) {
          caller.signal?.throwIfAborted()
          yield finding
        }
      for (const hash of missing) yield expectedMissing(hash)
    },
    flush,
  }
}

function expectedMissing(hash: string): AuditFinding {
  const message = 'No seal has the expected hash: the end of a chain was removed, or a chain was made anew.'
  return { level: 'error', kind: 'expected', org: null, key: null, message, hash }
}

function keysOf({ type, entry }: Noted): { readonly same: string; readonly source: string } {
  const { caller, org, unit, data } = entry
  const { address = '', action, route } = caller.origin ?? {}
  const by = principalText(caller.principal)
  return {
    same: JSON.stringify([type, address, by, action, route, org, unit, data]),
    source: JSON.stringify([type, entry.network ?? address, by]),
  }
}

/** Of different ones, only what they share is known. */
function asTally({ type, entry }: Noted, of: Tally<Noted>['of']): Noted {
  if (of === 'same') return { type, entry }
  if (of === 'all') return { type, entry: { caller: systemCaller('opentaco'), data: { of } } }
  const { principal, origin: { address = '' } = {} } = entry.caller
  return { type, entry: { caller: { principal, origin: { address } }, data: { of } } }
}
