import {
  type Access,
  type KeyRing,
  type OrgAccess,
  type SignInServices,
  createAccess,
  createOrgAccess,
  createPeople,
  createServerSettings,
  systemCaller,
} from '../access/index.ts'
import { isTacoError } from '../base/errors.ts'
import { type Graph, type Inputs, createGraph, createInputs } from '../graph/index.ts'
import { type Sync, createSync } from '../project/index.ts'
import { type Rollouts, createRolloutMarks, createRollouts } from '../rollouts/index.ts'
import type { StateControl } from '../state/index.ts'

/** What is built on state control, for every face. */
export interface Services {
  readonly graph: Graph
  readonly inputs: Inputs
  readonly sync: Sync
  readonly rollouts: Rollouts
  readonly access: Access
  readonly orgAccess: OrgAccess
  /** Undefined: people cannot sign in here (`--auth none`, `--auth token`). */
  readonly signIn: SignInServices | undefined
}

export interface ServiceDeps extends Omit<Parameters<typeof createRollouts>[0], 'control'> {
  readonly control: StateControl
  /** Given if people can sign in. */
  readonly keys?: KeyRing | undefined
}

export function createServices({ keys, ...deps }: ServiceDeps): Services {
  const { control, clock } = deps
  const rollouts = createRollouts(deps)
  const accessDeps = { ...deps, journal: control.outbox }
  const orgAccess = createOrgAccess(accessDeps)
  const signIn =
    keys === undefined
      ? undefined
      : {
          keys,
          people: createPeople(accessDeps),
          settings: createServerSettings({ ...accessDeps, keys }),
        }
  return {
    graph: createGraph({ control, marks: createRolloutMarks(rollouts, clock), clock }),
    inputs: createInputs(control),
    sync: createSync(control),
    rollouts,
    access: createAccess({
      clock,
      orgs: orgAccess,
      settings: signIn?.settings,
      findUnit: unitFinder(control),
    }),
    orgAccess,
    signIn,
  }
}

/** What rules go by. A unit that was deleted or never made is none. */
function unitFinder({ units }: StateControl) {
  const caller = systemCaller('access')
  return async (org: string, unit: string) => {
    try {
      const { id, name, labels } = await units.get({ org, unit }, caller)
      return { id, name, labels }
    } catch (error) {
      if (isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST')) return undefined
      throw error
    }
  }
}
