import { z } from 'zod'
import { isTacoError } from '../../../base/errors.ts'
import type { Caller, StateControl, UnitView } from '../../../state/index.ts'

/** A larger state is not parsed for a list. */
const MOST_BYTES = 64 * 1024 * 1024

const State = z.object({
  resources: z
    .array(
      z.object({
        mode: z.string(),
        type: z.string(),
        name: z.string(),
        module: z.string().optional(),
        provider: z.string(),
        instances: z.array(z.object({ index_key: z.union([z.string(), z.number()]).optional() })).default([]),
      }),
    )
    .default([]),
})

/** One instance of a resource, without its attributes. */
export interface ResourceInstance {
  readonly address: string
  readonly mode: string
  readonly type: string
  readonly name: string
  readonly module: string | undefined
  /** `hashicorp/null` */
  readonly provider: string
  readonly index: string | number | undefined
}

/** Undefined: there is no state, or what is in it cannot be known. */
export async function currentResources(
  { states }: Pick<StateControl, 'states'>,
  { org, id, state }: UnitView,
  caller: Caller,
): Promise<readonly ResourceInstance[] | undefined> {
  if (state === null || state.encrypted || state.unreadable || state.size > MOST_BYTES) return undefined
  try {
    const found = await states.read({ org, unit: id }, {}, caller)
    if (found === undefined || found === 'unchanged') return undefined
    const { resources } = State.parse(JSON.parse(Buffer.from(await found.bytes()).toString()))
    return resources.flatMap(instancesOf)
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

function instancesOf(resource: z.infer<typeof State>['resources'][number]): readonly ResourceInstance[] {
  const { mode, type, name, module, provider, instances } = resource
  const place = `${module === undefined ? '' : `${module}.`}${mode === 'data' ? 'data.' : ''}${type}.${name}`
  return instances.map(({ index_key: index }) => ({
    address: index === undefined ? place : `${place}[${JSON.stringify(index)}]`,
    mode,
    type,
    name,
    module,
    provider: providerOf(provider),
    index,
  }))
}

/** `hashicorp/null` for `provider["registry.terraform.io/hashicorp/null"]`. */
function providerOf(text: string): string {
  const source = /\["([^"]+)"\]/.exec(text)?.[1] ?? text
  return source.split('/').slice(-2).join('/')
}
