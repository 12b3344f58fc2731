import { z } from 'zod'
import type { Caller } from '../access/index.ts'
import { defined } from '../base/defined.ts'
import { TacoError, badRequest, isTacoError } from '../base/errors.ts'
import { type Taken, openObject, openWord } from '../bucket/index.ts'
import { Content, type RecordDeps, type RecordOf, type Records, createRecords } from '../records/index.ts'
import type { FileUpload, Files } from './files.ts'
import type { GpgKey, GpgKeys } from './gpg-keys.ts'
import { alreadyUploaded, newestFirst } from './modules.ts'
import { checkFileName, checkPlatformPart, checkProviderType, checkVersion } from './names.ts'
import { keyIdsOf, signerOf } from './open-pgp.ts'
import { parseSha256Sums } from './sha256sums.ts'

const providerShape = {
  registryName: openWord(z.enum(['private', 'public'])),
  /** Of a public provider. That of a private one is its organization. */
  namespace: z.string().optional(),
  name: z.string(),
}
export type ProviderRecord = RecordOf<typeof providerShape>

const Platform = openObject({
  id: z.string(),
  os: z.string(),
  arch: z.string(),
  filename: z.string(),
  /** What it must have, and SHA256SUMS must say. */
  shasum: z.string(),
  /** Undefined: it was not uploaded yet. */
  file: Content.optional(),
})
export type ProviderPlatform = z.infer<typeof Platform>

const versionShape = {
  version: z.string(),
  keyId: z.string(),
  protocols: z.array(z.string()),
  shasums: Content.optional(),
  signature: Content.optional(),
  platforms: z.array(Platform),
}
export type ProviderVersion = RecordOf<typeof versionShape>

/** Says which provider, within an organization. */
export interface ProviderName {
  readonly name: string
  /** Default: private. */
  readonly registryName?: string
  readonly namespace?: string | undefined
}

export interface PlatformInput {
  readonly os: string
  readonly arch: string
  readonly shasum: string
  readonly filename: string
}

/** What is uploaded for a version beside its packages. */
export type SumsFile = 'shasums' | 'signature'

export interface CatalogProvider {
  readonly provider: ProviderRecord
  readonly versions: readonly ProviderVersion[]
}

/** Providers of organizations, and their versions. The caller's rights were checked before. */
export interface Providers {
  readonly records: Pick<Records<ProviderRecord>, 'locate'>
  list(org: string): Promise<readonly ProviderRecord[]>
  /** All of them with their versions, newest first, without a request for each. */
  catalog(org: string): Promise<readonly CatalogProvider[]>
  find(org: string, name: ProviderName): Promise<ProviderRecord | undefined>
  /** NOT_FOUND if there is none. */
  get(org: string, name: ProviderName): Promise<ProviderRecord>
  byId(org: string, id: string): Promise<ProviderRecord>
  create(org: string, name: ProviderName, caller: Caller): Promise<ProviderRecord>
  remove(org: string, id: string, caller: Caller): Promise<void>
  /** Newest first. */
  versions(org: string, provider: string): Promise<readonly ProviderVersion[]>
  /** NOT_FOUND if there is none. */
  version(org: string, provider: string, version: string): Promise<ProviderVersion>
  createVersion(
    org: string,
    provider: string,
    fields: Pick<ProviderVersion, 'version' | 'keyId' | 'protocols'>,
    caller: Caller,
  ): Promise<ProviderVersion>
  removeVersion(org: string, provider: string, version: string, caller: Caller): Promise<void>
  addPlatform(
    org: string,
    provider: string,
    versionId: string,
    platform: PlatformInput,
    caller: Caller,
  ): Promise<ProviderVersion>
  removePlatform(
    org: string,
    provider: string,
    versionId: string,
    platformId: string,
    caller: Caller,
  ): Promise<void>
  /** SHA256SUMS must agree with the platforms, the signature must be of the version's key. */
  uploadSums(at: VersionPlace, which: SumsFile, upload: FileUpload, caller: Caller): Promise<ProviderVersion>
  /** What SHA256SUMS says. Undefined: it was not uploaded yet. */
  sums(at: VersionPlace): Promise<ReadonlyMap<string, string> | undefined>
  /** The package must have the checksum of its platform. */
  uploadPackage(
    at: VersionPlace & { readonly platform: string },
    upload: FileUpload,
    caller: Caller,
  ): Promise<ProviderVersion>
  read(org: string, provider: string, content: Content): Promise<AsyncIterable<Uint8Array>>
}

