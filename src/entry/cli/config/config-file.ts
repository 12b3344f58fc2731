import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TacoError, reasonOf } from '../../../base/errors.ts'
import { writePrivately } from '../../../base/host/private-file.ts'

/** What `taco use` keeps between commands. */
export interface Remembered {
  readonly server?: string
  readonly bucket?: string
  readonly org?: string
  /** The path of the file, never the token. */
  readonly tokenFile?: string
  /** The certificate of a private authority that issued the server's. */
  readonly caFile?: string
}

/** Where the files of a person are. */
export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
}

export function configPath({ env, home }: Place): string {
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opentaco', 'config.json')
}

export function readRemembered(place: Place): Remembered {
  const path = configPath(place)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isAbsent(error)) return {}
    throw damaged(path, error)
  }
  return parseRemembered(text, path)
}

/** Checked by hand: this is read by every command, and loading a schema library costs more than the command. */
export function parseRemembered(text: string, path: string): Remembered {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw damaged(path, error)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw damaged(path, 'it is not an object')
  const found: Record<string, string> = {}
  for (const name of ['server', 'bucket', 'org', 'tokenFile', 'caFile'] as const) {
    const field: unknown = Reflect.get(value, name)
    if (field === undefined) continue
    if (typeof field !== 'string') throw damaged(path, `"${name}" is not text`)
    found[name] = field
  }
  return found
}

export function writeRemembered(place: Place, remembered: Remembered): string {
  const path = configPath(place)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writePrivately(path, `${JSON.stringify(remembered, null, 2)}\n`)
  return path
}

export function forget(place: Place): void {
  rmSync(configPath(place), { force: true })
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function damaged(path: string, cause: unknown): TacoError {
  return new TacoError('BAD_REQUEST', `${path} cannot be used: ${reasonOf(cause)}.`, {
    hint: 'Run `taco use --forget`, then `taco use <address>` again.',
    cause,
  })
}
