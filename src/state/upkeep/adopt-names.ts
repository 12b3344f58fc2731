import type { AdoptFinding } from '../views/views.ts'

/** Derives a unit's name and its layout from the key of a state in an existing bucket. Pure. */
export interface KeyReading {
  readonly path: string
  readonly workspace: string | undefined
  readonly layout: AdoptFinding['layout']
}

/**
 * - `env:/<workspace>/<key>`: workspaces of `backend "s3"` (the prefix is a setting; this is its default)
 * - `<key>env:<workspace>`: `azurerm`
 * - `<prefix>/<workspace>.tfstate` beside a `default.tfstate`: `gcs`
 * - anything else: the path without `terraform.tfstate` or `.tfstate`
 */
export function readStateKey(key: string, isBesideDefault: boolean): KeyReading {
  const s3 = /^(.*?\/)?env:\/([^/]+)\/(.+)$/.exec(key)
  if (s3 !== null)
    return { path: plainPath(`${s3[1] ?? ''}${s3[3]}`), workspace: s3[2], layout: 's3-workspace' }
  const azure = /^(.+?)env:([^/]+)$/.exec(key)
  if (azure !== null)
    return { path: plainPath(String(azure[1])), workspace: azure[2], layout: 'azurerm-workspace' }
  const gcs = /^(?:(.+)\/)?([^/]+)\.tfstate$/.exec(key)
  if (gcs !== null && isBesideDefault && gcs[2] !== 'terraform') {
    const workspace = gcs[2] === 'default' ? undefined : gcs[2]
    return { path: gcs[1] ?? 'default', workspace, layout: 'gcs-workspace' }
  }
  return { path: plainPath(key), workspace: undefined, layout: 'plain' }
}

function plainPath(key: string): string {
  const path = key.replace(/(^|\/)terraform\.tfstate$/, '').replace(/\.tfstate$/, '')
  return path === '' ? 'default' : path
}

/** The unit's name: the path, its workspace behind it, with signs that names cannot have replaced. */
export function unitNameFor(reading: KeyReading, template: string | undefined, under: string): string {
  const { path, workspace } = reading
  const full = workspace === undefined ? path : `${path}/${workspace}`
  if (template === undefined) return cleanName(full)
  const relative = full.startsWith(under) ? full.slice(under.length).replace(/^\/+/, '') : full
  return cleanName(template.replaceAll('{path}', relative).replaceAll('{workspace}', workspace ?? 'default'))
}

function cleanName(name: string): string {
  const parts = name.split('/').map((part) =>
    part
      .replace(/[^A-Za-z0-9_. -]/g, '_')
      .replace(/-{2,}/g, '-')
      .replace(/^[- ]+|[- ]+$/g, '_')
      .replace(/\.(tfstate|tflock)$/, '_$1'),
  )
  return parts.filter((part) => part !== '' && part !== '.' && part !== '..').join('/') || 'default'
}
