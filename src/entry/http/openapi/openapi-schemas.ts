import { z } from 'zod'
import * as state from '../../../state/index.ts'

/** The views under the names that the OpenAPI document gives them. */
export const Unit = state.UnitView.omit({ sections: true }).meta({ id: 'Unit' })
export const Version = state.VersionView.meta({ id: 'Version' })
export const Absence = state.AbsenceView.meta({ id: 'Absence' })
export const DamagedVersion = state.DamagedVersion.meta({ id: 'DamagedVersion' })
export const LockInfo = state.LockInfo.meta({ id: 'EngineLock' })
export const Lock = state.LockView.meta({ id: 'Lock' })
export const Organization = state.OrgView.meta({ id: 'Organization' })
export const Usage = state.UsageView.meta({ id: 'Usage' })
export const JournalEvent = state.EventView.meta({ id: 'Event' })
export const AdoptFinding = state.AdoptFinding.meta({ id: 'AdoptFinding' })
export const DoctorFinding = state.DoctorFinding.meta({ id: 'DoctorFinding' })
export const GcReport = state.GcReport.meta({ id: 'GcReport' })
/** Each of the two has a name of its own: generators drop what a named choice holds without one. */
const [SealedDiff, PlainDiff] = state.StateDiff.options
export const StateDiff = z
  .discriminatedUnion('encrypted', [
    SealedDiff.meta({ id: 'EncryptedStateDiff' }),
    PlainDiff.meta({ id: 'PlainStateDiff' }),
  ])
  .meta({ id: 'StateDiff' })
export const OutputsCommit = state.OutputsCommitView.extend({
  outputs: z
    .array(
      state.OutputView.omit({ json: true }).extend({
        type: z.unknown().meta({ description: 'As OpenTofu writes it: "string", ["list","string"].' }),
        value: z.unknown().optional().meta({ description: 'Absent if the value is not included.' }),
      }),
    )
    .nullable(),
}).meta({ id: 'OutputsCommit' })
