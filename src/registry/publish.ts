import type { Caller } from '../access/index.ts'
import { TacoError, badRequest, isTacoError } from '../base/errors.ts'
import type { FileUpload } from './files.ts'
import type { GpgKey, GpgKeys } from './gpg-keys.ts'
import type { ModuleName, ModuleVersion, Modules } from './modules.ts'
import { checkModuleName, checkModuleProvider, checkVersion } from './names.ts'
import type { ProviderVersion, Providers } from './providers.ts'

/** Publishing in as few steps as possible: what is missing on the way is made. All of it can be repeated. */
export interface Publish {
  module(
    org: string,
    name: ModuleName & { readonly version: string },
    upload: FileUpload,
    caller: Caller,
  ): Promise<ModuleVersion>
  key(org: string, asciiArmor: string, caller: Caller): Promise<GpgKey>
  /** Makes the version. One that exists must have the same key and protocols. */
  provider(
    org: string,
    fields: Pick<ProviderVersion, 'version' | 'keyId' | 'protocols'> & { readonly name: string },
    caller: Caller,
  ): Promise<ProviderVersion>
  /** A file of a version, by its usual name: `…_SHA256SUMS`, `…_SHA256SUMS.sig` or `…_<os>_<arch>.zip`. */
  providerFile(
    org: string,
    of: { readonly name: string; readonly version: string; readonly file: string },
    upload: FileUpload,
    caller: Caller,
  ): Promise<ProviderVersion>
}

export function createPublish(modules: Modules, providers: Providers, keys: GpgKeys): Publish {
  return {
    async module(org, { version: number, ...name }, upload, caller) {
      checkModuleName(name.name)
      checkModuleProvider(name.provider)
      checkVersion(number)
      // An archive that is refused leaves no module and no version behind.
      const taken = await modules.receive(upload)
      try {
        const module = await orExisting(
          () => modules.find(org, name),
          () => modules.create(org, name, caller),
        )
        const version = await orExisting(
          async () => (await modules.versions(org, module.id)).find((one) => one.version === number),
          () => modules.createVersion(org, module.id, { version: number }, caller),
        )
        return await modules.store(org, module.id, version.id, taken, caller)
      } finally {
        await taken.dispose()
      }
    },
    async key(org, asciiArmor, caller) {
      try {
        return await keys.add(org, asciiArmor, caller)
      } catch (error) {
        const same = (await keys.list(org)).find((key) => key.asciiArmor === asciiArmor)
        if (same !== undefined && isTacoError(error, 'ALREADY_EXISTS')) return same
        throw error
      }
    },
    async provider(org, { name, version: number, keyId, protocols }, caller) {
      const provider = await orExisting(
        () => providers.find(org, { name }),
        () => providers.create(org, { name }, caller),
      )
      const version = await orExisting(
        async () => (await providers.versions(org, provider.id)).find((one) => one.version === number),
        () => providers.createVersion(org, provider.id, { version: number, keyId, protocols }, caller),
      )
      if (version.keyId !== keyId || version.protocols.join() !== protocols.join())
        throw new TacoError('CONFLICT', `There is a version ${number} with another key or other protocols.`, {
          hint: 'Delete that version first, or publish another one.',
        })
      return version
    },
    async providerFile(org, { name, version: number, file }, upload, caller) {
      const provider = await providers.get(org, { name })
      const version = await providers.version(org, provider.id, number)
      const at = { org, provider: provider.id, version: version.id }
      if (file.endsWith('SHA256SUMS')) return providers.uploadSums(at, 'shasums', upload, caller)
      if (file.endsWith('SHA256SUMS.sig')) return providers.uploadSums(at, 'signature', upload, caller)
      const [, os, arch] = /_([0-9a-z]+)_([0-9a-z]+)\.zip$/.exec(file) ?? []
      if (os === undefined || arch === undefined)
        throw badRequest(
          'file',
          `"${file}" is no file of a provider.`,
          'Name it as terraform-provider-<name>_<version>_<os>_<arch>.zip.',
        )
      const sums = await providers.sums(at)
      const shasum = sums?.get(file)
      if (shasum === undefined)
        throw badRequest('file', `SHA256SUMS does not list ${file}.`, 'Upload SHA256SUMS first.')
      const platform = await orExisting(
        async () =>
          (await providers.version(org, provider.id, number)).platforms.find(
            (one) => one.os === os && one.arch === arch,
          ),
        async () => {
          const input = { os, arch, shasum, filename: file }
          const { platforms } = await providers.addPlatform(org, provider.id, version.id, input, caller)
          const made = platforms.find((one) => one.os === os && one.arch === arch)
          if (made === undefined) throw new Error('the platform is missing')
          return made
        },
      )
      return providers.uploadPackage({ ...at, platform: platform.id }, upload, caller)
    },
  }
}

/** Another publisher may make it at the same moment. */
async function orExisting<T>(find: () => Promise<T | undefined>, make: () => Promise<T>): Promise<T> {
  const found = await find()
  if (found !== undefined) return found
  try {
    return await make()
  } catch (error) {
    const made = isTacoError(error, 'ALREADY_EXISTS') ? await find() : undefined
    if (made === undefined) throw error
    return made
  }
}
