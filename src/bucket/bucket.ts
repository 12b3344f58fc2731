/**
 * Stores whole objects and can refuse a write when another writer was faster.
 *
 * Every adapter keeps these promises; test/contract/bucket.ts checks them:
 * - A put or delete is atomic: a reader sees the old object or the new one, whole.
 * - After a write has answered, every later read and list of any process sees it.
 * - A failed condition is `conflict`, never an exception. **A conflict does not prove that another writer won**:
 * a retried request may meet its own first try. Read again and look.
 * - Adapters retry throttling and transient failures with jitter. Any other failure is thrown as a TacoError:
 * BUCKET_UNAVAILABLE (the outcome of a write is then unknown), BUCKET_REFUSED, or UNEXPECTED.
 * - Keys are as given: `/`-separated, no empty, `.` or `..` segment, at most 1024 bytes of UTF-8.
 */
export interface Bucket {
  /** `file`, `s3`, `gs`, `azblob`, `memory`: for messages and metrics. */
  readonly kind: string
  /** The bucket's address without secrets: for messages. */
  readonly label: string
  readonly can: BucketAbilities
  /** Default: `lockBeside`. */
  readonly locks?: StoreLocks

  /** Undefined when there is no object. `unchanged` only if `ifNoneMatch` was given and still holds. */
  get(
    key: string,
    options: GetOptions & { readonly ifNoneMatch: Tag },
  ): Promise<Found | 'unchanged' | undefined>
  get(key: string, options?: GetOptions): Promise<Found | undefined>

  /**
   * Returns a cheap, repeatable check that cached bytes are still current. `true` means current right now; `false`
   * means "unknown, use `get`". Only for buckets that can mostly answer without a promise.
   */
  confirmer?(key: string, tag: Tag): () => boolean | Promise<boolean>

  /** An object that is in memory and was found current just now. Undefined means "unknown, use `get`". */
  atHand?(key: string): Held | undefined

  /**
   * A text that changes with every change of the objects directly below a prefix, which ends in a slash. If you took it
   * before a listing and it is still the same, you need not list again. Undefined means "unknown".
   */
  mark?(prefix: string): Promise<string | undefined>

  /** Like get, without the bytes. */
  head(key: string, options?: Waiting): Promise<Entry | undefined>

  /** `absent` creates, a tag replaces exactly that object. There is no unconditional put. */
  put(key: string, body: Body, when: 'absent' | Tag, options?: PutOptions): Promise<Written | Conflict>

  /**
   * Deletes exactly the object with this tag. Where `can.conditionalDelete` is false the condition is
   * only looked at just before the delete: callers then follow the claimed-delete rule of the lock protocol.
   * Deleting what is not there is `absent`.
   */
  delete(
    key: string,
    when: Tag,
    options?: Waiting & { readonly retry?: boolean },
  ): Promise<'deleted' | 'absent' | Conflict>

  /** Pages of entries in byte order of their keys; safe to stop early. One page is one request. */
  list(prefix: string, options?: ListOptions): AsyncIterable<readonly Entry[]>

  close(): Promise<void>
}

/** How programs that go to this kind of store directly lock an object. */
export interface StoreLocks {
  /** The key of the object that shows whether the object at `key` is locked. */
  placeOf(key: string): string
  /** Does an object at such a place show a lock? */
  isLock(entry: Entry): boolean
  /** Only where the lock is a lease on the object itself. */
  readonly leases?: Leases
}

const isLockObject = ({ key }: Entry) => key.endsWith('.tflock')

/** As `backend "s3"` with `use_lockfile` does it. */
export const lockBeside: StoreLocks = { placeOf: (key) => `${key}.tflock`, isLock: isLockObject }

/** Opaque: compare it, never read it. Identifies one content of one key. */
export type Tag = string & { readonly __tag: unique symbol }

