import { z } from 'zod'
import { settingsChange, settingsOf } from '../../../../projects/index.ts'
import { identifiers } from '../kit/body.ts'
import { NO_CONTENT, WorkspaceParams, documented, ofWorkspace, route } from '../kit/define.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { checkWorkspaces } from '../workspaces-of-org.ts'
import { allUnits } from './list.ts'
import { viewWorkspace, viewerOf } from './view.ts'
import { liveUnit } from './live-unit.ts'

const shared = { tags: ['terraform cloud'], params: WorkspaceParams, target: ofWorkspace } as const
const CONSUMERS = '/api/v2/workspaces/{workspace}/relationships/remote-state-consumers'

/** What becomes of the list of consumers, by the method of the request. */
const CHANGES = {
  POST: {
    id: 'tfcAddConsumers',
    summary: 'Add workspaces that use the state of this one',
    changed: (before: readonly string[], given: readonly string[]) => [...new Set([...before, ...given])],
  },
  PATCH: {
    id: 'tfcReplaceConsumers',
    summary: 'Replace the workspaces that use the state of this one',
    changed: (_: readonly string[], given: readonly string[]) => [...new Set(given)],
  },
  DELETE: {
    id: 'tfcRemoveConsumers',
    summary: 'Remove workspaces that use the state of this one',
    changed: (before: readonly string[], given: readonly string[]) =>
      before.filter((id) => !given.includes(id)),
  },
} as const

export const workspaceRelationRoutes = [
  route({
    ...shared,
    method: 'GET',
    path: CONSUMERS,
    id: 'tfcListConsumers',
    action: 'unit:read',
    summary: 'List the workspaces that use the state of this one',
    query: z.object(paging),
    answers: { 200: documented('The workspaces') },
    async handle({ target, query, caller, x }, services) {
      const { remoteStateConsumers = [] } = settingsOf(await liveUnit(services.control, target, caller))
      const wanted = new Set(remoteStateConsumers)
      const found = (await allUnits(services, target.org, caller)).filter(({ id }) => wanted.has(id))
      const viewer = await viewerOf(services, target.org, caller)
      const page = paged(found, query, x)
      const items = page.items.map((unit) => viewWorkspace(unit, viewer))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  ...(['POST', 'PATCH', 'DELETE'] as const).map((method) =>
    route({
      ...shared,
      method,
      path: CONSUMERS,
      id: CHANGES[method].id,
      action: 'unit:update',
      summary: CHANGES[method].summary,
      body: identifiers('workspaces'),
      answers: { 204: NO_CONTENT },
      async handle({ target, body, caller }, services) {
        if (method !== 'DELETE') await checkWorkspaces(services, target.org, { data: body }, caller)
        const section = settingsChange(({ remoteStateConsumers = [], ...settings }) => ({
          ...settings,
          remoteStateConsumers: CHANGES[method].changed(remoteStateConsumers, body),
        }))
        await services.control.units.update(target, { section }, caller)
        return { status: 204 }
      },
    }),
  ),
]
