import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import { Stage, TaskLevel, type UnitTask } from '../../../../governance/index.ts'
import { resource, toOne } from '../kit/body.ts'
import {
  NO_CONTENT,
  type TfcServices,
  WorkspaceParams,
  documented,
  ofWorkspace,
  route,
} from '../kit/define.ts'
import { invalidRelation, notFound } from '../kit/errors.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { viewUnitTask } from './run-tasks.ts'

const tags = ['terraform cloud']
const path = '/api/v2/workspaces/{workspace}/tasks'
const params = WorkspaceParams.extend({ attached: z.string() })
const attributes = { stage: Stage.nullish(), stages: z.array(Stage).min(1).nullish() }

interface Of {
  readonly org: string
  readonly unit: string
}

/** Those whose tasks exist. */
async function tasksOf({ org, unit }: Of, { governance }: Pick<TfcServices, 'governance'>) {
  const tasks = new Set((await governance.runTasks.list({ org })).map(({ id }) => id))
  return (await governance.unitTasks.list({ org })).filter((one) => one.unit === unit && tasks.has(one.task))
}

async function taskOf(of: Of, id: string, services: Pick<TfcServices, 'governance'>): Promise<UnitTask> {
  const found = (await tasksOf(of, services)).find((one) => one.id === id)
  if (found === undefined) throw notFound()
  return found
}

/** With the unit, for events. */
async function placeOf(
  { org, unit: id }: Of,
  { control }: Pick<TfcServices, 'control'>,
  caller: Parameters<TfcServices['control']['units']['get']>[1],
) {
  const { name, deleted } = await control.units.get({ org, unit: id }, caller)
  if (deleted !== null) throw notFound()
  return { org, unit: { id, name } }
}

/** `stage` is the older way to say it. */
function stagesOf({
  stage,
  stages,
}: {
  readonly stage?: string | null | undefined
  readonly stages?: readonly string[] | null | undefined
}) {
  if (stages !== undefined && stages !== null) return [...new Set(stages)]
  return stage === undefined || stage === null ? undefined : [stage]
}

export const workspaceTaskRoutes = [
  route({
    method: 'GET',
    path,
    id: 'tfcListWorkspaceRunTasks',
    action: 'unit:read',
    tags,
    summary: 'List the run tasks of a workspace',
    params: WorkspaceParams,
    query: z.object(paging),
    target: ofWorkspace,
    answers: { 200: documented('The run tasks') },
    async handle({ target, query, x }, services) {
      const page = paged(await tasksOf(target, services), query, x)
      return { status: 200, ...listed({ ...page, items: page.items.map(viewUnitTask) }) }
    },
  }),
  route({
    method: 'POST',
    path,
    id: 'tfcCreateWorkspaceRunTask',
    action: 'unit:update',
    tags,
    summary: 'Attach a run task to a workspace',
    params: WorkspaceParams,
    body: resource('workspace-tasks', {
      attributes: { ...attributes, 'enforcement-level': TaskLevel },
      relationships: { task: toOne('tasks') },
    }),
    target: ofWorkspace,
    answers: { 201: documented('The run task of the workspace') },
    async handle({ target, body: { attributes: given, relationships }, caller }, services) {
      const place = await placeOf(target, services, caller)
      const { governance } = services
      const task = (await governance.runTasks.list(place)).find(({ id }) => id === relationships.task)
      if (task === undefined) throw invalidRelation('task', 'There is no such run task in this organization.')
      const fields = {
        unit: target.unit,
        task: task.id,
        level: given['enforcement-level'],
        stages: stagesOf(given) ?? ['post_plan'],
      }
      try {
        const made = await governance.unitTasks.create(place, fields, caller)
        return { status: 201, ...document(viewUnitTask(made)) }
      } catch (error) {
        if (!isTacoError(error, 'ALREADY_EXISTS')) throw error
        throw invalidRelation('task', `The run task ${task.name} is already attached to this workspace.`)
      }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{attached}`,
    id: 'tfcShowWorkspaceRunTask',
    action: 'unit:read',
    tags,
    summary: 'Show a run task of a workspace',
    params,
    target: ofWorkspace,
    answers: { 200: documented('The run task of the workspace') },
    handle: async ({ target, params: { attached } }, services) => ({
      status: 200,
      ...document(viewUnitTask(await taskOf(target, attached, services))),
    }),
  }),
  route({
    method: 'PATCH',
    path: `${path}/{attached}`,
    id: 'tfcUpdateWorkspaceRunTask',
    action: 'unit:update',
    tags,
    summary: 'Change a run task of a workspace',
    params,
    body: resource('workspace-tasks', {
      attributes: { ...attributes, 'enforcement-level': TaskLevel.nullish() },
    }),
    target: ofWorkspace,
    answers: { 200: documented('The run task of the workspace') },
    async handle({ target, params: { attached }, body: { attributes: given }, caller }, services) {
      const { id } = await taskOf(target, attached, services)
      const place = await placeOf(target, services, caller)
      const changed = await services.governance.unitTasks.update(
        place,
        id,
        (before) => ({
          ...before,
          level: given['enforcement-level'] ?? before.level,
          stages: stagesOf(given) ?? before.stages,
        }),
        caller,
      )
      return { status: 200, ...document(viewUnitTask(changed)) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{attached}`,
    id: 'tfcDeleteWorkspaceRunTask',
    action: 'unit:update',
    tags,
    summary: 'Take a run task away from a workspace',
    params,
    target: ofWorkspace,
    answers: { 204: NO_CONTENT },
    async handle({ target, params: { attached }, caller }, services) {
      const { id } = await taskOf(target, attached, services)
      await services.governance.unitTasks.remove(await placeOf(target, services, caller), id, caller)
      return { status: 204 }
    },
  }),
]
