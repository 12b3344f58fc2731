import { type RunTokenApi, type StateBackend, childEnv } from '../../../runner/index.ts'
import type { Session } from '../session.ts'
import type { LockAnswer } from './answers.ts'
import { check, fields, text } from './check-answer.ts'
import { type Client, unitPath } from './client.ts'
import { stepPath } from './rollout-api.ts'

/** The state backend that this command gives to engines. */
export interface RunBackend extends StateBackend {
  /** Recorded with the locks that the command takes. */
  readonly run: string | undefined
  /** Whether the command may have left that lock behind; any other belongs to a command that is still running. */
  isOwnLock(lock: LockAnswer): boolean
}

export async function openBackend(session: Session): Promise<RunBackend> {
  const { kind, address } = session.target()
  const { env } = session.world
  const tokens = runTokenApi(() => session.client())
  if (kind === 'server') {
    const { randomBytes } = await import('node:crypto')
    // Engines name the person and the machine, which may run several commands at once.
    const run = randomBytes(12).toString('base64url')
    const token = session.token()
    const authority = session.authority()
    return {
      url: address,
      // Engines know nothing of --ca-file and of the local authority.
      env: {
        ...childEnv(env, token),
        ...(authority === undefined ? {} : { TF_HTTP_CLIENT_CA_CERTIFICATE_PEM: authority }),
      },
      // A caller that needs no token for the server needs none for an engine either.
      tokens: token === undefined ? undefined : tokens,
      run,
      isOwnLock: ({ info }) => info.Run === run,
    }
  }
  const { url, hasTaken } = await (await session.embedded()).listen()
  return { url, env: childEnv(env), tokens, run: undefined, isOwnLock: ({ id }) => hasTaken(id) }
}

const issued = fields({ id: text, token: text, expiresAt: text })
const renewed = fields({ expiresAt: text })

export function runTokenApi(client: () => Promise<Client>): RunTokenApi {
  const path = (id: string) => `/v1/run-tokens/${encodeURIComponent(id)}`
  const post = async (to: string, json: unknown) => (await client()).json('POST', to, { json })
  return {
    issue: async (unit, ttlMs) => check(issued, await post(unitPath(unit, '/run-tokens'), { ttlMs })),
    renew: async (id, ttlMs) => check(renewed, await post(`${path(id)}/renew`, { ttlMs })),
    async revoke(id) {
      await (await client()).json('DELETE', path(id))
    },
  }
}

/** A worker's own: a step is a run, also on a guarded unit, so its token comes with the claim. */
export function stepTokenApi(tokens: RunTokenApi, client: Client, rollout: string): RunTokenApi {
  return {
    ...tokens,
    async issue(unit, ttlMs, claim) {
      if (claim === undefined) return tokens.issue(unit, ttlMs)
      const json = { token: claim, ttlMs }
      return check(issued, await client.json('POST', stepPath(rollout, unit, 'run-token'), { json }))
    },
  }
}
