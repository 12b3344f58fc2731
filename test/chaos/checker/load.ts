import { randomUUID } from 'node:crypto'
import { stateText } from './world.ts'

/** One call as its caller saw it; times are of this process alone, so they can be compared. */
export interface Call {
  readonly unit: string
  readonly kind: 'lock' | 'write' | 'unlock'
  readonly lock: string
  readonly sentAt: number
  readonly answeredAt: number
  /** For a write: what was sent, and the version named in the answer. */
  readonly text?: string
  readonly version?: string
}

export interface LoadOptions {
  readonly urls: readonly string[]
  readonly units: readonly string[]
  readonly workersPerUnit: number
  readonly requests: number
  /** On a slow machine, fewer requests will do after so long, but never fewer than are enough. */
  readonly hurryAfterMs: number
  isEnough(calls: readonly Call[]): boolean
}

export interface Load {
  readonly calls: readonly Call[]
  /** Refused and repeated ones too. */
  readonly requests: number
}

/**
 * Many CLIs at once: lock, read, write once or twice, unlock. A request without an answer is sent again, to any
 * server, until there is one: that is how a lost answer becomes a known one.
 */
export async function runLoad(options: LoadOptions): Promise<Load> {
  const calls: Call[] = []
  const count = { requests: 0 }
  const end = performance.now() + options.hurryAfterMs
  let hasFailed = false
  const isOver = () =>
    hasFailed || ((count.requests >= options.requests || performance.now() > end) && options.isEnough(calls))
  const workers = options.units.flatMap((unit) =>
    Array.from({ length: options.workersPerUnit }, async () => {
      while (!isOver()) await cycle({ unit, urls: options.urls, calls, count, isOver })
    }).map((work) =>
      work.catch((error: unknown) => {
        hasFailed = true
        throw error
      }),
    ),
  )
  // No client continues after its test has failed.
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return { calls, requests: count.requests }
}

interface Work {
  readonly unit: string
  readonly urls: readonly string[]
  readonly calls: Call[]
  readonly count: { requests: number }
  readonly isOver: () => boolean
}

async function cycle(work: Work): Promise<void> {
  const { unit, calls } = work
  const lock = randomUUID()
  const address = `/v1/backend/default/${unit}`
  const info = JSON.stringify({ ID: lock, Operation: 'apply', Who: 'load' })
  const note = (call: Omit<Call, 'unit' | 'lock' | 'answeredAt'>) =>
    void calls.push({ ...call, unit, lock, answeredAt: performance.now() })

  const askedAt = performance.now()
  const locked = await insist(work, address, { method: 'LOCK', body: info })
  if (locked.status !== 200) return
  note({ kind: 'lock', sentAt: askedAt })
  for (let write = 0; write < 2; write++) {
    const read = await insist(work, address, { method: 'GET' })
    const serial = read.status === 200 ? (JSON.parse(read.text) as { serial: number }).serial : 0
    const text = stateText(serial + 1, randomUUID())
    const sentAt = performance.now()
    const written = await insist(work, `${address}?ID=${lock}`, { method: 'POST', body: text })
    if (written.status !== 200) throw new Error(`a write under its own lock was refused: ${written.text}`)
    note({ kind: 'write', sentAt, text, version: (JSON.parse(written.text) as { id: string }).id })
    if (Math.random() < 0.5) break
  }
  const sentAt = performance.now()
  await insist(work, address, { method: 'UNLOCK', body: info })
  note({ kind: 'unlock', sentAt })
}

interface Answer {
  readonly status: number
  readonly text: string
}

async function insist(
  { urls, count, isOver }: Work,
  address: string,
  request: { readonly method: string; readonly body?: string },
): Promise<Answer> {
  const end = performance.now() + 60_000
  let last: unknown
  while (performance.now() < end) {
    const url = urls[Math.floor(Math.random() * urls.length)] ?? ''
    try {
      const answer = await fetch(url + address, { ...request, signal: AbortSignal.timeout(20_000) })
      const text = await answer.text()
      count.requests++
      const isHeld = answer.status === 423
      if (answer.status < 500 && !(isHeld && request.method === 'LOCK' && !isOver()))
        return { status: answer.status, text }
      last = text
    } catch (error) {
      last = error
    }
    // Another client has the lock, or the server is being killed: try again, not all at once.
    await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 30))
  }
  throw new Error(`no answer to ${request.method} ${address}`, { cause: last })
}
