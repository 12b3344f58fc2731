import type { Author, Caller, RunTokens, UnitFacts } from '../access/index.ts'
import type { Body, Found, Held, OutboxDocument } from '../bucket/index.ts'
import type { Audit } from './audit/model.ts'
import type { StateFacts } from './content/scan.ts'
import type { Expected } from './expected.ts'
import type {
  Dependency,
  Event,
  EventType,
  EventRetention,
  OrgLimits,
  LockInfo,
  Read,
  Retention,
} from './documents/model.ts'
import type {
  AdoptFinding,
  AbsenceView,
  DamagedVersion,
  DoctorFinding,
  EventView,
  GraphFacts,
  GcReport,
  LockView,
  OrgView,
  OutputsCommitView,
  OutputsDiffView,
  UnitView,
  UsageView,
  VersionView,
} from './views/views.ts'

/**
 * State control as its faces see it. Every method throws TacoError for what the caller cannot go on with;
 * nothing is written when it throws, unless it says so.
 */
export interface StateControl {
  readonly orgs: Orgs
  readonly orgNames: OrgNames
  readonly units: Units
  readonly states: States
  readonly keys: StateKeys
  readonly uploads: Uploads
  readonly locks: Locks
  readonly versions: Versions
  readonly outputs: Outputs
  readonly graph: GraphStore
  readonly journal: Journal
  readonly audit: Audit
  readonly outbox: Outbox
  readonly upkeep: Upkeep
  readonly runTokens: RunTokens
  /** Finishes work that was answered but not yet tidied up; further calls are refused. */
  close(): Promise<void>
}

/** A unit by name (`prod/network/vpc`) or by id (`ws-…`). */
export interface UnitRef {
  readonly org: string
  readonly unit: string
}

export interface Page<T> {
  readonly items: readonly T[]
  /** Cursor of the next page; undefined at the end. */
  readonly next: string | undefined
}

export interface OrgPage extends Page<OrgView> {
  /** Names of those that should be among these, and whose documents cannot be read. */
  readonly damaged: readonly string[]
}

/** What a unit stores. */
export interface UnitUsage {
  readonly id: string
  readonly name: string
  readonly isDeleted: boolean
  readonly versions: number
  /** Of the current state. */
  readonly stateBytes: number
  readonly versionBytes: number
}

/** What is left out stays as it is; null keeps everything, or takes a limit away. */
export interface OrgChange {
  readonly limits?: { readonly [K in keyof OrgLimits]?: number | null | undefined }
  readonly retention?: Retention | null
  readonly eventRetention?: EventRetention | null
}

/** From the names of organizations to their ids, which every service takes. Faces look names up once, at the start. */
export interface OrgNames {
  /** Of a current or former name. May lag other servers by two seconds. A name that is unknown is given as it is. */
  idOf(name: string): string
  /** The current name. May lag as much. */
  nameOf(id: string): string
  /** Undefined: `idOf` lags no more than that already. */
  refresh(): Promise<void> | undefined
}

/** What becomes of organizations. Their id stays, and so does everything that they have in the bucket. */
export interface OrgLife {
  /** `prefix`: the folder of its states; without, one that is named after it. */
  create(input: { name: string; prefix?: string } & OrgChange, caller: Caller): Promise<OrgView>
  /** Former names still lead to it. */
  rename(org: string, name: string, caller: Caller, expected?: Expected): Promise<OrgView>
  /** Hides it and refuses its units, and removes nothing. Refuses while units are locked unless forced. */
  remove(org: string, options: { force: boolean }, caller: Caller, expected?: Expected): Promise<OrgView>
  restore(org: string, caller: Caller): Promise<OrgView>
}

export interface Orgs extends OrgLife {
  /** Of all of them, also of those whose document cannot be read. */
  names(caller: Caller): Promise<readonly string[]>
  list(page: { limit: number; cursor?: string; deleted?: 'no' | 'only' }, caller: Caller): Promise<OrgPage>
  get(org: string, caller: Caller): Promise<OrgView>
  /** As of at most a minute ago: it costs a listing of all versions. */
  usage(org: string, caller: Caller): Promise<UsageView>
  /** The same by unit, of those that the caller may see, the largest first. Deleted ones too. */
  usageByUnit(org: string, caller: Caller): Promise<readonly UnitUsage[]>
  update(org: string, change: OrgChange, caller: Caller, expected?: Expected): Promise<OrgView>
  /**
   * For a request that creates something under a generated id: the id that this very request got the first time, which
   * is `id` then. Creating it under that id creates it once.
   */
  reserve(org: string, id: string, caller: Caller): Promise<string>
}

