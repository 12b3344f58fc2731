import { createFiles } from './files.ts'
import { type GpgKeys, createGpgKeys } from './gpg-keys.ts'
import { type ModuleDeps, type Modules, createModules } from './modules.ts'
import { type NoCodeModules, createNoCodeModules } from './no-code.ts'
import { type Publish, createPublish } from './publish.ts'
import { type Providers, createProviders } from './providers.ts'

/** The registry of every organization. */
export interface Registry {
  readonly modules: Modules
  readonly providers: Providers
  readonly gpgKeys: GpgKeys
  readonly publish: Publish
  readonly noCode: NoCodeModules
}

export function createRegistry(deps: ModuleDeps): Registry {
  const files = createFiles(deps)
  const gpgKeys = createGpgKeys(deps)
  const modules = createModules(deps, files)
  const providers = createProviders(deps, files, gpgKeys)
  return {
    modules,
    providers,
    gpgKeys,
    publish: createPublish(modules, providers, gpgKeys),
    noCode: createNoCodeModules(deps),
  }
}
