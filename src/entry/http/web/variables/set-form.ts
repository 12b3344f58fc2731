import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import { badRequest } from '../../../../base/errors.ts'
import { type SetSight, type VariableSet, setTag } from '../../../../variables/index.ts'
import { Repeated } from '../../openapi/api.ts'
import type { WebServices } from '../services.ts'
import { checked } from './save-variable.ts'

const text = z.string().trim().default('')

/** What the form of a variable set sends. */
export const setForm = {
  name: text,
  description: text,
  global: checked,
  priority: checked,
  /** Names or ids, separated by white space. Undefined: they stay as they are. */
  units: z.string().trim().optional(),
  /** Ids. */
  projects: Repeated.transform((given) => given ?? []),
  /** Of a new set: the project that owns it. Empty: the organization. */
  owner: text,
  /** Of the set when the page was shown. */
  tag: text,
}
export type SetInput = z.output<z.ZodObject<typeof setForm>>

export const SET_FIELDS = ['name', 'description', 'units', 'projects', 'owner'] as const

export const EMPTY_SET: SetInput = {
  name: '',
  description: '',
  global: false,
  priority: false,
  units: '',
  projects: [],
  owner: '',
  tag: '',
}

export function inputOf(set: VariableSet, sight: SetSight): SetInput {
  const { name, description, global, priority, parent } = set
  const units = sight.unitsOf(set).map((unit) => unit.name)
  const projects = sight.projectsOf(set).map(({ id }) => id)
  const owner = parent?.project ?? ''
  const shown = units.length > MOST_TYPED ? {} : { units: units.join('\n') }
  return { name, description, global, priority, owner, projects, ...shown, tag: setTag(set) }
}

/** More would make a form that is too large to send. */
const MOST_TYPED = 1_000

export const unitsIn = (units: string) => units.split(/\s+/).filter(Boolean)

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

/** Ids of those that the form does not name any more. Pure. */
export function without(
  attached: readonly { readonly id: string; readonly name: string }[],
  given: readonly string[],
): readonly string[] {
  return attached.filter(({ id, name }) => !given.includes(id) && !given.includes(name)).map(({ id }) => id)
}
