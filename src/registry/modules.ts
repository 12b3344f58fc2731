import { LRUCache } from 'lru-cache'
import { compare } from 'semver'
import { z } from 'zod'
import { type Caller, principalText } from '../access/index.ts'
import { defined } from '../base/defined.ts'
import { TacoError, isTacoError } from '../base/errors.ts'
import type { Spool } from '../base/spool.ts'
import { type Taken, openObject, openWord, takeArchive } from '../bucket/index.ts'
import { Content, type RecordDeps, type RecordOf, type Records, createRecords } from '../records/index.ts'
import { Deprecation, type DeprecationText, checkedDeprecation, withDeprecation } from './deprecation.ts'
import type { FileOwner, FileUpload, Files } from './files.ts'
import { describeArchive, readArchive } from './metadata/describe.ts'
import { type DescribeModule, ModuleMetadata, emptyMetadata } from './metadata/module-metadata.ts'
import { checkModuleName, checkModuleProvider, checkVersion } from './names.ts'

const RegistryName = openWord(z.enum(['private', 'public']))

export const VcsRepo = openObject({
  identifier: z.string(),
  displayIdentifier: z.string(),
  oauthTokenId: z.string().optional(),
  githubAppInstallationId: z.string().optional(),
  branch: z.string(),
  tags: z.boolean(),
  sourceDirectory: z.string().optional(),
  tagPrefix: z.string().optional(),
})
export type VcsRepo = z.infer<typeof VcsRepo>

export const TestConfig = openObject({
  testsEnabled: z.boolean(),
  agentExecutionMode: z.string().optional(),
  agentPoolId: z.string().optional(),
})
export type TestConfig = z.infer<typeof TestConfig>

const moduleShape = {
  registryName: RegistryName,
  /** Of a public module. That of a private one is its organization. */
  namespace: z.string().optional(),
  name: z.string(),
  provider: z.string(),
  noCode: z.boolean().optional(),
  vcsRepo: VcsRepo.optional(),
  testConfig: TestConfig.optional(),
}
export type ModuleRecord = RecordOf<typeof moduleShape>

const versionShape = {
  version: z.string(),
  commitSha: z.string().optional(),
  /** The archive. Undefined: it was not uploaded yet. */
  archive: Content.optional(),
  /** What its code says. Undefined: it was published before modules were read; then the archive is. */
  metadata: Content.optional(),
  /** The first sentence of its README. */
  summary: z.string().optional(),
  /** When the archive came. Undefined: before this was recorded; see `publishedAt`. */
  publishedAt: z.number().optional(),
  /** People should use another version. Engines install it all the same. */
  deprecation: Deprecation.optional(),
}
export type ModuleVersion = RecordOf<typeof versionShape>

/** Says which module, within an organization. */
export interface ModuleName {
  readonly name: string
  readonly provider: string
  /** Default: private. */
  readonly registryName?: string
  readonly namespace?: string | undefined
}

export interface ModuleChange {
  readonly noCode?: boolean | undefined
  readonly testConfig?: TestConfig | undefined
  readonly vcsRepo?: Partial<VcsRepo> | undefined
}

export interface CatalogModule {
  readonly module: ModuleRecord
  readonly versions: readonly ModuleVersion[]
}

/** Modules of organizations, and their versions. The caller's rights were checked before. */
export interface Modules {
  readonly records: Pick<Records<ModuleRecord>, 'locate'>
  list(org: string): Promise<readonly ModuleRecord[]>
  /** All of them with their versions, newest first, without a request for each. */
  catalog(org: string): Promise<readonly CatalogModule[]>
  find(org: string, name: ModuleName): Promise<ModuleRecord | undefined>
  /** NOT_FOUND if there is none. */
  get(org: string, name: ModuleName): Promise<ModuleRecord>
  byId(org: string, id: string): Promise<ModuleRecord>
  create(
    org: string,
    fields: ModuleName &
      Pick<ModuleChange, 'noCode' | 'testConfig'> & { readonly vcsRepo?: VcsRepo | undefined },
    caller: Caller,
  ): Promise<ModuleRecord>
  update(org: string, id: string, change: ModuleChange, caller: Caller): Promise<ModuleRecord>
  remove(org: string, id: string, caller: Caller): Promise<void>
  /** Newest first. */
  versions(org: string, module: string): Promise<readonly ModuleVersion[]>
  /** NOT_FOUND if there is none. */
  version(org: string, module: string, version: string): Promise<ModuleVersion>
  createVersion(
    org: string,
    module: string,
    fields: { readonly version: string; readonly commitSha?: string | undefined },
    caller: Caller,
  ): Promise<ModuleVersion>
  /** Takes an archive in and checks it; nothing is stored yet. Dispose of it in any case. */
  receive(upload: FileUpload): Promise<Taken>
  /** A version gets its archive once. The same bytes again change nothing. */
  store(
    org: string,
    module: string,
    versionId: string,
    archive: Pick<Taken, 'body' | 'hash'>,
    caller: Caller,
  ): Promise<ModuleVersion>
  /** Receives an archive and stores it. */
  upload(
    org: string,
    module: string,
    versionId: string,
    upload: FileUpload,
    caller: Caller,
  ): Promise<ModuleVersion>
  /**
   * Null takes a deprecation back. `before`: what the caller knows it to be; if it is something else by now, nothing
   * changes, and PRECONDITION_FAILED is thrown.
   */
  deprecate(
    org: string,
    at: { readonly module: string; readonly version: string },
    deprecation: DeprecationText | null,
    caller: Caller,
    before?: DeprecationText | null,
  ): Promise<ModuleVersion>
  removeVersion(org: string, module: string, version: string, caller: Caller): Promise<void>
  read(org: string, module: string, archive: Content): Promise<AsyncIterable<Uint8Array>>
  /**
   * What the code of a version says. If it was published before modules were read, or what is stored about it is
   * damaged, the archive is read again. Undefined: it has no archive yet.
   */
  metadata(
    org: string,
    module: string,
    version: Pick<ModuleVersion, 'metadata' | 'archive'>,
  ): Promise<ModuleMetadata | undefined>
}

