import { messageOf } from '../base/errors.ts'
import { unitPath } from '../entry/cli/api/client.ts'
import type { Client } from '../entry/cli/api/client.ts'
import { check, fields, text } from '../entry/cli/api/check-answer.ts'

/** What a child process gets instead of the caller's own token: it opens the backend of one unit while the run lasts. */
export interface RunToken {
  /** Undefined: the server asks for none. */
  readonly token: string | undefined
  /** Revokes it. Never throws: the run has ended, however this goes. */
  end(): Promise<void>
}

export interface RunTokenOptions {
  readonly ttlMs?: number
  /** Told if it could not be revoked. */
  readonly say: (line: string) => void
}

/** Long enough for an engine that outlives its killed parent to store what it made, and for a laptop's short sleep. */
const TTL_MS = 3_600_000

export const noRunToken: RunToken = { token: undefined, end: () => Promise.resolve() }

/** Whatever comes of the work, the token ends with it. */
export async function during<T>(run: RunToken, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await run.end()
  }
}

const issued = fields({ id: text, token: text, expiresAt: text })
const renewed = fields({ expiresAt: text })

/** Issued by the server, and renewed until its end. */
export async function takeRunToken(
  client: Client,
  unit: string,
  options: RunTokenOptions,
): Promise<RunToken> {
  const { ttlMs = TTL_MS, say } = options
  const answer = await client.json('POST', unitPath(unit, '/run-tokens'), { json: { ttlMs } })
  const { id, token, ...first } = check(issued, answer)
  let { expiresAt } = first
  const path = `/v1/run-tokens/${encodeURIComponent(id)}`

  async function renew(): Promise<void> {
    const renewal = await client.json('POST', `${path}/renew`, { json: { ttlMs } })
    expiresAt = check(renewed, renewal).expiresAt
  }

  // One that fails is tried again several times before the token expires.
  const renewing = setInterval(() => void renew().catch(() => {}), ttlMs / 6)
  renewing.unref()
  return {
    token,
    async end() {
      clearInterval(renewing)
      try {
        await client.json('DELETE', path)
      } catch (error) {
        say(`the token of this run could not be revoked and is valid until ${expiresAt}: ${messageOf(error)}`)
      }
    },
  }
}