export interface UnitChange {
  readonly description?: string
  /** Merged into the labels; null removes one. */
  readonly labels?: Readonly<Record<string, string | null>>
  readonly allowDecrypt?: boolean
  readonly retention?: Retention | null
  readonly section?: SectionChange
}

/** A change of the section that another layer has in the document of a unit. */
export interface SectionChange {
  /** Of the layer. */
  readonly name: string
  /** Called again if another change comes first. Undefined removes the section. Throw to refuse. */
  change(current: unknown): unknown
}

export interface UnitQuery {
  readonly org: string
  readonly limit: number
  readonly cursor?: string
  /** Names that start with this. */
  readonly prefix?: string
  /** Names that contain this. */
  readonly search?: string
  readonly labels?: Readonly<Record<string, string>>
  /** `only`: the deleted ones. */
  readonly deleted?: 'no' | 'only'
}

export interface UnitSelection {
  readonly org: string
  matches(unit: UnitView): boolean
  /** Default: by name. */
  readonly compare?: ((a: UnitView, b: UnitView) => number) | undefined
  readonly skip: number
  readonly limit: number
}

export interface UnitPage extends Page<UnitView> {
  readonly asOf: number
  /** Units of the organization that are left out, because their documents cannot be read. */
  readonly damaged: number
}

export interface Units {
  /** The change that this very request asks for was made before. */
  isRepeated(ref: UnitRef, caller: Caller): Promise<boolean>
  /** By name. May lag other servers' writes by a second; `asOf` says as of when. */
  list(query: UnitQuery, caller: Caller): Promise<UnitPage>
  get(ref: UnitRef, caller: Caller): Promise<UnitView>
  /** Some of those that `matches` takes, for pages that are asked for by number. As current as lists. */
  select(
    query: UnitSelection,
    caller: Caller,
  ): Promise<{ readonly items: readonly UnitView[]; readonly total: number }>
  /** The units that the caller may see, deleted ones included, by id. Undefined: all. As current as lists. */
  visible(org: string, caller: Caller): Promise<ReadonlyMap<string, UnitFacts> | undefined>
  /** `takeOver: false`: not by a name that another unit had (NAME_GIVEN_UP). */
  create(
    input: { org: string; name: string; key?: string; takeOver?: boolean } & UnitChange,
    caller: Caller,
  ): Promise<UnitView>
  update(ref: UnitRef, change: UnitChange, caller: Caller, expected?: Expected): Promise<UnitView>
  rename(ref: UnitRef, name: string, caller: Caller, expected?: Expected): Promise<UnitView>
  /** Soft: history stays, restore brings it back. Refuses while resources remain unless forced. */
  remove(ref: UnitRef, options: { force: boolean }, caller: Caller, expected?: Expected): Promise<UnitView>
  /** By id, or by the name it had if no other deleted unit had it. `name` puts it back under another one. */
  restore(ref: UnitRef, options: { name?: string }, caller: Caller): Promise<UnitView>
}

/** A state on its way in: received whole, hashed and understood. Dispose it in any case. */
export interface ReceivedState {
  readonly body: Body
  readonly hash: string
  /** Undefined: an outside write that is not a state at all. */
  readonly facts: StateFacts | undefined
  dispose(): Promise<void>
}

export interface ReceiveOptions {
  readonly maxBytes: number
  /** Content-Length as declared: fewer bytes are STATE_TRUNCATED. */
  readonly declaredBytes?: number
  /** Content-MD5 as declared (base64): another is STATE_DIGEST. */
  readonly contentMd5?: string
  /** For the organization's key of sensitive digests. */
  readonly org: string
}

export type PartOptions = Omit<ReceiveOptions, 'org'>

