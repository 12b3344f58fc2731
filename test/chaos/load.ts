import { randomUUID } from 'node:crypto'
import { stateText } from './world.ts'

/** One call as its caller saw it; times are of this process alone, so they can be compared. */
export interface Call {
  readonly unit: string
  readonly kind: 'lock' | 'write' | 'unlock'
  readonly lock: string
  readonly sentAt: number
  readonly answeredAt: number
  /** For a write: what was sent, and the version that it was told to have become. */
  readonly text?: string
  readonly version?: string
}

export interface LoadOptions {
  readonly urls: readonly string[]
  readonly units: readonly string[]
  readonly workersPerUnit: number
  readonly calls: number
  readonly deadlineMs: number
  /** Told after every answer how many there were. */
  readonly onCall?: (count: number) => void
}

/**
 * Many CLIs at once: lock, read, write once or twice, unlock. A request without an answer is sent again, to any
 * server, until there is one: that is how a lost answer becomes a known one.
 */
export async function runLoad(options: LoadOptions): Promise<readonly Call[]> {
  const calls: Call[] = []
  const end = performance.now() + options.deadlineMs
  const isOver = () => calls.length >= options.calls || performance.now() > end
  const workers = options.units.flatMap((unit) =>
    Array.from({ length: options.workersPerUnit }, async () => {
      while (!isOver()) {
        await cycle(unit, options.urls, calls, isOver)
        options.onCall?.(calls.length)
      }
    }),
  )
  await Promise.all(workers)
  return calls
}

async function cycle(
  unit: string,
  urls: readonly string[],
  calls: Call[],
  isOver: () => boolean,
): Promise<void> {
  const lock = randomUUID()
  const address = `/v1/backend/default/${unit}`
  const info = JSON.stringify({ ID: lock, Operation: 'apply', Who: 'load' })
  const note = (call: Omit<Call, 'unit' | 'lock' | 'answeredAt'>) =>
    void calls.push({ ...call, unit, lock, answeredAt: performance.now() })

  const askedAt = performance.now()
  const locked = await insist(urls, address, { method: 'LOCK', body: info }, isOver)
  if (locked.status !== 200) return
  note({ kind: 'lock', sentAt: askedAt })
  for (let write = 0; write < 2; write++) {
    const read = await insist(urls, address, { method: 'GET' })
    const serial = read.status === 200 ? (JSON.parse(read.text) as { serial: number }).serial : 0
    const text = stateText(serial + 1, randomUUID())
    const sentAt = performance.now()
    const written = await insist(urls, `${address}?ID=${lock}`, { method: 'POST', body: text })
    if (written.status !== 200) throw new Error(`a write under its own lock was refused: ${written.text}`)
    note({ kind: 'write', sentAt, text, version: (JSON.parse(written.text) as { id: string }).id })
    if (Math.random() < 0.5) break
  }
  const sentAt = performance.now()
  await insist(urls, address, { method: 'UNLOCK', body: info })
  note({ kind: 'unlock', sentAt })
}

interface Answer {
  readonly status: number
  readonly text: string
}

async function insist(
  urls: readonly string[],
  address: string,
  request: { readonly method: string; readonly body?: string },
  isOver = () => false,
): Promise<Answer> {
  const end = performance.now() + 60_000
  let last: unknown
  while (performance.now() < end) {
    const url = urls[Math.floor(Math.random() * urls.length)] ?? ''
    try {
      const answer = await fetch(url + address, { ...request, signal: AbortSignal.timeout(20_000) })
      const text = await answer.text()
      if (answer.status === 423 && !isOver()) {
        // Somebody else has it, and that is what this is about.
        await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20))
        continue
      }
      if (answer.status < 500) return { status: answer.status, text }
      last = text
    } catch (error) {
      last = error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  throw new Error(`no answer to ${request.method} ${address}`, { cause: last })
}
