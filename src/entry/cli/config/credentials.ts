import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TacoError, reasonOf } from '../../../base/errors.ts'
import { writePrivately } from '../../../base/host/private-file.ts'
import { type Place, configPath, isAbsent } from './config-file.ts'

/** What `taco login` keeps for one server. */
export interface Credential {
  readonly token: string
  /** Whose token it is: `user:alice`. */
  readonly who?: string
  /** True: `taco login` obtained the token, so `taco logout` revokes it. Otherwise it came from elsewhere. */
  readonly isOwn?: boolean
  /** ISO 8601. */
  readonly expiresAt?: string
}

/** By the address of the server, as `serverAddress` writes it. */
type Credentials = Readonly<Record<string, Credential>>

export function credentialsPath(place: Place): string {
  return join(dirname(configPath(place)), 'credentials.json')
}

export function readCredential(place: Place, server: string): Credential | undefined {
  return readAll(place)[server]
}

/** Undefined: forgets it. */
export function writeCredential(place: Place, server: string, credential: Credential | undefined): string {
  const path = credentialsPath(place)
  const { [server]: _, ...others } = readAll(place)
  const servers = credential === undefined ? others : { ...others, [server]: credential }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writePrivately(path, `${JSON.stringify({ servers }, null, 2)}\n`)
  return path
}

/** Checked by hand, like the file beside it: most commands read this. */
function readAll(place: Place): Credentials {
  const path = credentialsPath(place)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return {}
    throw damaged(path, error)
  }
  let servers: unknown
  try {
    servers = (JSON.parse(text) as { servers?: unknown } | null)?.servers
  } catch (error) {
    throw damaged(path, error)
  }
  if (typeof servers !== 'object' || servers === null) throw damaged(path, '"servers" is missing')
  const found: Record<string, Credential> = {}
  for (const [server, value] of Object.entries(servers as Record<string, Partial<Credential> | null>)) {
    if (typeof value?.token !== 'string') throw damaged(path, `the token of ${server} is missing`)
    found[server] = value as Credential
  }
  return found
}

function damaged(path: string, cause: unknown): TacoError {
  return new TacoError('BAD_REQUEST', `${path} cannot be used: ${reasonOf(cause)}.`, {
    hint: 'Correct the file or delete it, then run `taco login` again.',
    cause,
  })
}
