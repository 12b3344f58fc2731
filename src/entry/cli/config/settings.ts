import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TacoError, reasonOf } from '../../../base/errors.ts'
import { usageError } from '../terminal/exit-codes.ts'
import type { Remembered } from './config-file.ts'

export const DEFAULT_SERVER = 'http://127.0.0.1:8226'

/** The options that every command takes, as commander gives them. */
export interface GlobalFlags {
  readonly server?: string
  readonly bucket?: string
  readonly org?: string
  readonly tokenFile?: string
  readonly caFile?: string
  readonly json?: boolean
  readonly debug?: boolean
  readonly quiet?: boolean
  readonly color?: boolean
}

export type Source = 'flag' | 'environment' | 'remembered' | 'default'

/** Whom a command talks to: a server, or the same API over a bucket inside this process. */
export interface Target {
  readonly kind: 'server' | 'bucket'
  readonly address: string
  readonly from: Source
}

type Env = Readonly<Record<string, string | undefined>>

/** Flag before environment before `taco use` before the default; a server and a bucket at one level is a mistake. */
export function chooseTarget(flags: GlobalFlags, env: Env, remembered: Remembered, cwd: string): Target {
  const levels = [
    { from: 'flag', server: flags.server, bucket: flags.bucket, names: '--server and --bucket' },
    {
      from: 'environment',
      server: env['TACO_SERVER'],
      bucket: env['TACO_BUCKET'],
      names: 'TACO_SERVER and TACO_BUCKET',
    },
    { from: 'remembered', server: remembered.server, bucket: remembered.bucket, names: 'server and bucket' },
  ] as const
  for (const { from, server, bucket, names } of levels) {
    if (server && bucket) {
      throw usageError(
        `${names} cannot be used together.`,
        'Name either a server or a bucket. A server already has its bucket.',
      )
    }
    if (server) return { kind: 'server', address: serverAddress(server), from }
    if (bucket) return { kind: 'bucket', address: bucketAddress(bucket, cwd), from }
  }
  return { kind: 'server', address: DEFAULT_SERVER, from: 'default' }
}

/** Undefined if not chosen: most of the API then means "default", and calls that span all organizations mean all. */
export function chooseOrg(flags: GlobalFlags, env: Env, remembered: Remembered): string | undefined {
  return flags.org || env['TACO_ORG'] || remembered.org || undefined
}

/**
 * A remembered token file belongs to the remembered server, and is sent to no other. `login` finds what `taco login`
 * stored for the server that is meant.
 */
export function chooseToken(
  flags: GlobalFlags,
  env: Env,
  remembered: Remembered,
  target: Target,
  login: (server: string) => string | undefined = () => undefined,
): string | undefined {
  if (flags.tokenFile) return readToken(flags.tokenFile)
  if (env['TACO_TOKEN']) return checkToken(env['TACO_TOKEN'], 'TACO_TOKEN')
  if (env['TACO_TOKEN_FILE']) return readToken(env['TACO_TOKEN_FILE'])
  if (remembered.tokenFile && target.from === 'remembered') return readToken(remembered.tokenFile)
  return target.kind === 'server' ? login(target.address) : undefined
}

export function readToken(path: string): string {
  let token: string
  try {
    token = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new TacoError('BAD_REQUEST', `The token file cannot be read: ${reasonOf(error)}.`, {
      hint: 'Give --token-file a file that contains only the token.',
      cause: error,
    })
  }
  if (token === '') throw usageError(`${path} is empty.`, 'The file must contain one line: the token.')
  return checkToken(token, path)
}

/** What cannot be sent in a header would otherwise look like a server that does not answer. */
export function checkToken(token: string, where: string): string {
  const [, found] = /([^\u0021-\u007e])/u.exec(token) ?? []
  if (found === undefined) return token
  const what = /[\r\n]/.test(found)
    ? 'a line break'
    : /\s/.test(found)
      ? 'a space'
      : 'a character other than ASCII'
  throw usageError(`The token in ${where} contains ${what}.`, `Set ${where} to the token and nothing else.`)
}

export function serverAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw usageError(
      `${JSON.stringify(text)} is not a server address.`,
      'Write it as https://taco.example.com or http://127.0.0.1:8226.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(
      'The address of a server must not contain a password.',
      'Put the token in TACO_TOKEN, or in a file that you name with --token-file.',
    )
  }
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

/** A plain path is a folder; it is made absolute, so that it means the same wherever it is used later. */
export function bucketAddress(text: string, cwd: string): string {
  if (/^https?:/.test(text)) {
    throw usageError(
      'This is the address of a server, not of a bucket.',
      'Name servers with --server or TACO_SERVER.',
    )
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  return pathToFileURL(resolve(cwd, text)).href
}

/** Whether the server can only be one of this machine. */
export function isLoopbackServer(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}
