import type { BlobClient } from '@azure/storage-blob'
import { conflict } from '../../bucket.ts'
import type { Conflict, Entry, HeldLease, Leasable, Leases, Tag } from '../../bucket.ts'

/** Where `backend "azurerm"` records the holder of its lease. */
const NOTE = 'terraformlockid'

/** The parts of the adapter that leases are built on. */
export interface AzureBlobs {
  blobAt(key: string): BlobClient
  properties(key: string): Promise<(Entry & { readonly metadata: Metadata }) | undefined>
  /** A request that may be refused; `refused` gets the status and the store's code, as for every other request. */
  ask<T extends Answer, O>(what: string, request: () => Promise<T>, refused: Refused<O>): Promise<T | O>
  etagOf(tag: Tag): string
  tagOf(etag: string | undefined): Tag
}

/** What every answer of the store has; see azure.ts. */
interface Answer {
  readonly date?: Date | undefined
  readonly requestId?: string | undefined
  readonly _response: { readonly status: number }
}

type Metadata = Readonly<Record<string, string>>
type Refused<O> = (status: number, code: string) => O | undefined

/** https://learn.microsoft.com/rest/api/storageservices/lease-blob */
export function azureLeases({ blobAt, properties, ask, etagOf, tagOf }: AzureBlobs): Leases {
  const ENDLESS = -1
  const leaseAt = (key: string, id?: string) => blobAt(key).getBlobLeaseClient(id)

  const refusal: Refused<Conflict | 'absent'> = (status, code) => {
    if ((status === 404 && code !== 'ContainerNotFound') || code === 'LeaseNotPresentWithLeaseOperation')
      return 'absent'
    return status === 409 || status === 412 ? conflict : undefined
  }

  async function end(key: string, what: string, request: () => Promise<Answer>) {
    const answer = await ask(`${what} the lease of "${key}"`, request, refusal)
    return answer === 'absent' || answer === conflict ? answer : 'deleted'
  }

  return {
    async look(key) {
      const found = await properties(key)
      if (found === undefined) return undefined
      const { metadata, leased = false, ...entry } = found
      const note = metadata[noteKey(metadata)]
      return { ...entry, leased, metadata, note: note === undefined ? undefined : decoded(note) }
    },
    async isHeld(key, id) {
      const conditions = { leaseId: id }
      const request = () => blobAt(key).getProperties({ conditions })
      const answer = await ask(`looking at the lease of "${key}"`, request, refusal)
      return answer !== 'absent' && answer !== conflict
    },
    async acquire(key, id, when) {
      const conditions = { ifMatch: etagOf(when) }
      const request = () => leaseAt(key, id).acquireLease(ENDLESS, { conditions })
      const answer = await ask(`leasing "${key}"`, request, refusal)
      return answer === 'absent' || 'kind' in answer ? undefined : tagOf(answer.etag)
    },
    async change(key, from, to) {
      const request = () => leaseAt(key, from).changeLease(to)
      const answer = await ask(`taking over the lease of "${key}"`, request, refusal)
      return answer !== 'absent' && answer !== conflict
    },
    async note({ key, tag, metadata = {} }: Leasable, id, note) {
      const conditions = { leaseId: id, ifMatch: etagOf(tag) }
      const others = { ...metadata }
      delete others[noteKey(metadata)]
      const request = () => blobAt(key).setMetadata({ ...others, [NOTE]: encoded(note) }, { conditions })
      const answer = await ask(`noting who leases "${key}"`, request, refusal)
      return answer === 'absent' || 'kind' in answer ? conflict : { kind: 'written', tag: tagOf(answer.etag) }
    },
    release: (key, id) => end(key, 'releasing', () => leaseAt(key, id).releaseLease()),
    break: (key, when) =>
      end(key, 'breaking', () => leaseAt(key).breakLease(0, { conditions: { ifMatch: etagOf(when) } })),
  }
}

/** What an upload carries to get past its own lease, and to leave the note where it is. */
export function underLease(lease: HeldLease | undefined) {
  return lease === undefined
    ? { conditions: {}, metadata: {} }
    : { conditions: { leaseId: lease.id }, metadata: { [NOTE]: encoded(lease.note) } }
}

/** Names are read in whatever case the connection gives them. */
function noteKey(metadata: Metadata): string {
  return Object.keys(metadata).find((name) => name.toLowerCase() === NOTE) ?? NOTE
}

const encoded = (text: string) => Buffer.from(text).toString('base64')
const decoded = (text: string) => Buffer.from(text, 'base64').toString()
