import type { Clock } from '../base/clock.ts'
import { isTacoError, messageOf, TacoError } from '../base/errors.ts'
import type { ErrorCode } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import { withAbilities } from './abilities.ts'
import type { Adjustable } from './abilities.ts'
import { bodyOf } from './body.ts'
import type { Bucket, BucketAbilities, Entry, StoreClock, Tag } from './bucket.ts'

export type ProbeCheck =
  | 'access' // the bucket answers and lets us write
  | 'create-once'
  | 'replace-if-unchanged'
  | 'read-after-write'
  | 'list-after-write'
  | 'conditional-delete'
  | 'clock'

export interface ProbeFinding {
  readonly check: ProbeCheck
  readonly ok: boolean
  /** What was seen, for a person. */
  readonly detail: string
  readonly hint: string | undefined
  /** Nothing can be served from this bucket. */
  readonly fatal: boolean
  /** Where the bucket threw instead of answering. */
  readonly code: ErrorCode | undefined
}

export interface ProbeReport {
  readonly label: string
  readonly findings: readonly ProbeFinding[]
  /** What the bucket was found to be able to do: give it to `withAbilities`. */
  readonly abilities: BucketAbilities
}

export interface ProbeOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly signal?: AbortSignal
}

type Probed = Bucket & Partial<StoreClock> & Partial<Adjustable>

const FOLDER = '.taco/probe/'
const LEFT_OVER_MS = 3600_000
const SKEW_MS = 5_000

const UNFIT =
  'Use a store with conditional writes, such as AWS S3, Cloudflare R2, MinIO, Google Cloud Storage, Azure Blob, or a folder.'

/** Tries out, under `.taco/probe/`, whether the bucket keeps the promises that everything rests on. */
export async function probeBucket(bucket: Probed, options: ProbeOptions): Promise<ProbeReport> {
  const findings: ProbeFinding[] = []
  const key = `${FOLDER}${options.ids.ulid(options.clock.now())}/object`
  const waiting = options.signal === undefined ? {} : { signal: options.signal }
  let conditionalDelete = bucket.can.conditionalDelete

  const passed = (check: ProbeCheck, detail: string) =>
    findings.push({ check, ok: true, detail, hint: undefined, fatal: false, code: undefined })
  const failed = (check: ProbeCheck, detail: string, hint: string, fatal = true) =>
    findings.push({ check, ok: false, detail, hint, fatal, code: undefined })

  async function tagAfter(when: 'absent' | Tag, text: string): Promise<Tag | undefined> {
    const answer = await bucket.put(key, bodyOf(`${text} of ${key}`), when, waiting)
    return answer.kind === 'written' ? answer.tag : undefined
  }

  async function createAndReplace(): Promise<{ readonly old: Tag; readonly current: Tag } | undefined> {
    const first = await tagAfter('absent', 'first content')
    if (first === undefined) {
      failed('access', 'A new object could not be created.', UNFIT)
      return undefined
    }
    passed('access', 'An object was created.')
    if ((await tagAfter('absent', 'second creation')) === undefined) {
      passed('create-once', 'A second creation was refused.')
    } else failed('create-once', 'An existing object was created again.', UNFIT)

    const now = await bucket.head(key, waiting)
    const second = now === undefined ? undefined : await tagAfter(now.tag, 'second content')
    const stale = await tagAfter(first, 'stale content')
    const missing = await bucket.put(`${key}-missing`, bodyOf('nothing to replace'), first, waiting)
    if (second === undefined)
      failed('replace-if-unchanged', 'A replacement with the right tag was refused.', UNFIT)
    else if (stale !== undefined)
      failed('replace-if-unchanged', 'A replacement with an old tag was accepted.', UNFIT)
    else if (missing.kind === 'written') {
      failed('replace-if-unchanged', 'A replacement of a missing object was accepted.', UNFIT)
    } else passed('replace-if-unchanged', 'A replacement with an old tag was refused.')
    return second === undefined ? undefined : { old: first, current: second }
  }

  async function readBack(tag: Tag): Promise<void> {
    const found = await bucket.get(key, waiting)
    const text = (await found?.bytes())?.toString()
    if (found?.tag === tag && text === `second content of ${key}`)
      passed('read-after-write', 'A write was read back.')
    else failed('read-after-write', 'A read after a write returned something else.', CONSISTENCY)
  }

  async function listBack(tag: Tag): Promise<readonly Entry[]> {
    const seen: Entry[] = []
    for await (const page of bucket.list(FOLDER, waiting)) seen.push(...page)
    const isThere = seen.some((entry) => entry.key === key && entry.tag === tag)
    if (isThere) passed('list-after-write', 'A write was listed at once.')
    else failed('list-after-write', 'A list after a write does not show it.', CONSISTENCY)
    return seen
  }

  /** Asks the store itself: an adapter that does not trust it would look before it deletes. */
  async function staleDelete(stale: Tag): Promise<void> {
    if (!conditionalDelete && bucket.withAbilities === undefined) {
      failed('conditional-delete', NO_CONDITIONAL_DELETE, WITHOUT_CONDITIONAL_DELETE, false)
      return
    }
    const trusting = withAbilities(bucket, { ...bucket.can, conditionalDelete: true })
    await trusting.delete(key, stale, waiting)
    conditionalDelete = (await bucket.head(key, waiting)) !== undefined
    if (conditionalDelete) passed('conditional-delete', 'A delete with an old tag was refused.')
    else failed('conditional-delete', NO_CONDITIONAL_DELETE, WITHOUT_CONDITIONAL_DELETE, false)
  }

  async function compareClocks(): Promise<void> {
    const store = await bucket.storeTime?.()
    if (store === undefined) return
    const skew = Math.round((options.clock.now() - store) / 1000)
    const detail = `This machine's clock is ${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead of'} the store's.`
    if (Math.abs(skew) * 1000 <= SKEW_MS) passed('clock', detail)
    else failed('clock', detail, 'Set the clock of this machine, for example with NTP.', false)
  }

  let leftOver: readonly Entry[] = []
  try {
    const tags = await createAndReplace()
    if (tags !== undefined && !findings.some(({ fatal }) => fatal)) {
      await readBack(tags.current)
      leftOver = await listBack(tags.current)
      await staleDelete(tags.old)
    }
    await compareClocks()
  } catch (error) {
    options.signal?.throwIfAborted()
    findings.push(thrown(error))
  }
  await cleanUp(bucket, [key, `${key}-missing`, ...oldKeys(leftOver, options.clock.now())])
  return { label: bucket.label, findings, abilities: { ...bucket.can, conditionalDelete } }
}

