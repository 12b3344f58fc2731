import { z } from 'zod'
import { TacoError, isTacoError } from '../../../../base/errors.ts'
import { type ProviderVersion, installable } from '../../../../registry/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { type TfcServices, ofOrg, route } from '../kit/define.ts'
import { downloadUrl } from './archives.ts'
import { described, protocol } from './protocol.ts'

/** The provider registry protocol, `providers.v1`: https://developer.hashicorp.com/terraform/internals/provider-registry-protocol */
const TypeParams = z.object({ org: z.string(), type: z.string() })
const path = '/api/registry/v1/providers/{org}/{type}'

export const providerProtocolRoutes = [
  route({
    ...protocol,
    path: `${path}/versions`,
    id: 'listProviderVersionsForEngines',
    summary: 'List the versions of a provider, for engines',
    params: TypeParams,
    target: ofOrg,
    answers: { 200: described('Versions') },
    async handle({ target, params }, services) {
      const { versions } = await published(target.org, params.type, services)
      const list = versions.map((one) => ({
        version: one.version,
        protocols: one.protocols,
        platforms: installable(one).map(({ os, arch }) => ({ os, arch })),
      }))
      const id = `${services.control.orgNames.nameOf(target.org)}/${params.type}`
      return { status: 200, json: { id, versions: list, warnings: null } }
    },
  }),
  route({
    ...protocol,
    path: `${path}/{version}/download/{os}/{arch}`,
    id: 'locateProviderPackage',
    summary: 'Where engines find the package of a version for a platform, and how they verify it',
    params: TypeParams.extend({ version: z.string(), os: z.string(), arch: z.string() }),
    target: ofOrg,
    answers: { 200: described('Addresses, checksums and keys') },
    async handle({ target: { org }, params, x }, services) {
      const { provider, versions } = await published(org, params.type, services)
      const version = versions.find((one) => one.version === params.version)
      if (version === undefined) throw new TacoError('NOT_FOUND', `There is no version ${params.version}.`)
      const { os, arch } = params
      const json = await packageOf(x, services, { org, provider: provider.id, version, os, arch })
      return { status: 200, json }
    },
  }),
]

async function published(org: string, name: string, { registry: { providers } }: TfcServices) {
  const provider = await providers.get(org, { name })
  const versions = (await providers.versions(org, provider.id)).filter((one) => installable(one).length > 0)
  return { provider, versions }
}

interface Wanted {
  readonly org: string
  readonly provider: string
  readonly version: ProviderVersion
  readonly os: string
  readonly arch: string
}

async function packageOf(x: Exchange, services: TfcServices, wanted: Wanted) {
  const { org, provider, version, os, arch } = wanted
  const platform = installable(version).find((one) => one.os === os && one.arch === arch)
  const { shasums, signature } = version
  if (platform?.file === undefined || shasums === undefined || signature === undefined)
    throw new TacoError('NOT_FOUND', `The version ${version.version} is not there for ${os}_${arch}.`)
  const at = { org, kind: 'provider' as const, owner: provider }
  const sums = platform.filename.replace(/_[^_]+_[^_]+\.zip$/, '_SHA256SUMS')
  const key = await keyOf(org, version.keyId, services)
  return {
    protocols: version.protocols,
    os,
    arch,
    filename: platform.filename,
    download_url: downloadUrl(x, services, { ...at, file: platform.file }, platform.filename),
    shasums_url: downloadUrl(x, services, { ...at, file: shasums }, sums),
    shasums_signature_url: downloadUrl(x, services, { ...at, file: signature }, `${sums}.sig`),
    shasum: platform.shasum,
    signing_keys: { gpg_public_keys: key },
  }
}

/** Engines refuse a package without a key that verifies it. */
async function keyOf(org: string, keyId: string, { registry: { gpgKeys } }: TfcServices) {
  try {
    const key = await gpgKeys.get(org, keyId)
    return [
      {
        key_id: key.keyId,
        ascii_armor: key.asciiArmor,
        trust_signature: key.trustSignature,
        source: key.source,
        source_url: key.sourceUrl ?? '',
      },
    ]
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND')) return []
    throw error
  }
}