export interface WriteOptions {
  readonly lockId?: string
  readonly force?: boolean
  readonly keepSerial?: boolean
  readonly how: 'backend' | 'push'
  readonly message?: string
  readonly createUnit?: boolean
  /** What the id of the version begins with, for a client that was told it in advance. Made with `newVersionStart`. */
  readonly versionStart?: string
  /** Tags of the state that it is meant to replace; else PRECONDITION_FAILED and nothing is written. */
  readonly expected?: Expected
}

export interface States {
  /** The current version and the tag of its bytes, by the document alone. Undefined: there is no state. */
  current(
    ref: UnitRef,
    caller: Caller,
  ): Promise<{ readonly version: VersionView; readonly tag: string } | undefined>
  /**
   * The state object alone, as it is. Undefined: the unit has no state, or there was never such a unit. Throws
   * NAME_GIVEN_UP for the name of one that was renamed or deleted.
   */
  read(
    ref: UnitRef,
    options: {
      ifNoneMatch?: string
      signal?: AbortSignal
      /** Only these bytes, both included, cut at the end. The size is that of the whole. */
      range?: { readonly start: number; readonly end: number }
      /** The unit on whose behalf it is read: recorded as its read of all outputs. */ consumer?: string
    },
    caller: Caller,
  ): Promise<Found | 'unchanged' | undefined>
  /**
   * The state, if its bytes are in memory and confirmed current without a promise. Undefined means "unknown, use
   * `read`". Avoids half a dozen promises, which are most of the cost of a small state.
   */
  readNow(ref: UnitRef, caller: Caller): Held | undefined
  /** Takes the bytes in, in one pass; large ones go through the spool. Throws STATE_* before anything is written. */
  receive(stream: AsyncIterable<Uint8Array>, options: ReceiveOptions, caller: Caller): Promise<ReceivedState>
  /**
   * Writes a new version. With `lockId`, under that lock; without, under a lock of its own for just this write
   * (LOCKED if anyone holds one). `force` skips the checks of serial and lineage; the state gets the next serial if its
   * own is not above every one of the history, unless `keepSerial`. `createUnit`: on first use, unless the
   * name is given up.
   */
  write(ref: UnitRef, state: ReceivedState, options: WriteOptions, caller: Caller): Promise<VersionView>
  /** Removes the state object; the history stays. Refuses while resources remain unless forced. */
  remove(
    ref: UnitRef,
    options: { lockId?: string; force: boolean; expected?: Expected },
    caller: Caller,
  ): Promise<void>
}

/** The key of a state, relative to the folder of its organization. */
export interface KeyRef {
  readonly org: string
  readonly key: string
}

export interface KeyedUnit extends KeyRef {
  readonly unit: string
  readonly name: string
  readonly isNew: boolean
}

export interface ListedState {
  /** Relative to the folder of the organization. */
  readonly key: string
  readonly size: number
  /** When it was written. */
  readonly at: number
  /** Null: not known at the moment. */
  readonly tag: string | null
}

/**
 * Units by the keys of their states: how code that was written for a plain bucket finds them. A unit keeps its key when
 * it is renamed.
 */
export interface StateKeys {
  /**
   * The unit that has its state at this key, by id. `isNew`: there is none; `unit` and `name` are then the name that it
   * gets when it is created, which depends on the key alone unless another unit has that name.
   */
  find(ref: KeyRef): Promise<KeyedUnit>
  /**
   * Creates the unit of this name at this key, unless the name is given up. An object that is there already is taken up
   * only where every new unit of that name has its state; elsewhere, `adopt` has to register it.
   */
  create(ref: KeyRef, name: string, caller: Caller): Promise<UnitRef>
  /** Throws if there is an object at this key that belongs to no unit: "no state" would be wrong. */
  checkAbsent(ref: KeyRef): Promise<void>
  /** States whose key starts with the prefix, in the order of their keys. As current as lists. */
  list(org: string, prefix: string, caller: Caller): Promise<readonly ListedState[]>
  /** As `locks.get`; also in a deleted organization, where what was begun under a lock can be finished. */
  lockOf(ref: UnitRef, caller: Caller): Promise<LockView | null>
  /** The tag of the state that a write has just stored. Undefined: it was replaced since. */
  tagOf(ref: UnitRef, version: string): Promise<string | undefined>
}

