import type { Caller } from '../../../../access/index.ts'
import { badRequest } from '../../../../base/errors.ts'
import type { WebServices } from '../services.ts'

/** The form of a variable set, as it was sent. */
export interface SetInput {
  readonly name: string
  readonly description: string
  readonly global: boolean
  readonly priority: boolean
  /** Separated by white space. */
  readonly units: string
  /** One in each line: their names may contain spaces. */
  readonly projects: string
}

export const EMPTY_SET: SetInput = {
  name: '',
  description: '',
  global: false,
  priority: false,
  units: '',
  projects: '',
}

export const unitsIn = ({ units }: Pick<SetInput, 'units'>) => units.split(/\s+/).filter(Boolean)
export const projectsIn = ({ projects }: Pick<SetInput, 'projects'>) =>
  projects
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** To change what a unit gets takes the same right on the unit as to change its own variables. */
export async function checkUnits(
  { access }: Pick<WebServices, 'access'>,
  org: string,
  units: readonly string[],
  { principal }: Caller,
): Promise<void> {
  for (const unit of units) {
    const decision = await access.decide(principal, 'vars:write', { org, unit })
    if (decision.allowed) continue
    throw badRequest(
      'units',
      decision.reason === 'hidden'
        ? `There is no unit ${unit}.`
        : `You may not change the variables of ${unit}.`,
    )
  }
}
