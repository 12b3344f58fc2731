import { nameFromFlat, readStateKey, unitNameFor } from '../state/index.ts'
import { type HclBody, bodiesOf } from './hcl.ts'
import { joined } from './scan-path.ts'

/** Where a state lies, as code says it. */
export interface Place {
  readonly kind: string
  /** Equal for two configurations of the same state; undefined when the code alone does not tell. */
  readonly identity?: string
  /** For people. */
  readonly says: string
  /** What the unit is called that has this state, where that can be read from it. */
  readonly unit?: string
}

/** Gives the text of an expression, or undefined if it depends on what only a run knows. */
export type Resolve = (value: unknown) => string | undefined

/** `kind` and the settings of a `backend` block, or of a `terraform_remote_state`, whose settings are the same. */
export function placeOf(
  kind: string,
  config: HclBody,
  context: { readonly dir: string; readonly resolve: Resolve; readonly workspace?: string },
): Place {
  const { resolve, dir } = context
  const workspace = context.workspace === 'default' ? undefined : context.workspace
  const get = (name: string) => resolve(config[name])
  switch (kind) {
    case 'http':
      return httpPlace(get('address'))
    case 's3': {
      const [bucket, key] = [get('bucket'), get('key')]
      if (bucket === undefined || key === undefined) return { kind, says: 's3, completed at init' }
      const prefix = get('workspace_key_prefix') ?? 'env:'
      const whole = workspace === undefined ? key : `${prefix}/${workspace}/${key}`
      return stored(kind, `s3://${bucket}/${whole}`, key, workspace, false)
    }
    case 'gcs': {
      const bucket = get('bucket')
      if (bucket === undefined) return { kind, says: 'gcs, completed at init' }
      const key = [get('prefix'), 'default.tfstate'].filter(Boolean).join('/')
      const whole = key.replace(/default\.tfstate$/, `${workspace ?? 'default'}.tfstate`)
      return stored(kind, `gs://${bucket}/${whole}`, key, workspace, true)
    }
    case 'azurerm': {
      const [account, container, key] = [get('storage_account_name'), get('container_name'), get('key')]
      if (container === undefined || key === undefined) return { kind, says: 'azurerm, completed at init' }
      const whole = workspace === undefined ? key : `${key}env:${workspace}`
      return stored(kind, `azurerm://${account ?? '?'}/${container}/${whole}`, key, workspace, false)
    }
    case 'local': {
      const path = joined(dir, (get('path') ?? 'terraform.tfstate').replace(/^(\$\{path\.module\}|\.)\//, ''))
      return path === undefined
        ? { kind, says: 'local, outside' }
        : { kind, identity: `local:${path}`, says: `local ${path}` }
    }
    case 'remote':
    case 'cloud':
      return cloudPlace(config, resolve, workspace)
    default:
      return { kind, says: kind }
  }
}

function stored(
  kind: string,
  says: string,
  key: string,
  workspace: string | undefined,
  isGcs: boolean,
): Place {
  const reading = { ...readStateKey(key, isGcs), workspace }
  return { kind, identity: says, says, unit: unitNameFor(reading, undefined, '') }
}

/** Ours is `/v1/backend/<org>/<unit>`. */
function httpPlace(address: string | undefined): Place {
  if (address === undefined || !URL.canParse(address))
    return { kind: 'http', says: 'http, completed at init' }
  const { host, pathname } = new URL(address)
  const ours = /\/v1\/backend\/([^/]+)\/(.+)$/.exec(pathname)
  if (ours === null)
    return { kind: 'http', identity: `http://${host}${pathname}`, says: `http ${host}${pathname}` }
  const unit = decodeURIComponent(ours[2] ?? '')
  return { kind: 'opentaco', identity: `opentaco:${ours[1] ?? ''}/${unit}`, says: `opentaco ${unit}`, unit }
}

function cloudPlace(config: HclBody, resolve: Resolve, workspace: string | undefined): Place {
  const [workspaces] = bodiesOf(config['workspaces'])
  const organization = resolve(config['organization']) ?? '?'
  const prefix = resolve(workspaces?.['prefix'])
  const name =
    resolve(workspaces?.['name']) ??
    (prefix !== undefined && workspace !== undefined ? prefix + workspace : undefined)
  if (name === undefined) return { kind: 'cloud', says: `cloud ${organization}, several workspaces` }
  return workspacePlace(organization, name)
}

/** Hosts are left out: `cloud`, `remote` and `tfe_outputs` name the same workspace in different ways. */
export function workspacePlace(organization: string, name: string): Place {
  const says = `cloud ${organization}/${name}`
  return { kind: 'cloud', identity: `cloud:${organization}/${name}`, says, unit: nameFromFlat(name) }
}
