import { sha256Hex } from '../base/sha256-hex.ts'
import { nameFromFlat, parseUnitName, readStateKey, unitNameFor } from '../state/index.ts'
import { type HclBody, bodiesOf } from './hcl/hcl.ts'
import { isScalar } from './hcl/values.ts'
import { folderAt, isOfMachine, joined } from './path.ts'

/** Where a state is stored, according to the code. */
export interface Place {
  readonly kind: string
  /** Equal for two configurations of the same state; undefined if the code alone does not say. */
  readonly identity?: string
  /** The same without what is often given at init only: bucket, account, organization. */
  readonly loose?: string
  /** For people. */
  readonly says: string
  /** What the unit is called that has this state, where that can be read from it. */
  readonly unit?: string
  /** The organization of a unit of ours. */
  readonly org?: string
}

interface Settings {
  /** Undefined: not there. Null: only a run knows. */
  (name: string): string | null | undefined
}

/**
 * The settings that distinguish the states of other backends, and those that locate the whole store, which are often
 * given only at init.
 */
const OTHERS: ReadonlyMap<
  string,
  { readonly telling: readonly string[]; readonly around: readonly string[] }
> = new Map([
  ['consul', { telling: ['path'], around: ['address', 'datacenter'] }],
  ['cos', { telling: ['prefix', 'key'], around: ['bucket'] }],
  ['etcdv3', { telling: ['prefix'], around: ['endpoints'] }],
  [
    'kubernetes',
    {
      telling: ['namespace', 'secret_suffix'],
      around: ['host', 'config_path', 'config_paths', 'config_context', 'config_context_cluster'],
    },
  ],
  ['oss', { telling: ['prefix', 'key'], around: ['bucket'] }],
  ['pg', { telling: ['schema_name'], around: ['conn_str'] }],
])

/**
 * `kind` and the settings of a `backend` block, or of a `terraform_remote_state`, whose settings are the same. They
 * are evaluated already: one that is there and undefined is one that only a run knows.
 */
export function placeOf(
  kind: string,
  config: HclBody,
  context: { readonly dir: string; readonly workspace?: string },
): Place {
  const { dir } = context
  const workspace = context.workspace === 'default' ? undefined : context.workspace
  const get: Settings = (name) => (name in config && config[name] !== null ? textOf(config[name]) : undefined)
  switch (kind) {
    case 'http':
      return httpPlace(get('address'))
    case 's3': {
      const [bucket, key, prefix] = [get('bucket'), get('key'), get('workspace_key_prefix')]
      const whole = workspace === undefined ? key : `${prefix ?? 'env:'}/${workspace}/${key ?? ''}`
      return stored(kind, 's3:/', [bucket], key, whole, workspace)
    }
    case 'gcs': {
      const [bucket, prefix] = [get('bucket'), get('prefix')]
      if (bucket === undefined && prefix === undefined) return unfinished(kind)
      const key = prefix === null ? null : [prefix, 'default.tfstate'].filter(Boolean).join('/')
      const whole = key?.replace(/default\.tfstate$/, `${workspace ?? 'default'}.tfstate`)
      return stored(kind, 'gs:/', [bucket], key, whole, workspace)
    }
    case 'azurerm': {
      const key = get('key')
      const whole = workspace === undefined ? key : `${key ?? ''}env:${workspace}`
      return stored(
        kind,
        'azurerm:/',
        [get('storage_account_name'), get('container_name')],
        key,
        whole,
        workspace,
      )
    }
    case 'local':
      return localPlace('path' in config ? config['path'] : null, dir)
    case 'remote':
    case 'cloud':
      return cloudPlace(config, workspace)
    default:
      return otherPlace(kind, config, get, workspace)
  }
}

function stored(
  kind: string,
  scheme: string,
  around: readonly (string | null | undefined)[],
  key: string | null | undefined,
  whole: string | null | undefined,
  workspace: string | undefined,
): Place {
  if (key === null) return { kind, says: `${kind}, computed` }
  if (key === undefined || typeof whole !== 'string') return unfinished(kind)
  const reading = { ...readStateKey(key, kind === 'gcs'), workspace }
  const says = [scheme, ...around.map((part) => part ?? '?'), whole].join('/')
  const isWhole = around.every((part) => typeof part === 'string')
  return {
    kind,
    ...(isWhole ? { identity: says } : {}),
    loose: `${kind} ${whole}`,
    says,
    ...named(unitNameFor(reading, undefined, '')),
  }
}