const LIMITS = { maxArchiveBytes: 100 * 2 ** 20, maxEntries: 20_000, maxBytes: 500 * 2 ** 20 }

export interface ModuleDeps extends RecordDeps {
  readonly spool: Spool
  readonly describeModule: DescribeModule
}

export function createModules(deps: ModuleDeps, files: Files): Modules {
  const modules = createRecords(deps, {
    name: 'module',
    folder: 'registry-modules',
    word: 'registry-module',
    prefix: 'mod',
    shape: moduleShape,
    most: 2_000,
    unique: { field: 'name', of: uniqueName },
    says: ({ registryName, name, provider }) => ({ registry: registryName, name, provider }),
  })
  const versions = createRecords(deps, {
    name: 'version',
    folder: 'registry-module-versions',
    word: 'registry-module-version',
    prefix: 'modver',
    shape: versionShape,
    most: 1_000,
    unique: { field: 'version', of: ({ version }) => version },
    says: ({ version, archive, deprecation }) => ({
      version,
      ...(archive && { sha256: archive.sha256 }),
      ...(deprecation && { deprecated: deprecation.reason }),
    }),
  })
  const under = (org: string, module: string) => ({ org, of: module })

  async function find(org: string, wanted: ModuleName): Promise<ModuleRecord | undefined> {
    const name = uniqueName({ registryName: 'private', ...wanted })
    return (await modules.list({ org })).find((one) => uniqueName(one) === name)
  }

  async function get(org: string, wanted: ModuleName): Promise<ModuleRecord> {
    const found = await find(org, wanted)
    if (found !== undefined) return found
    throw new TacoError('NOT_FOUND', `There is no module ${wanted.name}/${wanted.provider}.`)
  }

  async function version(org: string, module: string, wanted: string): Promise<ModuleVersion> {
    const found = (await versions.list(under(org, module))).find((one) => one.version === wanted)
    if (found === undefined) throw new TacoError('NOT_FOUND', `The module has no version ${wanted}.`)
    return found
  }

  const receive: Modules['receive'] = ({ stream, declaredBytes }) =>
    takeArchive(stream, deps.spool, LIMITS, declaredBytes)

  const store: Modules['store'] = async (org, module, versionId, taken, caller) => {
    const place = under(org, module)
    const before = await versions.get(place, versionId)
    if (before.archive !== undefined) return unchanged(before, taken.hash)
    const owner = { org, id: module }
    const { summary, taken: described } = await describeArchive(taken, deps.describeModule)
    return files.keep(owner, described, (metadata) =>
      files.keep(owner, taken, async (archive) => {
        const answer = await versions.update(
          place,
          versionId,
          (record) =>
            record.archive === undefined
              ? { ...record, archive, metadata, summary, publishedAt: deps.clock.now() }
              : unchanged(record, archive.sha256),
          caller,
        )
        const isKept = answer.archive?.object === archive.object
        return { answer: { answer, isKept }, isKept }
      }),
    )
  }

  /** By their archives: nobody should wait twice for the same one. */
  const described = new LRUCache<string, Promise<ModuleMetadata>>({ max: 50, ttl: 3_600_000 })

  function reread(owner: FileOwner, archive: Content): Promise<ModuleMetadata> {
    const key = `${owner.org}/${owner.id}/${archive.sha256}`
    const known = described.get(key)
    if (known !== undefined) return known
    const reading = files
      .read(owner, archive)
      .then((stream) => readArchive(stream, deps.describeModule))
      .catch((error: unknown) => {
        described.delete(key)
        if (!isTacoError(error, 'BUCKET_CORRUPT', 'NOT_FOUND')) throw error
        return emptyMetadata(`The archive cannot be read: ${error.message}`)
      })
    described.set(key, reading)
    return reading
  }

  return {
    records: modules,
    list: (org) => modules.list({ org }),
    async catalog(org) {
      const [all, byModule] = await Promise.all([modules.list({ org }), versions.listAll(org)])
      return all.map((module) => ({ module, versions: newestFirst(byModule.get(module.id) ?? []) }))
    },
    find,
    get,
    byId: (org, id) => modules.get({ org }, id),
    create(org, { name, provider, registryName = 'private', namespace, ...rest }, caller) {
      checkModuleName(name)
      checkModuleProvider(provider)
      const fields = { name, provider, registryName, ...defined({ namespace, ...rest }) }
      return modules.create({ org }, fields, caller)
    },
    update(org, id, { noCode, testConfig, vcsRepo }, caller) {
      return modules.update(
        { org },
        id,
        (record) => ({
          ...record,
          ...defined({ noCode, testConfig }),
          ...(vcsRepo && record.vcsRepo ? { vcsRepo: { ...record.vcsRepo, ...defined(vcsRepo) } } : {}),
        }),
        caller,
      )
    },
    async remove(org, id, caller) {
      await modules.remove({ org }, id, caller)
      // Nothing leads to the rest any more: what a crash leaves of it does no harm.
      await versions.clear(under(org, id))
      await files.removeAll({ org, id })
    },
    versions: async (org, module) => newestFirst(await versions.list(under(org, module))),
    version,
    async createVersion(org, module, { version: number, commitSha }, caller) {
      checkVersion(number)
      await modules.get({ org }, module)
      return versions.create(under(org, module), { version: number, ...defined({ commitSha }) }, caller)
    },
    receive,
    store,
    async upload(org, module, versionId, upload, caller) {
      // An address that leads nowhere is refused before anything is received.
      await versions.get(under(org, module), versionId)
      const taken = await receive(upload)
      try {
        return await store(org, module, versionId, taken, caller)
      } finally {
        await taken.dispose()
      }
    },
    async deprecate(org, at, deprecation, caller, before) {
      const checked = deprecation && checkedDeprecation(deprecation)
      const { id } = await version(org, at.module, at.version)
      const by = principalText(caller.principal)
      return versions.update(
        under(org, at.module),
        id,
        (record) => {
          const next = withDeprecation(record, checked, before, { at: deps.clock.now(), by })
          // Until now, the last change of some was when they were published.
          return next === record ? record : { ...next, publishedAt: publishedAt(record) }
        },
        caller,
      )
    },
    async removeVersion(org, module, number, caller) {
      const { id } = await version(org, module, number)
      const { archive, metadata } = await versions.remove(under(org, module), id, caller)
      for (const content of [archive, metadata]) await files.remove({ org, id: module }, content)
    },
    read: (org, module, archive) => files.read({ org, id: module }, archive),
    async metadata(org, module, { metadata, archive }) {
      const owner = { org, id: module }
      return (metadata && (await readStored(files, owner, metadata))) ?? (archive && reread(owner, archive))
    },
  }
}