export interface VersionPlace {
  readonly org: string
  readonly provider: string
  /** An id. */
  readonly version: string
}

/** The platforms that engines can install: complete and signed. */
export function installable({ shasums, signature, platforms }: ProviderVersion): readonly ProviderPlatform[] {
  if (shasums === undefined || signature === undefined) return []
  return platforms.filter(({ file }) => file !== undefined)
}

const MAX_SUMS_BYTES = 2 ** 20
const MAX_PACKAGE_BYTES = 2 ** 30
const MOST_PLATFORMS = 100
const FILE_NAMES = { shasums: 'SHA256SUMS', signature: 'SHA256SUMS.sig' } as const

export function createProviders(deps: RecordDeps, files: Files, keys: GpgKeys): Providers {
  const providers = createRecords(deps, {
    name: 'provider',
    folder: 'registry-providers',
    word: 'registry-provider',
    prefix: 'prov',
    shape: providerShape,
    most: 1_000,
    unique: { field: 'name', of: uniqueName },
    says: ({ registryName, name }) => ({ registry: registryName, name }),
  })
  const versions = createRecords(deps, {
    name: 'version',
    folder: 'registry-provider-versions',
    word: 'registry-provider-version',
    prefix: 'provver',
    shape: versionShape,
    most: 1_000,
    unique: { field: 'version', of: ({ version }) => version },
    says: ({ version }) => ({ version }),
  })
  const under = ({ org, provider }: Omit<VersionPlace, 'version'>) => ({ org, of: provider })
  const ownerOf = ({ org, provider }: Omit<VersionPlace, 'version'>) => ({ org, id: provider })

  async function find(org: string, wanted: ProviderName): Promise<ProviderRecord | undefined> {
    const name = uniqueName({ registryName: 'private', ...wanted })
    return (await providers.list({ org })).find((one) => uniqueName(one) === name)
  }

  async function get(org: string, wanted: ProviderName): Promise<ProviderRecord> {
    const found = await find(org, wanted)
    if (found === undefined) throw new TacoError('NOT_FOUND', `There is no provider ${wanted.name}.`)
    return found
  }

  async function version(org: string, provider: string, wanted: string): Promise<ProviderVersion> {
    const found = (await versions.list(under({ org, provider }))).find((one) => one.version === wanted)
    if (found === undefined) throw new TacoError('NOT_FOUND', `The provider has no version ${wanted}.`)
    return found
  }

  async function sumsOf(at: VersionPlace, { shasums }: ProviderVersion) {
    return shasums && parseSha256Sums(await files.whole(ownerOf(at), shasums))
  }

  /** `enter` gives the version back as it is if it has such a file already. */
  async function keep(
    at: VersionPlace,
    taken: Taken,
    enter: (version: ProviderVersion, content: Content) => ProviderVersion,
    caller: Caller,
  ): Promise<ProviderVersion> {
    return files.keep(ownerOf(at), taken, async (content) => {
      let isKept = false
      const change = (one: ProviderVersion) => {
        const next = enter(one, content)
        isKept = next !== one
        return next
      }
      return { answer: await versions.update(under(at), at.version, change, caller), isKept }
    })
  }

  return {
    records: providers,
    list: (org) => providers.list({ org }),
    async catalog(org) {
      const [all, byProvider] = await Promise.all([providers.list({ org }), versions.listAll(org)])
      return all.map((provider) => ({ provider, versions: newestFirst(byProvider.get(provider.id) ?? []) }))
    },
    find,
    get,
    byId: (org, id) => providers.get({ org }, id),
    create(org, { name, registryName = 'private', namespace }, caller) {
      checkProviderType(name)
      return providers.create({ org }, { name, registryName, ...defined({ namespace }) }, caller)
    },
    async remove(org, id, caller) {
      await providers.remove({ org }, id, caller)
      // Nothing leads to the rest any more: what a crash leaves of it does no harm.
      await versions.clear({ org, of: id })
      await files.removeAll({ org, id })
    },
    versions: async (org, provider) => newestFirst(await versions.list(under({ org, provider }))),
    version,
    async createVersion(org, provider, { version: number, keyId, protocols }, caller) {
      checkVersion(number)
      checkProtocols(protocols)
      await providers.get({ org }, provider)
      const key = await keys.get(org, keyId).catch((error: unknown) => {
        if (!isTacoError(error, 'NOT_FOUND')) throw error
        throw badRequest('key-id', `There is no GPG key ${keyId}.`, 'Add the public key first.')
      })
      const fields = { version: number, keyId: key.keyId, protocols, platforms: [] }
      return versions.create(under({ org, provider }), fields, caller)
    },
    async removeVersion(org, provider, number, caller) {
      const { id } = await version(org, provider, number)
      const removed = await versions.remove(under({ org, provider }), id, caller)
      for (const content of filesOf(removed)) await files.remove({ org, id: provider }, content)
    },
    async addPlatform(org, provider, versionId, input, caller) {
      const platform = { id: deps.ids.id('provpltfrm'), ...checkedPlatform(input) }
      const at = { org, provider, version: versionId }
      const sums = await sumsOf(at, await versions.get(under(at), versionId))
      if (sums !== undefined) checkSum(sums, platform, 'shasum')
      return versions.update(
        under(at),
        versionId,
        (one) => {
          // What SHA256SUMS says was checked above; it is uploaded once. If it came since, it did not know this one.
          if (one.shasums !== undefined && sums === undefined) throw changedMeanwhile()
          if (one.platforms.length >= MOST_PLATFORMS)
            throw new TacoError('LIMIT_REACHED', `There are already ${MOST_PLATFORMS} platforms.`)
          if (one.platforms.some(({ os, arch }) => os === platform.os && arch === platform.arch))
            throw new TacoError(
              'ALREADY_EXISTS',
              `There is already a platform ${platform.os}_${platform.arch}.`,
              {
                facts: { field: 'os' },
              },
            )
          return { ...one, platforms: [...one.platforms, platform] }
        },
        caller,
      )
    },
    async removePlatform(org, provider, versionId, platformId, caller) {
      const at = { org, provider, version: versionId }
      let removed: ProviderPlatform | undefined
      await versions.update(
        under(at),
        versionId,
        (one) => {
          removed = one.platforms.find(({ id }) => id === platformId)
          if (removed === undefined) throw new TacoError('NOT_FOUND', 'There is no such platform.')
          return { ...one, platforms: one.platforms.filter(({ id }) => id !== platformId) }
        },
        caller,
      )
      await files.remove(ownerOf(at), removed?.file)
    },
    sums: async (at) => sumsOf(at, await versions.get(under(at), at.version)),
    async uploadSums(at, which, upload, caller) {
      const before = await versions.get(under(at), at.version)
      const name = FILE_NAMES[which]
      const taken = await files.receive(upload, { name, maxBytes: MAX_SUMS_BYTES })
      try {
        const bytes = Buffer.from(taken.body.bytes ?? [])
        const sums = which === 'shasums' ? parseSha256Sums(bytes) : undefined
        if (which === 'signature') checkSigner(bytes, await keys.get(at.org, before.keyId))
        const enter = (one: ProviderVersion, content: Content): ProviderVersion => {
          const stored = one[which]
          if (stored?.sha256 === taken.hash) return one
          if (stored !== undefined) throw alreadyUploaded(name)
          for (const platform of one.platforms) if (sums !== undefined) checkSum(sums, platform, 'body')
          return { ...one, [which]: content }
        }
        return await keep(at, taken, enter, caller)
      } finally {
        await taken.dispose()
      }
    },
    async uploadPackage(at, upload, caller) {
      const before = platformIn(await versions.get(under(at), at.version), at.platform)
      const taken = await files.receive(upload, { name: 'package', maxBytes: MAX_PACKAGE_BYTES })
      try {
        if (taken.hash !== before.shasum)
          throw badRequest(
            'body',
            `The package has the SHA-256 checksum ${taken.hash}, and not ${before.shasum}.`,
            'Upload the file whose checksum the platform was created with.',
          )
        const enter = (one: ProviderVersion, file: Content): ProviderVersion => {
          const { file: stored, id } = platformIn(one, at.platform)
          if (stored !== undefined) return one
          return {
            ...one,
            platforms: one.platforms.map((each) => (each.id === id ? { ...each, file } : each)),
          }
        }
        return await keep(at, taken, enter, caller)
      } finally {
        await taken.dispose()
      }
    },
    read: (org, provider, content) => files.read({ org, id: provider }, content),
  }
}

