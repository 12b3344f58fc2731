import type { Clock } from '../../base/clock.ts'
import { createFresh } from '../../base/fresh.ts'
import type { Ids } from '../../base/ids.ts'
import { type Bucket, createDocumentStore } from '../../bucket/index.ts'
import type { Caller } from '../caller.ts'
import type { AccessEventType } from '../event-types.ts'
import type { JournalPort } from '../journal-port.ts'
import { FRESH_MS } from '../people/people.ts'
import { type OrgAccessDocument, type OrgPolicy, emptyPolicy, orgAccessKind } from './document.ts'

export interface PolicyChange {
  /** Of the event that reports it. */
  readonly type: AccessEventType
  /** If the change is about one unit. */
  readonly unit?: { readonly id: string; readonly name: string }
  readonly data: Readonly<Record<string, unknown>>
  readonly transition: (policy: OrgAccessDocument) => OrgAccessDocument
}

/** Who may do what in the organizations. */
export interface OrgAccess {
  /** At most a moment old. Without a document, nothing is granted to anybody. */
  fresh(org: string): OrgPolicy | Promise<OrgPolicy>
  /** As it is now. */
  get(org: string, caller: Caller): Promise<OrgPolicy>
  change(org: string, change: PolicyChange, caller: Caller): Promise<OrgPolicy>
}

export function createOrgAccess(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly journal: JournalPort
}): OrgAccess {
  const { clock, journal } = deps
  const store = createDocumentStore({ ...deps, outbox: journal }, orgAccessKind)
  const read = async (org: string): Promise<OrgPolicy> => (await store.find(org))?.value ?? emptyPolicy(org)
  const fresh = createFresh({ clock, forMs: FRESH_MS, most: 500, keyOf: (org: string) => org, read })

  return {
    fresh: (org) => fresh.get(org),
    get: (org) => read(org),
    async change(org, { type, data, transition, unit }, caller) {
      const about = unit === undefined ? { org } : { org, unit }
      if ((await store.find(org)) === undefined) await store.create(org, emptyPolicy(org))
      const { value } = await store.change(
        org,
        (policy) => {
          const next = transition(policy)
          if (next === policy) return { value: policy, answer: undefined }
          return { value: next, events: [journal.make(about, { type, caller, data })], answer: undefined }
        },
        caller,
      )
      fresh.forget(org)
      return value
    },
  }
}
