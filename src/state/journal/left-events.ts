import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { accessOutboxes, orgAccessKey } from '../../access/index.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import { type Entry, ROOT, type Tag, bodyOf, recordsPrefix } from '../../bucket/index.ts'
import { Event } from '../documents/event.ts'
import { orgKey } from '../documents/layout.ts'
import type { StateDeps } from '../settings.ts'
import type { Caller, Outbox } from '../state-control.ts'
import type { OrgStore } from '../units/orgs.ts'

const WithOutbox = z.looseObject({ v: z.literal(1), rev: z.number().int(), outbox: z.array(Event) })

/** As many as a large server has people and tokens. */
const MOST_KNOWN = 100_000

/**
 * Events that a server left in a document when it was killed are written when someone reads the document. This is for
 * documents that may not be read for a long time: a token that was revoked, an organization in which nothing happens.
 * Units are looked at one by one elsewhere.
 */
export function createLeftEvents(
  { bucket }: Pick<StateDeps, 'bucket'>,
  outbox: Pick<Outbox, 'sendLeft'>,
  orgs: Pick<OrgStore, 'names'>,
): { send(caller: Caller): Promise<void> } {
  /** Documents that had nothing to send, by tag. */
  const known = new LRUCache<string, Tag>({ max: MOST_KNOWN })

  async function* documents(caller: Caller): AsyncGenerator<readonly Entry[]> {
    for (const prefix of [...accessOutboxes, `${ROOT}audit/retention.json`]) yield* bucket.list(prefix)
    for (const org of await orgs.names(caller)) {
      for (const key of [orgKey(org), orgAccessKey(org)]) {
        const entry = await bucket.head(key)
        if (entry !== undefined) yield [entry]
      }
      yield* bucket.list(recordsPrefix(org))
    }
  }

  async function look({ key, tag }: Entry): Promise<void> {
    if (known.get(key) === tag) return
    const found = await bucket.get(key)
    if (found === undefined) return
    const document = parsed(await found.bytes())
    if (document === undefined || document.outbox.length === 0) {
      known.set(key, found.tag)
      return
    }
    outbox.sendLeft(document.outbox, {
      key,
      async empty() {
        const next = { ...document, rev: document.rev + 1, outbox: [] }
        // If another process changed it meanwhile, that change took care of it.
        await bucket.put(key, bodyOf(JSON.stringify(next)), found.tag, { contentType: 'application/json' })
      },
    })
  }

  return {
    async send(caller) {
      for await (const page of documents(caller)) {
        caller.signal?.throwIfAborted()
        await forEachLimit(page, 8, look)
      }
    },
  }
}

/** Undefined: it has no outbox, or cannot be read, which others report. */
function parsed(bytes: Buffer): z.infer<typeof WithOutbox> | undefined {
  try {
    return WithOutbox.safeParse(JSON.parse(bytes.toString('utf8'))).data
  } catch {
    return undefined
  }
}