function unfinished(kind: string): Place {
  return { kind, says: `${kind}, completed at init` }
}

function localPlace(given: unknown, dir: string): Place {
  const text = given === null ? 'terraform.tfstate' : given
  if (typeof text !== 'string') return { kind: 'local', says: 'local, computed' }
  const path = folderAt(text) ?? joined(dir, text)
  return path === undefined
    ? { kind: 'local', says: 'local, outside' }
    : { kind: 'local', identity: `local:${path}`, says: `local ${path}` }
}

/** Ours is `/v1/backend/<org>/<unit>`. */
function httpPlace(address: string | null | undefined): Place {
  if (typeof address !== 'string' || !URL.canParse(address)) return unfinished('http')
  const { host, pathname } = new URL(address)
  const ours = /\/v1\/backend\/([^/]+)\/(.+)$/.exec(pathname)
  const { unit } = named(decoded(ours?.[2] ?? ''))
  if (ours === null || unit === undefined)
    return { kind: 'http', identity: `http://${host}${pathname}`, says: `http ${host}${pathname}` }
  const org = decoded(ours[1] ?? '')
  return { kind: 'opentaco', identity: `opentaco:${org}/${unit}`, says: `opentaco ${unit}`, unit, org }
}

function cloudPlace(config: HclBody, workspace: string | undefined): Place {
  const [workspaces] = bodiesOf(config['workspaces'])
  const organization = textOf(config['organization']) ?? undefined
  const prefix = textOf(workspaces?.['prefix'])
  const name =
    textOf(workspaces?.['name']) ??
    (prefix !== null && workspace !== undefined ? prefix + workspace : undefined)
  if (name === undefined) return { kind: 'cloud', says: `cloud ${organization ?? '?'}, several workspaces` }
  return workspacePlace(organization, name)
}

/** Hosts are left out: `cloud`, `remote` and `tfe_outputs` name the same workspace in different ways. */
export function workspacePlace(organization: string | undefined, name: string): Place {
  const says = `cloud ${organization ?? '?'}/${name}`
  return {
    kind: 'cloud',
    ...(organization === undefined ? {} : { identity: `cloud:${organization}/${name}` }),
    loose: `cloud ${name}`,
    says,
    ...named(nameFromFlat(name)),
  }
}

function otherPlace(kind: string, config: HclBody, get: Settings, workspace: string | undefined): Place {
  const { telling = [], around = [] } = OTHERS.get(kind) ?? {}
  const values = telling.map(get)
  if (values.includes(null)) return { kind, says: `${kind}, computed` }
  const told = values.filter((value) => typeof value === 'string')
  if (told.length === 0) return { kind, says: kind }
  const bucket = around.includes('bucket') ? (get('bucket') ?? '?') : []
  const loose = `${kind} ${JSON.stringify([values, workspace])}`
  const given = around.filter((name) => name in config && config[name] !== null)
  const isWhole = given.length > 0 && given.every((name) => isKnown(config[name]))
  const where = given.map((name) => [
    name,
    name === 'conn_str' ? databaseOf(String(config[name])) : config[name],
  ])
  return {
    kind,
    // Only a digest: what surrounds may hold a password.
    ...(isWhole ? { identity: `${loose} ${sha256Hex(JSON.stringify(where))}` } : {}),
    loose,
    says: `${kind} ${[bucket, told, workspace ?? []].flat().join('/')}`,
  }
}

/** Readers of a state need not be the user who writes it, nor write the address in the same way. */
function databaseOf(text: string): string {
  // Quoted, or repeated after the question mark: keep what we do not understand.
  if (/['\\]|[?&](?:host|hostaddr|port|dbname)=/.test(text)) return text
  const word = (name: string) => new RegExp(`\\b${name}\\s*=\\s*(\\S+)`).exec(text)?.[1]
  const url = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/:?]+)(?::(\d+))?\/([^?]+)/.exec(text)
  const [host, port = '5432', name] = url?.slice(1) ?? ['host', 'port', 'dbname'].map(word)
  return host === undefined || name === undefined ? text : `${host}:${port}/${name}`
}

function isKnown(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isKnown) : isScalar(value)
}

/** Null: nothing that could be a text, as far as the code says. */
function textOf(value: unknown): string | null {
  return isScalar(value) && !isOfMachine(String(value)) ? String(value) : null
}

/** Only a name that units can have. */
function named(unit: string): { readonly unit?: string } {
  try {
    parseUnitName(unit)
    return { unit }
  } catch {
    return {}
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
