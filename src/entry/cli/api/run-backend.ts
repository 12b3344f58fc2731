import type { LockAnswer } from './answers.ts'
import { childEnv } from '../../../runner/child-env.ts'
import { type RunToken, noRunToken, takeRunToken } from '../../../runner/run-token.ts'
import type { Session } from '../session.ts'

/** The state backend that this command gives to engines. */
export interface RunBackend {
  readonly url: string
  /** What engines find in their environment besides the backend. */
  readonly env: Readonly<Record<string, string>>
  /** Goes with the locks that the command takes. */
  readonly run: string | undefined
  /** Whether the command may have left that lock behind; another one is somebody's who is still at work. */
  isOwnLock(lock: LockAnswer): boolean
  /** For one run on one unit (a name or an id); end it with the run. */
  takeToken(unit: string, say: (line: string) => void): Promise<RunToken>
}

export async function openBackend(session: Session): Promise<RunBackend> {
  const { kind, address } = session.target()
  const { env } = session.world
  const takeToken = async (unit: string, say: (line: string) => void) =>
    takeRunToken(await session.client(), unit, { say })
  if (kind === 'server') {
    const { randomBytes } = await import('node:crypto')
    // Engines name the person and the machine, which may run several commands at once.
    const run = randomBytes(12).toString('base64url')
    const token = session.token()
    return {
      url: address,
      env: childEnv(env, token),
      run,
      isOwnLock: ({ info }) => info.Run === run,
      // Whoever comes to the server without a token needs none for an engine either.
      takeToken: token === undefined ? () => Promise.resolve(noRunToken) : takeToken,
    }
  }
  const { url, hasTaken } = await (await session.embedded()).listen()
  return { url, env: childEnv(env), run: undefined, isOwnLock: ({ id }) => hasTaken(id), takeToken }
}