export interface UploadRef extends KeyRef {
  readonly id: string
}

/** States that come in parts, each with a request of its own, in any order and to any server. */
export interface Uploads {
  /** The id of the upload. */
  begin(ref: KeyRef, caller: Caller): Promise<string>
  /** The hash of the part. A part with the same number may be sent again. */
  putPart(
    ref: UploadRef,
    number: number,
    stream: AsyncIterable<Uint8Array>,
    options: PartOptions,
  ): Promise<string>
  /** What it became; undefined if it is not finished. NOT_FOUND if there is no such upload of this key. */
  find(ref: UploadRef): Promise<{ readonly version: string; readonly tag: string } | undefined>
  /** The bytes of these parts, one after another. BAD_REQUEST if one of them is missing. */
  read(
    ref: UploadRef,
    parts: readonly { readonly number: number; readonly hash: string }[],
  ): AsyncIterable<Uint8Array>
  /** Records what it became, and removes its parts. */
  finish(ref: UploadRef, done: { readonly version: string; readonly tag: string }): Promise<void>
  abort(ref: UploadRef): Promise<void>
  /** Removes what was begun more than a day ago. */
  removeOld(org: string): Promise<void>
}

export interface Locks {
  /** The holder, an outside one included; null when free. */
  get(ref: UnitRef, caller: Caller): Promise<LockView | null>
  /** Idempotent for the same ID. Throws LOCKED with `facts.holder` (LockInfo). */
  lock(
    ref: UnitRef,
    info: LockInfo,
    options: { reason?: string; leaseMs?: number; createUnit?: boolean },
    caller: Caller,
  ): Promise<LockView>
  renew(ref: UnitRef, id: string, leaseMs: number, caller: Caller): Promise<LockView>
  /** Idempotent for the same ID. Throws LOCK_MISMATCH with `facts.holder` when another client holds it. */
  unlock(ref: UnitRef, id: string, caller: Caller): Promise<void>
  /** Breaks whichever lock is there, an outside one too; with `id`, only that one. Recorded as its own event. */
  forceUnlock(ref: UnitRef, options: { id?: string }, caller: Caller): Promise<LockView | null>
}

/** How a version differs from the one before it, as far as that is known without reading either. */
export interface VersionChange {
  /** How many more resources it has. Null: unknown, because one of them is encrypted or not a state. */
  readonly resources: number | null
  /** Names of the outputs that it added, changed or removed. Null: unknown. */
  readonly outputs: readonly string[] | null
}

export interface Versions {
  /**
   * Newest first. `damaged`: what should be among them and cannot be shown. `absences`: when there was no state, or no
   * unit, after these versions. `changes`: by the id of the version, if asked for.
   */
  list(
    ref: UnitRef,
    page: { limit: number; cursor?: string; changes?: boolean },
    caller: Caller,
  ): Promise<
    Page<VersionView> & {
      readonly damaged: readonly DamagedVersion[]
      readonly absences: readonly AbsenceView[]
      readonly changes: ReadonlyMap<string, VersionChange>
    }
  >
  /** By id (`sv-…`) or how it begins, by sequence number (`12`), or `current`, `previous`. */
  get(ref: UnitRef, version: string, caller: Caller): Promise<VersionView>
  /** The very bytes that came in, verified by hash. */
  read(
    ref: UnitRef,
    version: string,
    caller: Caller,
  ): Promise<{ view: VersionView; body: Body; dispose(): Promise<void> }>
  /** A `StateDiff` as JSON text: it can be as large as both states, and is not parsed here. */
  diff(ref: UnitRef, from: string, to: string, caller: Caller): Promise<Uint8Array>
  /**
   * A new version with the content of an old one and a serial above every one of the history. `current` is the last
   * version, also if the state was deleted. STATE_ENCRYPTED: only with `keepSerial`.
   */
  rollback(
    ref: UnitRef,
    version: string,
    options: { lockId?: string; message?: string; keepSerial?: boolean; expected?: Expected },
    caller: Caller,
  ): Promise<VersionView>
}

