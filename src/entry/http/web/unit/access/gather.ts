import {
  type Action,
  type BrokenGlass,
  type Caller,
  type Guard,
  type GrantOnUnit,
  type OrgPolicy,
  grantsOnUnit,
  guardsOn,
  matchesUnit,
  saySubject,
} from '../../../../../access/index.ts'
import { projectIdOf } from '../../../../../projects/index.ts'
import { directoryOf, whereGranted } from '../../people/roster.ts'
import { rolesIn } from '../../people/tables.tsx'
import type { WebServices } from '../../services.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import type { UnitPage } from '../frame.tsx'

/** A role that means something for the unit, as a page shows it. */
export interface GrantRow extends GrantOnUnit {
  /** With the name as it is now. */
  readonly said: string
  /** Where it counts, in words. */
  readonly where: string
  /** It was given for this unit alone, so it can be revoked here. */
  readonly isOfUnit: boolean
}

/** What one action comes to, and why. */
export interface Right {
  readonly action: Action
  readonly allowed: boolean
  readonly lines: readonly string[]
}

export interface UnitAccess {
  /** Undefined: the person may not see who has which role. */
  readonly grants: readonly GrantRow[] | undefined
  readonly guards: readonly Guard[]
  /** Who may write in spite of the guards, for now. */
  readonly broken: readonly BrokenGlass[]
  /** Of the one who was asked about. */
  readonly rights: readonly Right[] | undefined
  readonly faults: Faults
  /** Names of all roles, for the form that gives one. */
  readonly roles: readonly string[]
}

export async function gatherAccess(
  page: UnitPage,
  services: WebServices,
  who: string,
  caller: Caller,
): Promise<UnitAccess> {
  const { view, unit, ref } = page
  const policy = await services.orgAccess.get(ref.org, caller)
  const facts = { ...unit, project: projectIdOf(unit) }
  const now = services.clock.now()
  const isReader = view.may('access:read')
  return {
    grants: isReader ? await grantRows(page, services, grantsOnUnit(policy, facts), policy) : undefined,
    // A guard may name other units, too. Only what covers this one is shown.
    guards: guardsOn(policy, facts).map(({ units, ...guard }) => ({
      ...guard,
      ...(units && { units: units.filter((pattern) => matchesUnit(pattern, facts)) }),
    })),
    broken: policy.brokenGlass.filter((one) => one.unit === unit.id && one.until > now),
    ...(isReader && who !== ''
      ? await rightsOf(page, services, who, caller)
      : { rights: undefined, faults: {} }),
    roles: rolesIn(policy.roles).map(({ name }) => name),
  }
}

async function grantRows(
  { ref, unit }: UnitPage,
  { signIn, projects }: WebServices,
  grants: readonly GrantOnUnit[],
  policy: OrgPolicy,
): Promise<readonly GrantRow[]> {
  const all = await projects.fresh(ref.org)
  const ids = grants.flatMap(({ to }) => (to.startsWith('user:') ? [to.slice('user:'.length)] : []))
  const known = await directoryOf(ids, signIn?.people)
  const people = { fresh: (id: string) => known.get(id) }
  const rows = await Promise.all(
    grants.map(async (grant) => {
      const isOfThis = isOfUnit(grant, unit)
      const where = isOfThis ? 'on this unit' : whereGranted(grant, all)
      return { ...grant, said: await saySubject(grant.to, { policy, people }), where, isOfUnit: isOfThis }
    }),
  )
  return rows.toSorted((a, b) => (a.said < b.said ? -1 : Number(a.said > b.said)))
}

function isOfUnit({ to, units, project }: GrantOnUnit, unit: { readonly id: string; readonly name: string }) {
  const [only, ...others] = units ?? []
  const isHere = only === unit.id || only === unit.name
  return isHere && others.length === 0 && project === undefined && !to.startsWith('workload:')
}

async function rightsOf(
  { ref, unit }: UnitPage,
  { accessQuestions }: WebServices,
  who: string,
  caller: Caller,
): Promise<Pick<UnitAccess, 'rights' | 'faults'>> {
  try {
    const rights = await accessQuestions.explainUnit(ref.org, { who, unit: unit.id }, caller)
    return { rights, faults: {} }
  } catch (error) {
    return { rights: undefined, faults: faultsAt(error, ['who']) }
  }
}
