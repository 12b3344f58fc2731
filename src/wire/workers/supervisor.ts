import cluster, { type Worker } from 'node:cluster'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../base/clock.ts'
import { TacoError, badRequest } from '../../base/errors.ts'
import { createLog } from '../../base/log-sink.ts'
import { uncarried } from '../carried-error.ts'
import type { Served } from '../serve.ts'
import { LAST_WORDS_MS, type ServeInput, type ServeOptions, parseServeOptions } from '../serve-options.ts'
import { type BackOff, createBackOff } from './back-off.ts'
import type { ToParent, ToWorker } from './messages.ts'
import { sumCounters, sumMetrics } from './sum-metrics.ts'

/** A worker that is this busy counts with its last figures. */
const COUNT_MS = 1_000
/** For the exit of workers that have closed what they had. */
const EXIT_MS = 2_000

type Ready = Extract<ToParent, { kind: 'ready' }>

/** The place of one worker, whichever process has it now. */
interface Slot {
  readonly number: number
  readonly backOff: BackOff
  worker: Worker | undefined
  metrics: string
  /** Called when its metrics have come, or never will. */
  counted: () => void
}

/**
 * Several server processes on one address. Whichever is free accepts a connection. They need nothing from
 * each other but the bucket; this process starts them, replaces those that die, adds up their metrics and passes on
 * their logs.
 */
export async function serveWithWorkers(input: ServeInput, workers: number): Promise<Served> {
  const given = parseServeOptions(input)
  if (given.bucket.startsWith('memory:'))
    throw badRequest('workers', 'A bucket in memory belongs to one process.', 'Use --workers 1.')
  const options: ServeOptions = {
    ...given,
    logFormat: given.logFormat ?? (process.stderr.isTTY ? 'text' : 'json'),
  }
  const write = (text: string) => process.stderr.write(text)
  const log = createLog({ level: options.logLevel, format: options.logFormat ?? 'json', write })
  process.on('exit', log.flush)
  const clock = systemClock
  const stopping = new AbortController()
  const slots = Array.from({ length: workers }, (_, i): Slot => ({
    number: i + 1,
    backOff: createBackOff(),
    worker: undefined,
    metrics: '',
    counted() {},
  }))
  /** The counters of workers that are gone. */
  let past = ''
  let replaced = 0
  let counting: Promise<string> | undefined

  // Workers accept for themselves. In turn, a connection on its way to a worker that dies would be held open here for
  // ever, and its client would wait without an answer.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({
    exec: fileURLToPath(import.meta.url).replace(/supervisor(\.[jt]s)$/, 'worker$1'),
    args: [],
    silent: true,
  })

  /** Resolves once it serves. One that dies later is replaced. */
  function start(slot: Slot): Promise<Ready> {
    const worker = cluster.fork()
    const startedAt = clock.now()
    const { number } = slot
    let isReady = false
    let failure = new TacoError('UNEXPECTED', 'A worker process ended before it served.')
    slot.worker = worker
    for (const stream of [worker.process.stdout, worker.process.stderr]) passOnLines(stream, write)
    worker.on('error', (error) => log.warn('a worker cannot be reached', { worker: number, error }))
    return new Promise((resolve, reject) => {
      worker.on('message', (message: ToParent) => {
        if (message.kind === 'awake') tell(worker, { kind: 'serve', number, options })
        else if (message.kind === 'ready') {
          isReady = true
          log.info('worker started', { worker: number, pid: worker.process.pid })
          resolve(message)
        } else if (message.kind === 'failed') failure = uncarried(message.error)
        else if (message.kind === 'counted') {
          slot.metrics = message.text
          slot.counted()
        } else if (message.kind === 'metrics')
          void metricsText().then((text) => tell(worker, { kind: 'metrics', text }))
        else for (const other of slots) if (other.worker !== worker) tell(other.worker, message)
      })
      worker.once('exit', (code, signal) => {
        slot.worker = undefined
        slot.counted()
        past = sumCounters([past, slot.metrics])
        slot.metrics = ''
        if (!isReady) return reject(failure)
        if (stopping.signal.aborted) return
        log.error('a worker ended and is replaced', { worker: number, pid: worker.process.pid, code, signal })
        void replace(slot, clock.now() - startedAt)
      })
    })
  }

  async function replace(slot: Slot, livedMs: number): Promise<void> {
    replaced++
    await clock.sleep(slot.backOff.afterLifeOf(livedMs), stopping.signal).catch(() => {})
    if (stopping.signal.aborted) return
    await start(slot).catch((error: unknown) => {
      if (stopping.signal.aborted) return
      log.error('a worker could not start', { worker: slot.number, error })
      void replace(slot, 0)
    })
  }

  function metricsText(): Promise<string> {
    counting ??= count().finally(() => (counting = undefined))
    return counting
  }

  async function count(): Promise<string> {
    const live = slots.filter(({ worker }) => worker !== undefined)
    const counted = live.map(
      (slot) =>
        new Promise<void>((resolve) => {
          slot.counted = resolve
          tell(slot.worker, { kind: 'count' })
        }),
    )
    await within(COUNT_MS, Promise.all(counted))
    return `${sumMetrics([...slots.map(({ metrics }) => metrics), past])}${aboutWorkers(live.length, replaced)}`
  }

  async function shutDown(): Promise<void> {
    log.info('stopping')
    await endWorkers(slots, stopping, options.graceMs + LAST_WORDS_MS + EXIT_MS)
    log.info('stopped')
    log.flush()
    process.off('exit', log.flush)
  }

  let ready: Ready | undefined
  try {
    ;[ready] = await Promise.all(slots.map(start))
  } catch (error) {
    await endWorkers(slots, stopping, 0)
    throw error
  }
  const { url = '', bucket = '' } = ready ?? {}
  log.info('serving', { url, bucket, auth: options.auth, workers: slots.length })
  let closing: Promise<void> | undefined
  return { url, bucket, close: () => (closing ??= shutDown()) }
}

function tell(worker: Worker | undefined, message: ToWorker): void {
  // One that has just died is about to be replaced.
  if (worker?.isConnected() === true) worker.send(message, () => {})
}

/** Those that have not ended in time are killed: nothing that was acknowledged is lost by it. */
async function endWorkers(slots: readonly Slot[], stopping: AbortController, ms: number): Promise<void> {
  stopping.abort()
  const workers = slots.flatMap(({ worker }) => worker ?? [])
  const ended = Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))))
  for (const worker of workers) tell(worker, { kind: 'stop' })
  await within(ms, ended)
  for (const worker of workers) if (!worker.isDead()) worker.process.kill('SIGKILL')
  await ended
}

/** Whole lines only: those of several workers must not run into each other. */
function passOnLines(from: Readable | null, write: (text: string) => void): void {
  let rest = ''
  from?.setEncoding('utf8').on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) write(rest + text.slice(0, end))
    rest = end > 0 ? text.slice(end) : rest + text
  })
  from?.on('end', () => {
    if (rest !== '') write(`${rest}\n`)
  })
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const late = systemClock.sleep(ms, over.signal).catch(() => {})
  await Promise.race([work, late])
  over.abort()
}

function aboutWorkers(live: number, replaced: number): string {
  return [
    '# HELP opentaco_workers Worker processes.',
    '# TYPE opentaco_workers gauge',
    `opentaco_workers ${live}`,
    '# HELP opentaco_workers_replaced_total Worker processes that ended by themselves and were replaced.',
    '# TYPE opentaco_workers_replaced_total counter',
    `opentaco_workers_replaced_total ${replaced}`,
    '',
  ].join('\n')
}
