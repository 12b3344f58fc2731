import { Worker } from 'node:worker_threads'
import { TacoError } from '../../base/errors.ts'
import { type LongWork, inThisThread } from '../../state/index.ts'
import { type CarriedError, uncarried } from '../carried-error.ts'

export interface Task {
  readonly name: keyof LongWork
  readonly given: readonly unknown[]
}

export type TaskEnd = { readonly result: unknown } | { readonly refusal: CarriedError }

export interface Threads {
  readonly work: LongWork
  close(): Promise<void>
}

export interface ThreadOptions {
  /** More than this many things are never done at once; the others wait. */
  readonly atOnce: number
  /** A thread with nothing to do ends after so long, and gives its memory back. */
  readonly idleMs: number
  /** A job that takes longer, or more memory, is ended. */
  readonly mostMs: number
  readonly mostMegabytes: number
  /** So few bytes are worked on faster than they are handed over. */
  readonly handOverFrom: number
}

export const defaultThreadOptions: ThreadOptions = {
  atOnce: 2,
  idleMs: 5_000,
  mostMs: 120_000,
  mostMegabytes: 2048,
  handOverFrom: 64 * 1024,
}

interface Waiting extends Task {
  readonly bytes: readonly Uint8Array[]
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Threads that do long work while this one answers. They start when there is something to do. */
export function openThreads(entry: URL, options: ThreadOptions = defaultThreadOptions): Threads {
  const queue: Waiting[] = []
  const idle: Worker[] = []
  const all = new Set<Worker>()

  /** The bytes are transferred: the caller must not use them any more. */
  function run<T>(name: keyof LongWork, given: readonly unknown[], bytes: readonly Uint8Array[]): Promise<T> {
    return new Promise((resolve, reject) => {
      queue.push({ name, given, bytes, resolve: (result) => resolve(result as T), reject })
      begin()
    })
  }

  function begin(): void {
    while (queue.length > 0 && (idle.length > 0 || all.size < options.atOnce)) {
      const task = queue.shift()
      if (task !== undefined) hand(task, idle.pop() ?? start())
    }
  }

  function start(): Worker {
    const worker = new Worker(entry, {
      resourceLimits: { maxOldGenerationSizeMb: options.mostMegabytes },
      // A thread must not get the server's own options: they may tell it to listen or to report.
      execArgv: [],
      env: {},
    })
    all.add(worker)
    worker.once('exit', () => {
      all.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
      begin()
    })
    return worker
  }

  function hand(task: Waiting, worker: Worker): void {
    worker.ref()
    const giveUp = () => {
      settle(() => task.reject(tooMuch(`more than ${options.mostMs / 1000} s`)))
      void worker.terminate()
    }
    const timer = setTimeout(giveUp, options.mostMs)
    const settle = (tell: () => void) => {
      clearTimeout(timer)
      worker.removeAllListeners('message')
      worker.removeAllListeners('error')
      // Whatever it still sends has already been answered.
      worker.on('error', () => {})
      tell()
    }
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      settle(() => task.reject(isMemory ? tooMuch(`more than ${options.mostMegabytes} MB`) : error))
    })
    worker.once('message', (end: TaskEnd) => {
      settle(() => ('result' in end ? task.resolve(end.result) : task.reject(uncarried(end.refusal))))
      rest(worker)
      begin()
    })
    worker.postMessage({ name: task.name, given: task.given } satisfies Task, owned(task.bytes))
  }

  function rest(worker: Worker): void {
    idle.push(worker)
    worker.unref()
    const timer = setTimeout(() => {
      if (!idle.includes(worker)) return
      idle.splice(idle.indexOf(worker), 1)
      void worker.terminate()
    }, options.idleMs)
    timer.unref()
  }

  const isLong = (...bytes: readonly Uint8Array[]) =>
    bytes.reduce((sum, { byteLength }) => sum + byteLength, 0) >= options.handOverFrom

  return {
    work: {
      diff: (before, after) =>
        isLong(before, after)
          ? run('diff', [before, after], [before, after])
          : inThisThread.diff(before, after),
      digestOutput: (name, text, key) =>
        isLong(text)
          ? run('digestOutput', [name, text, key], [text])
          : inThisThread.digestOutput(name, text, key),
      outputValue: (text) =>
        isLong(text) ? run('outputValue', [text], [text]) : inThisThread.outputValue(text),
    },
    async close() {
      await Promise.all([...all].map((worker) => worker.terminate()))
    },
  }
}

/** Bytes that have a buffer to themselves change hands; others are copied. */
function owned(bytes: readonly Uint8Array[]): ArrayBuffer[] {
  return bytes.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? [buffer] : [],
  )
}

function tooMuch(what: string): TacoError {
  return new TacoError('TOO_LARGE', `This takes ${what}, which is more than the server allows.`, {
    facts: { field: 'body' },
    hint: 'For a comparison, get both versions with `taco state pull` and compare the files. Otherwise split the unit.',
  })
}

/** The built program has the thread beside it; from source there is nothing that a thread could load. */
export function ownThreads(): Threads | undefined {
  return import.meta.url.endsWith('.ts') ? undefined : openThreads(new URL('./thread.js', import.meta.url))
}
