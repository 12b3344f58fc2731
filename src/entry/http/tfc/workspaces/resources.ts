import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import type { UnitRef } from '../../../../state/index.ts'
import { type TfcServices, WorkspaceParams, documented, ofWorkspace, route } from '../kit/define.ts'
import type { ResourceObject } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { stateVersionId } from './view.ts'
import { liveUnit } from './live-unit.ts'

/** A larger state is not parsed for a list. */
const MOST_BYTES = 64 * 1024 * 1024

const Instance = z.object({ index_key: z.union([z.string(), z.number()]).optional() })
const State = z.object({
  resources: z
    .array(
      z.object({
        mode: z.string(),
        type: z.string(),
        name: z.string(),
        module: z.string().optional(),
        provider: z.string(),
        instances: z.array(Instance).default([]),
      }),
    )
    .default([]),
})

interface StoredState {
  readonly version: string
  readonly at: string
  readonly state: z.infer<typeof State>
}

/** Undefined: there is no state, or nothing can be known of it. */
async function currentState(
  { control }: TfcServices,
  ref: UnitRef,
  caller: Parameters<TfcServices['control']['units']['get']>[1],
): Promise<StoredState | undefined> {
  const { state: version, id } = await liveUnit(control, ref, caller)
  if (version === null || version.encrypted || version.unreadable || version.size > MOST_BYTES)
    return undefined
  try {
    const found = await control.states.read(ref, {}, caller)
    if (found === undefined || found === 'unchanged') return undefined
    const state = State.parse(JSON.parse(Buffer.from(await found.bytes()).toString()))
    return { version: stateVersionId({ id }, version), at: version.at, state }
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

function viewResources(unit: string, { version, at, state }: StoredState): readonly ResourceObject[] {
  return state.resources
    .filter(({ mode }) => mode === 'managed')
    .flatMap((resource) =>
      resource.instances.map(({ index_key: key }) => {
        const index = key === undefined ? '' : `[${JSON.stringify(key)}]`
        const module = resource.module === undefined ? '' : `${resource.module}.`
        const address = `${module}${resource.type}.${resource.name}${index}`
        return {
          id: `wsr-${unit.slice('ws-'.length)}${Buffer.from(address).toString('hex')}`,
          type: 'resources',
          attributes: {
            address,
            name: resource.name,
            'created-at': at,
            'updated-at': at,
            module: resource.module?.replace(/^module\./, '') ?? 'root',
            provider: providerOf(resource.provider),
            'provider-type': resource.type,
            'modified-by-state-version-id': version,
            'name-index': key === undefined ? null : String(key),
          },
        }
      }),
    )
}

/** `hashicorp/null` for `provider["registry.terraform.io/hashicorp/null"]`. */
function providerOf(text: string): string {
  const source = /\["([^"]+)"\]/.exec(text)?.[1] ?? text
  return source.split('/').slice(-2).join('/')
}

export const workspaceResourceRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/resources',
    id: 'tfcListResources',
    action: 'state:read',
    tags: ['terraform cloud'],
    summary: 'List what the current state manages',
    params: WorkspaceParams,
    query: z.object(paging),
    target: ofWorkspace,
    answers: { 200: documented('The resources') },
    async handle({ target, query, caller, x }, services) {
      const stored = await currentState(services, target, caller)
      const all = stored === undefined ? [] : viewResources(target.unit, stored)
      return { status: 200, ...listed(paged(all, query, x)) }
    },
  }),
]
