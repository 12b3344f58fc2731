import { type Caller, principalText } from '../access/index.ts'
import { again, untilDone } from '../base/attempts.ts'
import type { Clock } from '../base/clock.ts'
import { TacoError, messageOf } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { type Bucket, createDocumentStore } from '../bucket/index.ts'
import type { DoctorFinding } from '../state/index.ts'
import {
  type Attempt,
  type CheckDocument,
  type CheckOptions,
  type Report,
  attemptNow,
  checkKind,
  createGathering,
} from './check-document.ts'
import type { CheckSubject } from './layout.ts'

/** How far a check has got. */
export interface CheckProgress {
  readonly checked: number
  readonly total: number
}

/** Does the checking. Findings come one by one; `progress` is called in between. */
export type CheckWork = (
  subject: CheckSubject,
  options: CheckOptions,
  caller: Caller,
  progress: (now: CheckProgress) => void,
) => AsyncIterable<DoctorFinding>

export interface CheckView {
  readonly attempt: Attempt
  /** Undefined: none has ended yet. */
  readonly report: Report | undefined
}

/** Checks that run in the background of a server. What they find is in the bucket, so every server shows it. */
export interface Checks {
  /** Undefined: there was none yet. */
  show(subject: CheckSubject): Promise<CheckView | undefined>
  /** CONFLICT while another one of the same subject runs, on whichever server. */
  start(subject: CheckSubject, options: CheckOptions, caller: Caller): Promise<CheckView>
  /** Ends those that run in this process, and says so in the bucket. */
  stop(): Promise<void>
}

export interface ChecksDeps {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly server: { readonly id: string; readonly host: string }
  readonly work: CheckWork
  /** How often a running check says how far it got. */
  readonly tellEveryMs?: number
}

const TELL_EVERY_MS = 3_000

export function createChecks(deps: ChecksDeps): Checks {
  const { clock, ids, log, server, work, tellEveryMs = TELL_EVERY_MS } = deps
  const store = createDocumentStore<CheckDocument, CheckSubject>(deps, checkKind)
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  function viewOf({ attempt, report }: CheckDocument): CheckView {
    return { attempt: attemptNow(attempt, clock.now()), report }
  }

  /** Enters the attempt, unless another one runs. */
  function claim(subject: CheckSubject, attempt: Attempt): Promise<CheckDocument> {
    return untilDone(clock, 'starting a check', async () => {
      const found = await store.find(subject)
      if (found === undefined) return (await store.create(subject, { ...subject, attempt }))?.value ?? again
      const before = attemptNow(found.value.attempt, clock.now())
      if (before.state === 'running')
        throw new TacoError('CONFLICT', `A check is already running on ${before.server.host}.`, {
          hint: 'Wait until it ends.',
        })
      return (await store.swap(found, { ...found.value, attempt }))?.value ?? again
    })
  }

  /** False: another check has taken this one's place, because this server was silent for too long. */
  async function tell(subject: CheckSubject, change: Partial<Attempt>, id: string, report?: Report) {
    const { answer } = await store.change(subject, (document) => {
      if (document.attempt.id !== id) return { value: document, answer: false }
      const attempt = { ...document.attempt, ...change, seenAt: clock.now() }
      return { value: { ...document, attempt, ...(report && { report }) }, answer: true }
    })
    return answer
  }

  async function run(subject: CheckSubject, { id, options, startedAt, by }: Attempt, caller: Caller) {
    const gathering = createGathering()
    const ending = new AbortController()
    const signal = AbortSignal.any([stopping.signal, ending.signal])
    let progress: Partial<CheckProgress> & { readonly checked: number } = { checked: 0 }

    async function tellNowAndThen(): Promise<void> {
      while (!signal.aborted) {
        await clock.sleep(tellEveryMs, signal).catch(() => {})
        if (signal.aborted) return
        try {
          if (!(await tell(subject, progress, id))) ending.abort()
        } catch (error) {
          log.debug('a check could not say how far it got', { error })
        }
      }
    }

    const telling = tellNowAndThen()
    let outcome: Partial<Attempt>
    try {
      const note = (now: CheckProgress) => (progress = now)
      for await (const finding of work(subject, options, { ...caller, signal }, note)) {
        signal.throwIfAborted()
        gathering.add(finding)
      }
      signal.throwIfAborted()
      outcome = { state: 'done' }
    } catch (error) {
      outcome = signal.aborted ? { state: 'interrupted' } : { state: 'failed', error: messageOf(error) }
      if (!signal.aborted) log.warn('a check failed', { check: subject.kind, error })
    }
    ending.abort()
    await telling
    const report: Report = {
      options,
      startedAt,
      endedAt: clock.now(),
      by,
      server,
      checked: progress.checked,
      ...gathering.result(),
    }
    await tell(subject, { ...outcome, ...progress }, id, outcome.state === 'done' ? report : undefined)
  }

  return {
    async show(subject) {
      const found = await store.find(subject)
      return found && viewOf(found.value)
    },
    async start(subject, options, caller) {
      const now = clock.now()
      const attempt: Attempt = {
        id: ids.id('chk'),
        state: 'running',
        options,
        startedAt: now,
        seenAt: now,
        by: principalText(caller.principal),
        server,
        checked: 0,
      }
      const document = await claim(subject, attempt)
      // It goes on after the request that started it, in the name of the same caller.
      const { principal, claim: says, requestId, origin } = caller
      const author = { principal, claim: says, origin, ...(requestId === undefined ? {} : { requestId }) }
      const going = run(subject, attempt, author)
        .catch((error: unknown) => log.warn('the result of a check could not be stored', { error }))
        .finally(() => running.delete(going))
      running.add(going)
      return viewOf(document)
    },
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
