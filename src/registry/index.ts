/**
 * The registry: modules and providers that an organization publishes, and the keys that sign them. What describes them
 * is in records; what engines download is in objects that never change. A version gets its content once. It is offered
 * to engines when it is complete and its checksums agree.
 */
export type { Deprecation, DeprecationText } from './deprecation.ts'
export type { GpgKey, GpgKeys } from './gpg-keys.ts'
export {
  type CatalogModule,
  type ModuleName,
  type ModuleRecord,
  type ModuleVersion,
  type Modules,
  type TestConfig,
  type VcsRepo,
  publishedAt,
} from './modules.ts'
export {
  type DescribeModule,
  ModuleMetadata,
  type ModuleFile,
  type ModulePart,
  emptyMetadata,
} from './metadata/module-metadata.ts'
export type { NoCodeModule } from './no-code.ts'
export {
  type CatalogProvider,
  type ProviderName,
  type ProviderPlatform,
  type ProviderRecord,
  type ProviderVersion,
  type Providers,
  type SumsFile,
  installable,
} from './providers.ts'
export { type MirroredProvider, type ProviderMirror, createProviderMirror } from './mirror/mirror.ts'
export { type Registry, createRegistry } from './registry.ts'
