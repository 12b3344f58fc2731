import { z } from 'zod'
import type { UnitView } from '../../../../state/index.ts'
import { type ResourceInstance, currentResources } from '../../kit/current-resources.ts'
import { WorkspaceParams, documented, ofWorkspace, route } from '../kit/define.ts'
import type { ResourceObject } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { stateVersionId } from './view.ts'
import { liveUnit } from './live-unit.ts'

function viewResource(
  { id, state }: UnitView,
  { address, name, module, provider, type, index }: ResourceInstance,
): ResourceObject {
  return {
    id: `wsr-${id.slice('ws-'.length)}${Buffer.from(address).toString('hex')}`,
    type: 'resources',
    attributes: {
      address,
      name,
      'created-at': state?.at,
      'updated-at': state?.at,
      module: module?.replace(/^module\./, '') ?? 'root',
      provider,
      'provider-type': type,
      'modified-by-state-version-id': state === null ? null : stateVersionId({ id }, state),
      'name-index': index === undefined ? null : String(index),
    },
  }
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
    async handle({ target, query, caller, x }, { control }) {
      const unit = await liveUnit(control, target, caller)
      const found = (await currentResources(control, unit, caller)) ?? []
      const all = found.filter(({ mode }) => mode === 'managed').map((one) => viewResource(unit, one))
      return { status: 200, ...listed(paged(all, query, x)) }
    },
  }),
]
