import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TacoError, reasonOf } from '../../../../base/errors.ts'
import { writePrivately } from '../../../../base/host/private-file.ts'
import { type Place, isAbsent } from '../../config/config-file.ts'
import { isLoopbackServer } from '../../config/settings.ts'

export type Tool = 'terraform' | 'tofu'

/** The folder in which an engine looks for `credentials.tfrc.json` and for further `*.tfrc` files. */
function folderOf(tool: Tool, { env, home }: Place): string {
  if (process.platform === 'win32' && env['APPDATA']) return join(env['APPDATA'], 'terraform.d')
  const usual = join(home, '.terraform.d')
  const xdg = env['XDG_CONFIG_HOME']
  // Since 1.8, tofu uses the other folder where Terraform's is not there.
  return tool === 'tofu' && xdg && !existsSync(usual) ? join(xdg, 'opentofu') : usual
}

/** `taco.example.com`, `localhost:8226`: as `hostname` in a `cloud` block. */
export function engineHost(server: string): string {
  return new URL(server).host
}

/** True: engines refuse to discover the services of this server, because it has no TLS. */
export function isPlainLocal(server: string): boolean {
  return server.startsWith('http:') && isLoopbackServer(server)
}

/** Gives the token to the engines, beside what is in their file. Returns the files that were written. */
export function rememberInEngines(
  place: Place,
  tools: readonly Tool[],
  server: string,
  { token, services }: { readonly token: string; readonly services: Readonly<Record<string, unknown>> },
): readonly string[] {
  const folders = [...new Set(tools.map((tool) => folderOf(tool, place)))]
  return folders.flatMap((folder) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = credentialsIn(folder)
    const { credentials, ...others } = readTfrc(file)
    write(file, { ...others, credentials: { ...credentials, [engineHost(server)]: { token } } })
    if (!isPlainLocal(server)) return [file]
    const own = hostFileIn(folder, server)
    writePrivately(own, hostBlock(server, services))
    return [file, own]
  })
}

/** Removes this token, and no other that was put in its place. Returns the files that were changed. */
export function forgetInEngines(place: Place, server: string, token: string): readonly string[] {
  const folders = [...new Set((['terraform', 'tofu'] as const).map((tool) => folderOf(tool, place)))]
  return folders.flatMap((folder) => {
    const changed: string[] = []
    const file = credentialsIn(folder)
    const { credentials = {}, ...others } = existsSync(file) ? readTfrc(file) : {}
    const { [engineHost(server)]: ours, ...kept } = credentials
    if (isCredential(ours) && ours.token === token) {
      write(file, { ...others, credentials: kept })
      changed.push(file)
    }
    const own = hostFileIn(folder, server)
    if (isPlainLocal(server) && existsSync(own)) {
      rmSync(own, { force: true })
      changed.push(own)
    }
    return changed
  })
}

function credentialsIn(folder: string): string {
  return join(folder, 'credentials.tfrc.json')
}

function hostFileIn(folder: string, server: string): string {
  return join(folder, `opentaco-${engineHost(server).replace(/[^\w.-]+/g, '-')}.tfrc`)
}

interface Tfrc {
  readonly credentials?: Readonly<Record<string, unknown>>
}

function readTfrc(path: string): Tfrc {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (isAbsent(error)) return {}
    throw unusable(path, reasonOf(error), error)
  }
  if (!isObject(value) || (value['credentials'] !== undefined && !isObject(value['credentials'])))
    throw unusable(path, 'it does not have the form that engines write')
  return value
}

function write(path: string, tfrc: Tfrc): void {
  writePrivately(path, `${JSON.stringify(tfrc, null, 2)}\n`)
}

/** HCL: the value of an attribute may be written as JSON. */
function hostBlock(server: string, services: Readonly<Record<string, unknown>>): string {
  const absolute = Object.entries(services).flatMap(([id, value]) =>
    id === 'taco.v1' ? [] : [`    ${JSON.stringify(id)} = ${hcl(resolved(value, server))}`],
  )
  return [
    '# Written by `taco login`, removed by `taco logout`. Engines ask for TLS to find these addresses by themselves.',
    `host ${JSON.stringify(engineHost(server))} {`,
    '  services = {',
    ...absolute,
    '  }',
    '}',
    '',
  ].join('\n')
}

function resolved(value: unknown, server: string): unknown {
  if (typeof value === 'string') return /^(\/|https?:)/.test(value) ? new URL(value, server).href : value
  if (Array.isArray(value)) return value.map((one) => resolved(one, server))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, server)]))
}

function hcl(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(hcl).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const parts = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)} = ${hcl(one)}`)
  return `{ ${parts.join(', ')} }`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCredential(value: unknown): value is { readonly token: unknown } {
  return isObject(value) && 'token' in value
}

function unusable(path: string, why: string, cause?: unknown): TacoError {
  return new TacoError('BAD_REQUEST', `${path} cannot be changed: ${why}.`, {
    hint: `Correct the file in ${dirname(path)}, then run the command again.`,
    cause,
  })
}
