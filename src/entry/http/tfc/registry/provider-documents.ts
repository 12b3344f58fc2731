import type { ProviderPlatform, ProviderRecord, ProviderVersion } from '../../../../registry/index.ts'
import type { Caller } from '../../../../state/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { TfcServices } from '../kit/define.ts'
import { type ResourceObject, many, one, time } from '../kit/json-api.ts'
import { downloadUrl, uploadUrl } from './archives.ts'
import { mayPublish } from './module-documents.ts'

export interface ProviderView {
  readonly provider: ProviderRecord
  readonly versions: readonly ProviderVersion[]
  /** Names of the organization and of the namespace. */
  readonly org: string
  readonly namespace: string
}

export function providerDocument(
  { provider, versions, ...names }: ProviderView,
  caller: Caller,
): ResourceObject {
  return {
    id: provider.id,
    type: 'registry-providers',
    attributes: {
      name: provider.name,
      namespace: names.namespace,
      'registry-name': provider.registryName,
      permissions: { 'can-delete': mayPublish(caller) },
      'created-at': time(provider.createdAt),
      'updated-at': time(provider.updatedAt),
    },
    relationships: {
      organization: one('organizations', names.org),
      'registry-provider-versions': many(
        'registry-provider-versions',
        versions.map(({ id }) => id),
      ),
    },
    links: { self: providerPath({ provider, ...names }) },
  }
}

function providerPath({ provider, org, namespace }: Omit<ProviderView, 'versions'>): string {
  return `/api/v2/organizations/${org}/registry-providers/${provider.registryName}/${namespace}/${provider.name}`
}

/** What the addresses in a document are made from. `org`: the id. */
export interface LinkMaker {
  readonly x: Exchange
  readonly services: TfcServices
  readonly caller: Caller
  readonly org: string
}

export function versionDocument(
  view: ProviderView,
  version: ProviderVersion,
  { x, services, caller, org }: LinkMaker,
): ResourceObject {
  const can = mayPublish(caller)
  const at = { org, owner: view.provider.id, version: version.id }
  const sums = `terraform-provider-${view.provider.name}_${version.version}_SHA256SUMS`
  const links: Record<string, string> = {}
  for (const [which, link, name] of [
    ['shasums', 'shasums', sums],
    ['signature', 'shasums-sig', `${sums}.sig`],
  ] as const) {
    const file = version[which]
    if (file !== undefined)
      links[`${link}-download`] = downloadUrl(
        x,
        services,
        { org, owner: at.owner, kind: 'provider', file },
        name,
      )
    else if (can) links[`${link}-upload`] = uploadUrl(x, services, { ...at, kind: which })
  }
  return {
    id: version.id,
    type: 'registry-provider-versions',
    attributes: {
      version: version.version,
      'key-id': version.keyId,
      protocols: version.protocols,
      permissions: { 'can-delete': can, 'can-upload-asset': can },
      'shasums-uploaded': version.shasums !== undefined,
      'shasums-sig-uploaded': version.signature !== undefined,
      'created-at': time(version.createdAt),
      'updated-at': time(version.updatedAt),
    },
    relationships: {
      'registry-provider': one('registry-providers', view.provider.id),
      platforms: many(
        'registry-provider-platforms',
        version.platforms.map(({ id }) => id),
      ),
    },
    links: { self: `${providerPath(view)}/versions/${version.version}`, ...links },
  }
}

export function platformDocument(
  view: ProviderView,
  version: ProviderVersion,
  platform: ProviderPlatform,
  { x, services, caller, org }: LinkMaker,
): ResourceObject {
  const at = { org, owner: view.provider.id, version: version.id }
  const { id, os, arch, filename, shasum, file } = platform
  const links: Record<string, string> = {}
  if (file !== undefined)
    links['provider-binary-download'] = downloadUrl(
      x,
      services,
      { org, owner: at.owner, kind: 'provider', file },
      filename,
    )
  else if (mayPublish(caller))
    links['provider-binary-upload'] = uploadUrl(x, services, { ...at, kind: 'package', platform: id })
  return {
    id,
    type: 'registry-provider-platforms',
    attributes: {
      os,
      arch,
      filename,
      shasum,
      'provider-binary-uploaded': file !== undefined,
      permissions: { 'can-delete': mayPublish(caller), 'can-upload-asset': mayPublish(caller) },
    },
    relationships: { 'registry-provider-version': one('registry-provider-versions', version.id) },
    links: { self: `${providerPath(view)}/versions/${version.version}/platforms/${os}/${arch}`, ...links },
  }
}