/** Undefined: it is damaged, or of another version of OpenTaco. The archive says the same. */
async function readStored(
  files: Files,
  owner: FileOwner,
  metadata: Content,
): Promise<ModuleMetadata | undefined> {
  try {
    return ModuleMetadata.parse(JSON.parse((await files.whole(owner, metadata)).toString('utf8')))
  } catch (error) {
    if (isTacoError(error) && !isTacoError(error, 'BUCKET_CORRUPT', 'NOT_FOUND')) throw error
    return undefined
  }
}

/** When engines could first install it. Undefined: not yet. Pure. */
export function publishedAt({
  archive,
  publishedAt: at,
  updatedAt,
}: Pick<ModuleVersion, 'archive' | 'publishedAt' | 'updatedAt'>): number | undefined {
  return archive === undefined ? undefined : (at ?? updatedAt)
}

/** By version. */
export function newestFirst<V extends { readonly version: string }>(versions: readonly V[]): readonly V[] {
  return versions.toSorted((a, b) => compare(b.version, a.version))
}

function uniqueName({
  registryName,
  namespace = '',
  name,
  provider,
}: Pick<ModuleRecord, 'registryName' | 'namespace' | 'name' | 'provider'>): string {
  return `${registryName}/${registryName === 'private' ? '' : namespace}/${name}/${provider}`.toLowerCase()
}

/** A version that has its archive: only the very same may be sent again, by a client that missed the answer. */
function unchanged(version: ModuleVersion, sha256: string): ModuleVersion {
  if (version.archive?.sha256 !== sha256) throw alreadyUploaded('archive')
  return version
}

/** Engines remember what a version consists of, so it never changes. */
export function alreadyUploaded(what: string): TacoError {
  return new TacoError('CONFLICT', `The version has another ${what} already.`, {
    hint: 'Publish a new version.',
  })
}