function uniqueName({
  registryName,
  namespace = '',
  name,
}: Pick<ProviderRecord, 'registryName' | 'namespace' | 'name'>): string {
  return `${registryName}/${registryName === 'private' ? '' : namespace}/${name}`.toLowerCase()
}

function filesOf({ shasums, signature, platforms }: ProviderVersion): readonly Content[] {
  return [shasums, signature, ...platforms.map(({ file }) => file)].filter((file) => file !== undefined)
}

function platformIn({ platforms }: ProviderVersion, id: string): ProviderPlatform {
  const found = platforms.find((one) => one.id === id)
  if (found === undefined) throw new TacoError('NOT_FOUND', 'There is no such platform.')
  return found
}

function checkProtocols(protocols: readonly string[]): void {
  if (protocols.length === 0 || !protocols.every((one) => /^\d{1,3}\.\d{1,3}$/.test(one)))
    throw badRequest(
      'protocols',
      'The protocols of the provider are missing or wrong.',
      'Use ["5.0"] or ["6.0"].',
    )
}

function checkedPlatform({ os, arch, shasum, filename }: PlatformInput): PlatformInput {
  checkPlatformPart('os', os)
  checkPlatformPart('arch', arch)
  checkFileName(filename)
  if (!/^[0-9A-Fa-f]{64}$/.test(shasum))
    throw badRequest('shasum', 'The checksum is not a SHA-256 checksum.', 'Send 64 hexadecimal digits.')
  return { os, arch, filename, shasum: shasum.toLowerCase() }
}

function checkSum(
  sums: ReadonlyMap<string, string>,
  { filename, shasum }: Pick<ProviderPlatform, 'filename' | 'shasum'>,
  field: string,
): void {
  const listed = sums.get(filename)
  if (listed === shasum) return
  throw badRequest(
    field,
    listed === undefined
      ? `SHA256SUMS does not list ${filename}.`
      : `SHA256SUMS says ${listed} for ${filename}, and not ${shasum}.`,
    'Sign and upload the SHA256SUMS of exactly these files.',
  )
}

function checkSigner(signature: Buffer, key: Pick<GpgKey, 'keyId' | 'asciiArmor'>): void {
  const signer = signerOf(signature)
  if (signer === undefined || keyIdsOf(key.asciiArmor).includes(signer)) return
  throw badRequest(
    'body',
    `The signature was made with the key ${signer}, and not with ${key.keyId}.`,
    'Sign SHA256SUMS with the key of this version.',
  )
}

function changedMeanwhile(): TacoError {
  return new TacoError('CONFLICT', 'SHA256SUMS was uploaded at the same moment.', { hint: 'Try again.' })
}