/** What a unit is given of another. */
export type NewRead = Pick<Read, 'from' | 'names' | 'commit' | 'digests' | 'inputs'>

export interface Outputs {
  /**
   * The current outputs, or those of an earlier commit or version. `sensitive`: with sensitive values, out of the state; the
   * caller must have that right. `consumer`: the unit on whose behalf they are read; recorded as its read.
   */
  get(
    ref: UnitRef,
    options: {
      commit?: number
      /** As `Versions.get` takes it. */
      version?: string
      names?: readonly string[]
      sensitive: boolean
      consumer?: string
    },
    caller: Caller,
  ): Promise<OutputsCommitView>
  /**
   * Records what a unit was given from others, in one write, before it is given. `run`: the token of a run that will
   * report with `graph.applied` that it used exactly this; without it, the use of the values is unknown.
   */
  recordReads(
    consumer: UnitRef,
    reads: readonly NewRead[],
    reader: { readonly run?: string },
    caller: Caller,
  ): Promise<void>
  /** Newest first, without values. */
  log(
    ref: UnitRef,
    page: { limit: number; cursor?: string },
    caller: Caller,
  ): Promise<Page<OutputsCommitView>>
  /** Without reading a state. Default: the newest commit against the one before it. */
  diff(
    ref: UnitRef,
    options: { from?: number; to?: number; names?: readonly string[] },
    caller: Caller,
  ): Promise<OutputsDiffView>
}

/** What the graph layer reads and writes of units. */
export interface GraphStore {
  /**
   * As of a moment ago, like listings. `key` is the same object as long as the unit has not changed. Unless `damaged`
   * says otherwise, throws if the document of a unit cannot be read: what it uses, and whether it changed, is unknown.
   */
  units(
    org: string,
    options: {
      /** Not lagging anybody: a full listing, begun now. */
      readonly fresh?: boolean
      /** Units whose documents cannot be read: `shown` as such, at the end. */
      readonly damaged?: 'left out' | 'shown'
    },
    caller: Caller,
  ): Promise<{ readonly asOf: number; readonly units: readonly GraphUnit[] }>
  /** As it was then. Dependencies as they are now: only states and reads have a history. Damaged units are shown. */
  unitsAt(org: string, time: number, caller: Caller): Promise<readonly GraphFacts[]>
  /** When an outputs commit was made and by whom, without asking the bucket. Undefined: it is not in memory. */
  commitOf(
    org: string,
    unit: string,
    commit: number,
    caller: Caller,
  ): Promise<{ readonly at: number; readonly by: string; readonly who: string | null } | undefined>
  /** `change` gives the same list if there is nothing to change. */
  changeDependencies(
    ref: UnitRef,
    change: (current: readonly Dependency[], unitId: string) => readonly Dependency[],
    caller: Caller,
  ): Promise<UnitView>
  /** Gives the key of each unit's fingerprints, by its id. */
  fingerprintKeys(org: string, caller: Caller): Promise<(unit: string) => string>
  /** As it is in the bucket now. Undefined: it does not exist, or was deleted. */
  facts(ref: UnitRef, caller: Caller): Promise<GraphFacts | undefined>
  /**
   * An apply of a rollout failed. Recorded until one succeeds, or an engine writes under other locks than these. `run`:
   * its token; the end that it reported first counts. `locks`: the worker is dead, these are its locks and those of the
   * workers before it, and it may still report its end late.
   */
  failed(
    ref: UnitRef,
    apply: { readonly rollout: string; readonly run?: string; readonly locks?: readonly string[] },
    caller: Caller,
  ): Promise<void>
  /**
   * A run's apply ended well. What the run read is what the state was made from, even if nothing had to be written;
   * `run` is its token, and the id of the lock if it was the run that took it. The fingerprint is of this version alone.
   * Telling it again changes nothing.
   */
  applied(
    ref: UnitRef,
    apply: { readonly run: string; readonly since: number; readonly fingerprint: string | null },
    caller: Caller,
  ): Promise<void>
}

export interface GraphUnit {
  readonly id: string
  readonly key: object
  facts(): GraphFacts
}

