import { creatorOf, viewCreator } from '../documents/authors.ts'
import { authorOf } from '../../access/index.ts'
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isoTime } from '../../base/clock.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import type { Loaded } from '../../bucket/index.ts'
import { createDocument, readDocument, swapDocument } from '../../bucket/index.ts'
import { answeredBefore, noteRequest } from '../answered.ts'
import type { StateDeps } from '../settings.ts'
import { changedMeanwhile, isExpected } from '../expected.ts'
import { placeAt } from '../documents/journal-layout.ts'
import { historiesPrefix, orgKey, orgsPrefix, unitsPrefix } from '../documents/layout.ts'
import type { Event } from '../documents/model.ts'
import { FORMAT, OrgDocument } from '../documents/model.ts'
import { isOrgName, parseOrgName } from '../documents/names.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Caller, OrgChange, Orgs, Outbox, OutboxDocument } from '../state-control.ts'
import type { OrgView } from '../views/views.ts'

export const FIRST_ORG = 'default'
const DAY_MS = 86_400_000

export interface OrgStore extends Orgs {
  /** Throws NOT_FOUND for an organization that does not exist. That it does is remembered for a moment. */
  require(org: string): Promise<void>
  /** As it is in the bucket now: for whatever deletes, grants or refuses. */
  current(org: string): Promise<OrgDocument>
  digestKey(org: string): Promise<Uint8Array>
  /** The document of an organization that lost it, with a new digest key and without settings. False: it is there. */
  makeAnew(org: string, caller: Caller): Promise<boolean>
  /** Notes that events up to this place are removed, before they are. False: that is more than its retention says. */
  prunedEvents(
    org: string,
    pruned: { readonly upTo: string; readonly events: number },
    caller: Caller,
  ): Promise<boolean>
  /** A fresh bucket gets its first organization. */
  ensureFirst(caller: Caller): Promise<void>
}

