import { noSuchOrg } from './missing.ts'
import { creatorOf, viewCreator } from '../documents/authors.ts'
import { authorOf, viewAuthor } from '../../access/index.ts'
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isoTime } from '../../base/clock.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import {
  type DocumentKind,
  type Loaded,
  answeredBefore,
  createDocumentStore,
  noteRequest,
} from '../../bucket/index.ts'
import type { StateDeps } from '../settings.ts'
import { changedMeanwhile, isExpected } from '../expected.ts'
import { placeAt } from '../documents/journal-layout.ts'
import { historiesPrefix, orgKey, orgsPrefix, unitsPrefix } from '../documents/layout.ts'
import { type Event, type OrgDocument, type OrgLimits, orgFormat } from '../documents/model.ts'
import { FIRST_ORG, isOrgName, parseOrgName } from '../documents/names.ts'
import type { Directory } from '../orgs/directory.ts'
import type { OrgDirectory } from '../orgs/org-directory.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Caller, OrgChange, OrgLife, Orgs, Outbox } from '../state-control.ts'
import type { OrgView } from '../views/views.ts'

const DAY_MS = 86_400_000

export interface OrgStore extends Omit<Orgs, keyof OrgLife | 'usage' | 'usageByUnit'> {
  /** Throws NOT_FOUND for an organization that does not exist. That it does is remembered for a moment. */
  require(org: string): Promise<void>
  /** As it is in the bucket now: for whatever deletes, grants or refuses. */
  current(org: string): Promise<OrgDocument>
  digestKey(org: string): Promise<Uint8Array>
  /** As of at most ten seconds ago: before a refusal, look at `current`. */
  limits(org: string): Promise<OrgLimits>
  /** Where the states of its new units are stored: empty, or with a slash at the end. It never changes. */
  folderOf(org: string): Promise<string>
  /** Makes the document. Undefined: it exists. */
  make(org: string, settings: OrgChange, caller: Caller): Promise<OrgView | undefined>
  isDeleted(org: string): Promise<boolean>
  /** Throws if units of the organization exist, and its document does not. */
  refuseIfLost(org: string): Promise<void>
  /** Notes that events up to this place are removed, before they are. False: that is more than its retention says. */
  prunedEvents(
    org: string,
    pruned: { readonly upTo: string; readonly events: number },
    caller: Caller,
  ): Promise<boolean>
  /** A fresh bucket gets its first organization. */
  ensureFirst(caller: Caller): Promise<void>
}