export interface EventQuery {
  readonly org?: string
  readonly unit?: string
  readonly types?: readonly string[]
  readonly limit: number
  /** Default: oldest first. */
  readonly order?: 'asc' | 'desc'
  /** Cursor of an earlier answer in the same order; undefined: from the start. `now`: only what comes, oldest first. */
  readonly after?: string
}

export interface EventPage {
  readonly items: readonly EventView[]
  /** Cursor of what follows. Oldest first it is also good at the end, for what is still to come. */
  readonly next: string
  /** False: this is the end, for now. */
  readonly more: boolean
  /** Newest first, without a cursor: follows from here, oldest first, with everything that is not in this answer yet. */
  readonly latest?: string
}

export interface Journal {
  /** Oldest first, no event is skipped. GONE: what follows the cursor was removed by retention. */
  read(query: EventQuery, caller: Caller): Promise<EventPage>
  /**
   * Oldest first, page after page as events come, with an empty page now and again. However many follow, the bucket is
   * asked by one. Those who are slow are not waited for: they read from the bucket what the others have passed.
   */
  follow(query: EventQuery, signal: AbortSignal, caller: Caller): AsyncIterable<EventPage>
}

export interface SweepReport {
  readonly looked: number
  readonly repaired: number
  /** Units whose state was emptied or deleted from outside, as long as no one has decided about it. */
  readonly missing: number
}

export interface GcOptions {
  /** Undefined: all organizations, and what belongs to none. */
  readonly org?: string
  readonly dryRun: boolean
  /** For a dry run: what would go if the organization kept this. Units with a rule of their own keep theirs. */
  readonly asIf?: {
    readonly retention: Retention | null
    readonly eventRetention: EventRetention | null
  }
  /** Called for each unit of which something goes. */
  readonly onUnit?: (removed: RemovedOfUnit) => void
}

export interface RemovedOfUnit extends Pick<GcReport, 'versionsPruned' | 'objectsDeleted' | 'bytesDeleted'> {
  readonly id: string
}

export interface DoctorOptions {
  readonly deep: boolean
  readonly repair: boolean
  /** Called after each unit. `total`: units of the organizations that it has come to. */
  readonly progress?: (now: { readonly checked: number; readonly total: number }) => void
}

export interface Upkeep {
  /** Finds every state object and registers it as a unit, touching none of them. */
  adopt(
    options: { org: string; under?: string; as?: string; dryRun: boolean },
    caller: Caller,
  ): AsyncIterable<AdoptFinding>
  gc(options: GcOptions, caller: Caller): Promise<GcReport>
  /** Explains what is wrong; deep reads everything back; repair puts right what can be. */
  doctor(options: DoctorOptions, caller: Caller): AsyncIterable<DoctorFinding>
  /** One look at every unit: resolves left-over intents, records outside writes, mends `.tflock`, flushes events. */
  sweep(caller: Caller): Promise<SweepReport>
}

export type { Body, Caller, Found }

/** What happened, before it has an id and a time. It goes into the outbox of the changed document. */
export interface EventDraft<Type extends string = EventType> {
  readonly type: Type
  readonly caller: Pick<Caller, 'principal' | 'claim' | 'requestId' | 'origin'>
  /** The author according to the document, where the caller only completes the change. */
  readonly author?: Author
  readonly data?: Readonly<Record<string, unknown>>
}

/** How events get from the document whose change they tell into the journal: of units, organizations, other layers. */
export interface Outbox {
  /** `unit` undefined: about the organization. */
  make(
    about: { readonly org: string; readonly unit?: { readonly id: string; readonly name: string } },
    draft: EventDraft<string>,
  ): Event
  /** What must stay in the outbox of the next version of the document. */
  unsent(outbox: readonly Event[]): Event[]
  /**
   * After a document was written, with the events of that change. Events found in a document may or may not be in the
   * journal, so they are taken out if no other change does it: soon, or on closing.
   */
  send(outbox: readonly Event[], made: readonly Event[], document?: OutboxDocument): void
  /** After a document was read: sends the events that a server left in it when it ended. */
  sendLeft(outbox: readonly Event[], document: OutboxDocument): void
}
