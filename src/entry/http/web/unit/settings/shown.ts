import type { Project } from '../../../../../projects/index.ts'
import type { OrgView as Organization } from '../../../../../state/index.ts'
import type { Faults } from '../../shell/faults.ts'
import type { UnitPage } from '../frame.tsx'
import type { InputForm, Inputs } from './inputs.ts'

export interface SettingsShown {
  readonly inputs: Inputs
  readonly faults: Faults
  /** The form that was overtaken by another change. */
  readonly race: InputForm | undefined
}

export interface SettingsPageProps extends SettingsShown {
  readonly page: UnitPage
  readonly projects: readonly Project[]
  /** Undefined: the person may not read it. */
  readonly organization: Organization | undefined
  readonly may: { readonly rename: boolean; readonly delete: boolean }
  /** The person could rename or delete it if it were not guarded. */
  readonly isGuarded: boolean
}