const CONSISTENCY =
  'Use a store whose reads and lists show every finished write at once, without a cache in between.'
const NO_CONDITIONAL_DELETE = 'A delete with an old tag was accepted.'
const WITHOUT_CONDITIONAL_DELETE =
  'Nothing needs to be done. Unlocking takes a little longer, and locks are less strict for programs that use the bucket directly.'

function thrown(error: unknown): ProbeFinding {
  const known = isTacoError(error) ? error : undefined
  return {
    check: 'access',
    ok: false,
    detail: messageOf(error),
    hint: known?.hint ?? 'Check the address of the bucket and the credentials.',
    fatal: true,
    code: known?.code ?? 'UNEXPECTED',
  }
}

/** Objects of probes that died; only after an hour, because others may be probing now. */
function oldKeys(entries: readonly Entry[], now: number): readonly string[] {
  return entries.filter(({ modifiedAt }) => modifiedAt < now - LEFT_OVER_MS).map(({ key }) => key)
}

/** What cannot be cleaned up now is cleaned up by a later probe. */
async function cleanUp(bucket: Bucket, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    try {
      const entry = await bucket.head(key)
      if (entry !== undefined) await bucket.delete(key, entry.tag)
    } catch {
      return
    }
  }
}

/** Throws what keeps the bucket from being served: BUCKET_UNFIT, or the error that the bucket gave. */
export function refuseIfUnfit(report: ProbeReport): void {
  const faults = report.findings.filter(({ fatal }) => fatal)
  const [first] = faults
  if (first === undefined) return
  const facts = { bucket: report.label, missing: faults.map(({ check }) => check) }
  const why = faults.map(({ detail }) => detail).join(' ')
  const message =
    first.code === undefined ? `The bucket ${report.label} cannot be used. ${why}` : first.detail
  const hint = first.hint === undefined ? {} : { hint: first.hint }
  throw new TacoError(first.code ?? 'BUCKET_UNFIT', message, { facts, ...hint })
}
