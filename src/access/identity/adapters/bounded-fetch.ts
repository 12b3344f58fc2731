import { reasonOf } from '../../../base/errors.ts'
import type { Refuse } from '../refusals.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 4_000_000

export interface BoundedFetchOptions {
  readonly label: string
  readonly refuse: Refuse
  readonly fetch?: typeof fetch | undefined
}

export type Send = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Requests to a provider: they end in time, do not follow redirects, and read a bounded answer. What later may work
 * (no connection, 429, 5xx) is refused as `unavailable`.
 */
export function boundedFetch({ label, refuse, fetch: send = fetch }: BoundedFetchOptions): Send {
  return async (url, init = {}) => {
    const { host } = new URL(url)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    let answer: Response
    let body: Uint8Array<ArrayBuffer>
    try {
      answer = await send(url, { ...init, redirect: 'manual', signal })
      body = await readBounded(answer)
    } catch (error) {
      if (error === tooLarge)
        throw refuse('misconfigured', `${label} (${host}) sends more than ${MAX_BYTES} bytes.`)
      throw refuse('unavailable', `${label} (${host}) does not answer: ${whyOf(error)}.`)
    }
    if (answer.status === 429 || answer.status >= 500)
      throw refuse('unavailable', `${label} (${host}) answers with HTTP ${answer.status}.`)
    const { status, statusText, headers } = answer
    const isBodyless = status === 204 || status === 304
    const copy = new Response(isBodyless ? null : body, { status, statusText, headers })
    return Object.defineProperty(copy, 'url', { value: answer.url })
  }
}

const tooLarge = new Error('too large')

async function readBounded(answer: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw tooLarge
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}

/** `fetch failed` says nothing; its cause does, if only by a code. */
function whyOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return reasonOf(cause) || code || 'no connection'
}