export function createOrgs(deps: StateDeps, outbox: Outbox, directory: OrgDirectory): OrgStore {
  const { clock, log } = deps
  const known = new LRUCache<string, OrgDocument>({ max: 1_000, ttl: 10_000 })
  const orgKind: DocumentKind<OrgDocument, string> = {
    name: 'organization',
    format: orgFormat,
    keyOf: (org) => orgKey(parseOrgName(org)),
    async missing(org) {
      await refuseIfLost(org)
      return noSuchOrg(org)
    },
  }
  const documents = createDocumentStore<OrgDocument, string, Event>({ ...deps, outbox }, orgKind)
  documents.onSeen(({ value }) => known.set(value.name, value))

  /**
   * A rebuilt document would have another digest key and no retention, so a person must decide about a lost one. The
   * document is read again: it may have been created since it was missed, and a unit with it.
   */
  async function refuseIfLost(org: string): Promise<void> {
    if (!(await hasUnits(deps, org))) return
    if ((await documents.peek(org)) !== undefined) return
    throw new TacoError(
      'BUCKET_CORRUPT',
      `The document ${orgKey(org)} is missing, but units of the organization exist.`,
      {
        facts: { org, key: orgKey(org), isLost: true },
        hint: 'Restore it from a backup of the bucket, or rebuild it with `taco doctor --repair`.',
      },
    )
  }

  /** What is wrong with one organization must not hide the others. Its document may also be lost. */
  async function readable(org: string): Promise<Loaded<OrgDocument> | undefined> {
    return documents.get(org).catch((error: unknown) => {
      if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER', 'NOT_FOUND')) throw error
      return undefined
    })
  }

  async function make(org: string, input: OrgChange, caller: Caller): Promise<OrgView | undefined> {
    const now = clock.now()
    const fields = {
      name: parseOrgName(org),
      createdAt: now,
      ...creatorOf(authorOf(caller)),
      ...kept(input),
      digestKey: randomBytes(32).toString('base64'),
      ...noteRequest(undefined, caller, now),
    }
    const event = outbox.make({ org }, { type: 'org.created', caller })
    const made = await documents.create(org, fields, { events: [event] })
    return made && viewOrg(made.value, await directory.current())
  }

  async function firstOrg(): Promise<Loaded<OrgDocument> | undefined> {
    const first = await documents.find(FIRST_ORG)
    if (first === undefined) await refuseIfLost(FIRST_ORG)
    return first
  }

  async function names(): Promise<readonly string[]> {
    const found = new Set<string>()
    let after: string | undefined
    for (;;) {
      // One entry identifies an organization; the next listing starts behind all of its objects.
      const name: string | undefined = await firstOrgAfter(deps, after)
      if (name === undefined) return [...found]
      // Programs that open a folder may leave their own files in it.
      if (isOrgName(name)) found.add(name)
      after = `${orgsPrefix}${name}0`
    }
  }

  return {
    async require(org) {
      if (!known.has(org)) await documents.get(org)
    },
    async current(org) {
      return (await documents.get(org)).value
    },
    async limits(org) {
      return (known.get(org) ?? (await documents.get(org)).value).limits ?? {}
    },
    async digestKey(org) {
      const doc = known.get(org) ?? (await documents.get(org)).value
      return Buffer.from(doc.digestKey, 'base64')
    },
    names,
    async ensureFirst(caller) {
      const first = await firstOrg().catch((error: unknown) => {
        // The other organizations are as they were.
        if (!isTacoError(error, 'BUCKET_CORRUPT')) throw error
        log.error('an organization is damaged', { org: FIRST_ORG, error: error.message })
        return error
      })
      if (first === undefined) await make(FIRST_ORG, {}, caller)
    },
    async list({ limit, cursor, deleted = 'no' }) {
      const now = await directory.current()
      const isWanted = (id: string) => (now.entry(id)?.deleted === undefined) === (deleted === 'no')
      const all = (await names()).filter((id) => (cursor === undefined || id > cursor) && isWanted(id))
      const page = all.slice(0, limit)
      const read = await Promise.all(page.map(readable))
      return {
        items: read.flatMap((one) => (one === undefined ? [] : [viewOrg(one.value, now)])),
        damaged: page.filter((_, i) => read[i] === undefined),
        next: all.length > limit ? page.at(-1) : undefined,
      }
    },
    async get(org) {
      const { value } = await documents.get(org)
      return viewOrg(value, await directory.current())
    },
    make,
    refuseIfLost,
    isDeleted: async (org) => (await directory.fresh()).entry(org)?.deleted !== undefined,
    async folderOf(org) {
      if (org === FIRST_ORG) return ''
      const known = directory.recent()
      // One that is not in the directory yet may have been created a moment ago.
      return (known?.entry(org) === undefined ? await directory.fresh() : known).folderOf(org)
    },
    reserve(org, id, caller) {
      return untilDone(clock, 'noting the request', async () => {
        const loaded = await documents.get(org)
        const { answered } = loaded.value
        const before = answeredBefore(answered, caller)
        if (before?.made !== undefined) return before.made
        const next = { ...loaded.value, ...noteRequest(answered, caller, clock.now(), id) }
        return (await documents.swap(loaded, next, { quiet: true })) === undefined ? again : id
      })
    },
    prunedEvents(org, { upTo, events }, caller) {
      return untilDone(clock, 'removing old events', async () => {
        const loaded = await documents.get(org)
        const { eventRetention, eventsPruned = '' } = loaded.value
        // The retention may have been raised since the events were listed.
        if (eventRetention === undefined || upTo >= placeAt(clock.now() - eventRetention.days * DAY_MS))
          return false
        if (eventsPruned >= upTo) return true
        const draft = { type: 'gc.pruned' as const, caller, data: { events } }
        const event = outbox.make({ org: loaded.value.name }, draft)
        const next = { ...loaded.value, eventsPruned: upTo }
        const swapped = await documents.swap(loaded, next, { events: [event], quiet: true })
        return swapped === undefined ? again : true
      })
    },
    async update(org, change, caller, expected) {
      const now = await directory.current()
      const { value } = await documents.change(
        org,
        (current, before) => {
          if (before !== undefined) return { value: current, answer: null }
          if (!isExpected(expected, orgEtag(current, now))) throw changedMeanwhile(`The organization ${org}`)
          const { retention, eventRetention, limits, ...rest } = current
          const event = outbox.make(
            { org: current.name },
            { type: 'org.changed', caller, data: { ...change } },
          )
          const settings = kept({
            retention: change.retention === undefined ? (retention ?? null) : change.retention,
            eventRetention:
              change.eventRetention === undefined ? (eventRetention ?? null) : change.eventRetention,
            limits: { ...limits, ...change.limits },
          })
          return { value: { ...rest, ...settings }, events: [event], answer: null }
        },
        caller,
      )
      return viewOrg(value, now)
    },
  }
}

/** Null and nothing are the same in the document. */
function kept({
  retention,
  eventRetention,
  limits = {},
}: OrgChange): Pick<OrgDocument, 'retention' | 'eventRetention' | 'limits'> {
  const set = Object.entries(limits).filter(([, most]) => most != null)
  return {
    ...(set.length === 0 ? {} : { limits: Object.fromEntries(set) }),
    ...(retention == null ? {} : { retention }),
    ...(eventRetention == null ? {} : { eventRetention }),
  }
}

async function hasUnits({ bucket }: StateDeps, org: string): Promise<boolean> {
  for (const prefix of [unitsPrefix(org), historiesPrefix(org)])
    for await (const page of bucket.list(prefix, { pageSize: 1 })) if (page.length > 0) return true
  return false
}

async function firstOrgAfter({ bucket }: StateDeps, after: string | undefined): Promise<string | undefined> {
  for await (const page of bucket.list(orgsPrefix, {
    pageSize: 1,
    ...(after === undefined ? {} : { after }),
  })) {
    const key = page[0]?.key
    if (key !== undefined) return key.slice(orgsPrefix.length).split('/')[0]
  }
  return undefined
}

/** Of the settings and of what the directory says. */
export function orgEtag(doc: OrgDocument, directory: Directory): string {
  const moves = directory.entry(doc.name)?.moves
  return moves === undefined ? doc.nonce : `${doc.nonce}-${moves}`
}

function viewOrg(doc: OrgDocument, directory: Directory): OrgView {
  const { formerNames = [], deleted } = directory.entry(doc.name) ?? {}
  return {
    id: doc.name,
    name: directory.nameOf(doc.name),
    formerNames,
    folder: directory.folderOf(doc.name),
    createdAt: isoTime(doc.createdAt),
    ...viewCreator(doc),
    retention: doc.retention ?? null,
    eventRetention: doc.eventRetention ?? null,
    limits: doc.limits ?? {},
    deleted: deleted === undefined ? null : { at: isoTime(deleted.at), ...viewAuthor(deleted) },
    etag: orgEtag(doc, directory),
  }
}