export function createOrgs(deps: StateDeps, outbox: Outbox): OrgStore {
  const { bucket, clock, ids, log } = deps
  const known = new LRUCache<string, OrgDocument>({ max: 1_000, ttl: 10_000 })

  async function load(org: string): Promise<Loaded<OrgDocument>> {
    const loaded = await readDocument(bucket, orgKey(parseOrgName(org)), OrgDocument)
    if (loaded !== undefined) return seen(loaded)
    await refuseIfLost(org)
    throw new TacoError('NOT_FOUND', `there is no organization ${org}`, {
      facts: { field: 'org', org },
      hint: 'see `taco org ls`, or create it with `taco org create`',
    })
  }

  /**
   * Made anew it would have another digest key and no retention, so that it is lost is for a person to see. The document
   * is read again: it may have been made since it was missed, and a unit with it.
   */
  async function refuseIfLost(org: string): Promise<void> {
    if (!(await hasUnits(deps, org))) return
    if ((await readDocument(bucket, orgKey(org), OrgDocument)) !== undefined) return
    throw new TacoError(
      'BUCKET_CORRUPT',
      `the document ${orgKey(org)} is missing; units of the organization are there`,
      {
        facts: { org, key: orgKey(org), isLost: true },
        hint: 'restore it from a backup of the bucket, or make it anew with `taco doctor --repair`',
      },
    )
  }

  /** What is wrong with one organization must not hide the others. Its document may also be lost. */
  async function readable(org: string): Promise<Loaded<OrgDocument> | undefined> {
    return load(org).catch((error: unknown) => {
      if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER', 'NOT_FOUND')) throw error
      return undefined
    })
  }

  async function add(input: { name: string } & OrgChange, caller: Caller): Promise<OrgView | undefined> {
    const now = clock.now()
    const event = outbox.make({ org: input.name }, { type: 'org.created', caller })
    const value: OrgDocument = {
      v: FORMAT,
      rev: 1,
      nonce: ids.id('n'),
      name: input.name,
      createdAt: now,
      ...creatorOf(authorOf(caller)),
      ...kept(input),
      digestKey: randomBytes(32).toString('base64'),
      ...noteRequest(undefined, caller, now),
      outbox: [event],
    }
    const key = orgKey(input.name)
    const answer = await createDocument(bucket, key, value)
    if (answer.kind === 'conflict') return undefined
    return changed({ key, value, tag: answer.tag }, event)
  }

  function seen(loaded: Loaded<OrgDocument>): Loaded<OrgDocument> {
    known.set(loaded.value.name, loaded.value)
    outbox.sendLeft(loaded.value.outbox, documentOf(loaded))
    return loaded
  }

  function changed(loaded: Loaded<OrgDocument>, event: Event): OrgView {
    known.set(loaded.value.name, loaded.value)
    outbox.send(loaded.value.outbox, [event], documentOf(loaded))
    return viewOrg(loaded.value)
  }

  function documentOf(loaded: Loaded<OrgDocument>): OutboxDocument {
    return { key: loaded.key, empty: () => empty(loaded) }
  }

  /** If somebody changed it meanwhile, they took care of it. The nonce stays: to clients this is no change. */
  async function empty(loaded: Loaded<OrgDocument>): Promise<void> {
    await swapDocument(bucket, loaded, { ...loaded.value, rev: loaded.value.rev + 1, outbox: [] })
  }

  async function firstOrg(): Promise<Loaded<OrgDocument> | undefined> {
    const first = await readDocument(bucket, orgKey(FIRST_ORG), OrgDocument)
    if (first === undefined) await refuseIfLost(FIRST_ORG)
    return first
  }

  async function names(): Promise<readonly string[]> {
    const found = new Set<string>()
    let after: string | undefined
    for (;;) {
      // One entry tells an organization; the next listing starts behind all of its objects.
      const name: string | undefined = await firstOrgAfter(deps, after)
      if (name === undefined) return [...found]
      // Whoever opens a folder with a program may leave files of it behind.
      if (isOrgName(name)) found.add(name)
      after = `${orgsPrefix}${name}0`
    }
  }

  return {
    async require(org) {
      if (!known.has(org)) await load(org)
    },
    async current(org) {
      return (await load(org)).value
    },
    async digestKey(org) {
      const doc = known.get(org) ?? (await load(org)).value
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
      if (first === undefined) await add({ name: FIRST_ORG }, caller)
      else if (!isTacoError(first)) seen(first)
    },
    async list({ limit, cursor }) {
      const all = (await names()).filter((name) => cursor === undefined || name > cursor)
      const page = all.slice(0, limit)
      const read = await Promise.all(page.map(readable))
      return {
        items: read.flatMap((one) => (one === undefined ? [] : [viewOrg(one.value)])),
        damaged: page.filter((_, i) => read[i] === undefined),
        next: all.length > limit ? page.at(-1) : undefined,
      }
    },
    async get(org) {
      return viewOrg((await load(org)).value)
    },
    async create(input, caller) {
      const name = parseOrgName(input.name)
      await refuseIfLost(name)
      const view = await add({ ...input, name }, caller)
      if (view !== undefined) return view
      const { value } = await load(name)
      if (answeredBefore(value.answered, caller) !== undefined) return viewOrg(value)
      throw new TacoError('ALREADY_EXISTS', `there is an organization ${input.name} already`, {
        facts: { field: 'name' },
      })
    },
    async makeAnew(org, caller) {
      return (await add({ name: parseOrgName(org) }, caller)) !== undefined
    },
    reserve(org, id, caller) {
      return untilDone(clock, 'noting the request', async () => {
        const loaded = await load(org)
        const before = answeredBefore(loaded.value.answered, caller)
        if (before?.made !== undefined) return before.made
        // The nonce stays: to clients this is no change.
        const value: OrgDocument = {
          ...loaded.value,
          ...noteRequest(loaded.value.answered, caller, clock.now(), id),
          rev: loaded.value.rev + 1,
        }
        return (await swapDocument(bucket, loaded, value)).kind === 'conflict' ? again : id
      })
    },
    prunedEvents(org, { upTo, events }, caller) {
      return untilDone(clock, 'removing old events', async () => {
        const loaded = await load(org)
        const { eventRetention, eventsPruned = '' } = loaded.value
        // Somebody may have asked to keep more since the events were listed.
        if (eventRetention === undefined || upTo >= placeAt(clock.now() - eventRetention.days * DAY_MS))
          return false
        if (eventsPruned >= upTo) return true
        const draft = { type: 'gc.pruned' as const, caller, data: { events } }
        const event = outbox.make({ org: loaded.value.name }, draft)
        // The nonce stays: to clients this is no change.
        const value: OrgDocument = {
          ...loaded.value,
          eventsPruned: upTo,
          rev: loaded.value.rev + 1,
          outbox: [...outbox.unsent(loaded.value.outbox), event],
        }
        const answer = await swapDocument(bucket, loaded, value)
        if (answer.kind === 'conflict') return again
        changed({ key: loaded.key, value, tag: answer.tag }, event)
        return true
      })
    },
    update(org, change, caller, expected) {
      return untilDone(clock, 'changing the organization', async () => {
        const loaded = await load(org)
        if (answeredBefore(loaded.value.answered, caller) !== undefined) return viewOrg(loaded.value)
        if (!isExpected(expected, orgEtag(loaded.value))) throw changedMeanwhile(`the organization ${org}`)
        const { retention, eventRetention, ...rest } = loaded.value
        const data = { ...change }
        const event = outbox.make({ org: loaded.value.name }, { type: 'org.changed', caller, data })
        const value: OrgDocument = {
          ...rest,
          ...kept({
            retention: change.retention === undefined ? (retention ?? null) : change.retention,
            eventRetention:
              change.eventRetention === undefined ? (eventRetention ?? null) : change.eventRetention,
          }),
          ...noteRequest(loaded.value.answered, caller, clock.now()),
          rev: loaded.value.rev + 1,
          nonce: ids.id('n'),
          outbox: [...outbox.unsent(loaded.value.outbox), event],
        }
        const answer = await swapDocument(bucket, loaded, value)
        if (answer.kind === 'conflict') return again
        return changed({ key: loaded.key, value, tag: answer.tag }, event)
      })
    },
  }
}

/** Null and nothing are the same in the document. */
function kept({ retention, eventRetention }: OrgChange): Pick<OrgDocument, 'retention' | 'eventRetention'> {
  return {
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

function orgEtag(doc: OrgDocument): string {
  return doc.nonce
}

function viewOrg(doc: OrgDocument): OrgView {
  return {
    name: doc.name,
    createdAt: isoTime(doc.createdAt),
    ...viewCreator(doc),
    retention: doc.retention ?? null,
    eventRetention: doc.eventRetention ?? null,
    etag: orgEtag(doc),
  }
}