export interface BucketAbilities {
  /** False: the store ignores conditions on delete. Found out by the probe where it depends on the server. */
  readonly conditionalDelete: boolean
  /** A complete listing is one request, whatever the number of objects. */
  readonly listsInOneRequest: boolean
  /** False: as in a folder, no object can be stored below the key of another (`a` and `a/b`). */
  readonly nestedKeys?: boolean
  /** True: as in many folders of macOS and Windows, keys that differ only by case are one object. */
  readonly foldsCase?: boolean
}

/** Bytes that can be read more than once (a retry reads again). */
export interface Body {
  readonly size: number
  /** The whole, where it is in memory anyway. */
  readonly bytes: Uint8Array | undefined
  /** In hex, if already known: saves a second pass over the bytes. */
  readonly sha256?: string | undefined
  stream(): AsyncIterable<Uint8Array>
}

export interface Entry {
  readonly key: string
  readonly tag: Tag
  readonly size: number
  /** Milliseconds since the epoch by the store's clock; for people and for retention, never for order. */
  readonly modifiedAt: number
  /** The object is leased; only from stores that have leases. */
  readonly leased?: boolean
}

/** An object under way. Read it once, by `bytes()` or by `stream()`, or call `discard()`. */
export interface Found extends Entry {
  bytes(): Promise<Buffer>
  stream(): AsyncIterable<Uint8Array>
  discard(): void
}

/** A whole object in memory, to be read any number of times. */
export interface Held extends Entry {
  readonly content: Buffer
}

export interface Written {
  readonly kind: 'written'
  readonly tag: Tag
}

export interface Conflict {
  readonly kind: 'conflict'
}

export const conflict: Conflict = { kind: 'conflict' }

export interface Waiting {
  readonly signal?: AbortSignal
}

export interface GetOptions extends Waiting {
  /** Bytes `start` to `end`, both included; a range past the end is cut. */
  readonly range?: { readonly start: number; readonly end: number }
  readonly ifNoneMatch?: Tag
}

export interface PutOptions extends Waiting {
  readonly contentType?: string
  /** A conflict, unless the object is leased under this id. */
  readonly lease?: HeldLease
}

export interface ListOptions extends Waiting {
  /** Only keys that sort after this one. */
  readonly after?: string
  /** Keys per page at most; the store may give fewer. */
  readonly pageSize?: number
}

/** The time on the store's clock, if known: for the check of clock skew. */
export interface StoreClock {
  storeTime(): Promise<number | undefined>
}

/**
 * For stores where programs lock an object by an endless lease on the object itself: Azure. The holder chooses the id,
 * a UUID, and only those who know the id can write the object. The store never reveals the id of a lease. Leasing
 * leaves content and tag alone.
 */
export interface Leases {
  /** Undefined: there is no object. */
  look(key: string): Promise<Leasable | undefined>
  /** Is the object leased under this very id? */
  isHeld(key: string, id: string): Promise<boolean>
  /** Leases an object that has this tag; its tag after that, or undefined. Again under the same id changes nothing. */
  acquire(key: string, id: string, when: Tag): Promise<Tag | undefined>
  /** Changes the id, for the holder of the first one. It is not a failure if the second one already holds. */
  change(key: string, from: string, to: string): Promise<boolean>
  /** Leaves a note for others who find the object leased. The content stays; the tag changes. */
  note(found: Leasable, id: string, note: string): Promise<Written | Conflict>
  /** Ends the lease with this id. */
  release(key: string, id: string): Promise<'deleted' | 'absent' | Conflict>
  /** Ends the lease of an object that has this tag, whosever it is. */
  break(key: string, when: Tag): Promise<'deleted' | 'absent' | Conflict>
}

/** An object that can be leased, as it was at the time of a look. */
export interface Leasable extends Entry {
  readonly leased: boolean
  readonly note: string | undefined
  /** Other metadata of the object: kept as it is. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** What the holder of the lease needs for a put. */
export interface HeldLease {
  readonly id: string
  readonly note: string
}
