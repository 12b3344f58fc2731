import type { Spool } from '../base/spool.ts'
import type { RecordDeps } from '../records/index.ts'
import { createFiles } from './files.ts'
import { type GpgKeys, createGpgKeys } from './gpg-keys.ts'
import { type Modules, createModules } from './modules.ts'
import { type Providers, createProviders } from './providers.ts'

/** The registry of every organization. */
export interface Registry {
  readonly modules: Modules
  readonly providers: Providers
  readonly gpgKeys: GpgKeys
}

export function createRegistry(deps: RecordDeps & { readonly spool: Spool }): Registry {
  const files = createFiles(deps)
  const gpgKeys = createGpgKeys(deps)
  return {
    modules: createModules(deps, files),
    providers: createProviders(deps, files, gpgKeys),
    gpgKeys,
  }
}
