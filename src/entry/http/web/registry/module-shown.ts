import type { ListAsked } from '../shell/list.tsx'
import type {
  ModuleMetadata,
  ModulePart,
  ModuleRecord,
  ModuleVersion,
  NoCodeModule,
} from '../../../../registry/index.ts'
import type { Faults } from '../shell/faults.ts'
import type { OrgView } from '../shell/view.ts'
import type { RegistryHost } from './use-blocks.tsx'

/** A module, and which version, folder and tab of it a page shows. */
export interface ModuleShown {
  readonly view: OrgView
  readonly now: number
  readonly at: RegistryHost
  readonly module: ModuleRecord
  /** Newest first. */
  readonly versions: readonly ModuleVersion[]
  /** Undefined: none is complete. */
  readonly version: ModuleVersion | undefined
  /** Undefined: the version has no archive yet. */
  readonly metadata: ModuleMetadata | undefined
  readonly part: ModulePart | undefined
  /** Settings for using it without code. Undefined: there are none. */
  readonly withoutCode: NoCodeModule | undefined
  readonly tab: string
  readonly asked: ListAsked
  readonly faults?: Faults
  /** What was typed about a deprecation that was refused. */
  readonly input?: { readonly reason: string; readonly link: string } | undefined
}

/** The newest complete version, a pre-release only if there is no other. Pure. */
export function newestOf(versions: readonly ModuleVersion[]): ModuleVersion | undefined {
  const complete = versions.filter(({ archive }) => archive !== undefined)
  return complete.find(({ version }) => !version.includes('-')) ?? complete[0]
}
