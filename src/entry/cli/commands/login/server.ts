import { TacoError } from '../../../../base/errors.ts'
import { check, fields, record, word } from '../../api/check-answer.ts'
import type { Shape } from '../../api/check-answer.ts'
import { type Client, ofWholeServer, openClient } from '../../api/client.ts'
import { chooseAuthority } from '../../config/authority.ts'
import { serverAddress } from '../../config/settings.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'

/** The server that a person means. A name without a scheme is reached as engines would reach it. */
export function chosenServer(session: Session, given: string | undefined): string {
  if (given !== undefined) {
    if (given.includes('://')) return serverAddress(given)
    const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|$)/.test(given)
    return serverAddress(`${isHere ? 'http' : 'https'}://${given}`)
  }
  const { kind, address } = session.target()
  if (kind === 'server') return address
  throw usageError(
    'The default is a bucket, and a bucket has no sign-in.',
    'Name a server: `taco login https://taco.example.com`.',
  )
}

export function clientFor(
  { world, flags, output, remembered }: Session,
  server: string,
  token?: string,
): Client {
  const from = remembered().server === server ? 'remembered' : 'flag'
  return openClient({
    base: server,
    org: undefined,
    label: server,
    token,
    authority: chooseAuthority(flags, world, remembered(), { kind: 'server', address: server, from }),
    userAgent: `taco/${world.version()}`,
    trace: output.trace,
  })
}

/** How people sign in to a server, by what it says of itself. */
export interface SignIn {
  readonly auth: 'none' | 'token' | 'sso'
  /** As browsers reach the server. */
  readonly url: string
  /** What it offers to engines. */
  readonly services: Readonly<Record<string, unknown>>
}

const anything: Shape<unknown> = (value) => value
const discovery = fields({ 'taco.v1': fields({ auth: word<SignIn['auth']>(), url: anything }) })

export async function discover(client: Client, server: string): Promise<SignIn> {
  let services: Record<string, unknown>
  try {
    const answer = await client.json('GET', '/.well-known/terraform.json', { query: ofWholeServer })
    services = check(record(anything), answer)
  } catch (error) {
    if (error instanceof TacoError && [401, 403, 404].includes(Number(error.facts['status'])))
      throw noSignIn(server, error)
    throw error
  }
  if (services['taco.v1'] === undefined) throw noSignIn(server)
  const { auth, url } = check(discovery, services)['taco.v1']
  const isWeb = typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)
  return { auth, url: isWeb ? url : server, services }
}

function noSignIn(server: string, cause?: unknown): TacoError {
  return new TacoError('BAD_REQUEST', `${server} does not offer a sign-in.`, {
    hint: 'Check the address. An older OpenTaco server has no sign-in: set TACO_TOKEN instead.',
    cause,
  })
}
