import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import {
  type RunTask,
  type RunTaskFields,
  Stage,
  TaskLevel,
  type UnitTask,
} from '../../../../governance/index.ts'
import { resource, toOne } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { type ResourceObject, document, includes, many, one } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { checkAgentPool, unitsSeen } from '../org-relations.ts'

const tags = ['terraform cloud']
const params = z.object({ task: z.string() })
const name = z.string().trim().min(1).max(255)
const url = z.url({ protocol: /^https?$/ }).max(2_048)
const attributes = {
  description: z.string().max(4_096).nullish(),
  category: z.literal('task').nullish(),
  'hmac-key': z.string().max(1_024).nullish(),
  enabled: z.boolean().nullish(),
  'global-configuration': z
    .object({
      enabled: z.boolean().nullish(),
      stages: z.array(Stage).nullish(),
      'enforcement-level': TaskLevel.nullish(),
    })
    .nullish(),
}
type Global = z.infer<(typeof attributes)['global-configuration']>
const relationships = { 'agent-pool': toOne('agent-pools') }

function ofTask(
  { params: { task } }: { readonly params: z.infer<typeof params> },
  { locator, governance }: Pick<TfcServices, 'locator' | 'governance'>,
) {
  return locator.record(governance.runTasks, task)
}

export function viewUnitTask({ id, unit, task, level, stages }: UnitTask): ResourceObject {
  return {
    id,
    type: 'workspace-tasks',
    attributes: { 'enforcement-level': level, stage: stages[0] ?? 'post_plan', stages },
    relationships: { task: one('tasks', task), workspace: one('workspaces', unit) },
    links: { self: `/api/v2/workspaces/${unit}/tasks/${id}` },
  }
}

interface TasksView {
  show(task: RunTask): ResourceObject
  included(tasks: readonly RunTask[], query: { readonly include?: string | undefined }): ResourceObject[]
}

/** Shows the run tasks of an organization to a caller, with those units that the caller may see. */
async function tasksView(services: TfcServices, org: string, caller: Caller): Promise<TasksView> {
  const orgName = services.control.orgNames.nameOf(org)
  const units = await unitsSeen(services, org, caller)
  const attached = (await services.governance.unitTasks.list({ org })).filter(({ unit }) => units.has(unit))
  const ofTask = (id: string) => attached.filter(({ task }) => task === id)
  return {
    show: ({ id, global, ...task }) => ({
      id,
      type: 'tasks',
      attributes: {
        name: task.name,
        url: task.url,
        description: task.description,
        category: task.category,
        'hmac-key': null,
        enabled: task.isEnabled,
        'global-configuration': {
          enabled: global?.isEnabled ?? false,
          stages: global?.stages ?? [],
          'enforcement-level': global?.level ?? 'advisory',
        },
      },
      relationships: {
        organization: one('organizations', orgName),
        'agent-pool': one('agent-pools', task.agentPool),
        'workspace-tasks': many(
          'workspace-tasks',
          ofTask(id).map((one) => one.id),
        ),
      },
      links: { self: `/api/v2/tasks/${id}` },
    }),
    included(tasks, query) {
      const wanted = includes(query)
      const withWorkspaces = wanted.has('workspace-tasks.workspace')
      if (!withWorkspaces && !wanted.has('workspace-tasks')) return []
      const all = tasks.flatMap(({ id }) => ofTask(id))
      const named = all.map(({ unit: id }) => ({
        id,
        type: 'workspaces',
        attributes: { name: units.get(id)?.name.replaceAll('/', '--') },
      }))
      return [...all.map(viewUnitTask), ...(withWorkspaces ? named : [])]
    },
  }
}

/** What is left out stays as it is. */
function globalOf(given: Global, before: RunTask['global']): Pick<RunTaskFields, 'global'> {
  if (given === undefined || given === null) return before === undefined ? {} : { global: before }
  return {
    global: {
      ...before,
      isEnabled: given.enabled ?? before?.isEnabled ?? false,
      stages: given.stages ?? before?.stages ?? [],
      level: given['enforcement-level'] ?? before?.level ?? 'advisory',
    },
  }
}

export const runTaskRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/tasks',
    id: 'tfcListRunTasks',
    action: 'policy:read',
    tags,
    summary: 'List run tasks',
    params: OrgParams,
    query: z.object({ ...paging, q: z.string().optional() }),
    target: ofOrg,
    answers: { 200: documented('The run tasks') },
    async handle({ target: { org }, query, caller, x }, services) {
      const wanted = query.q?.toLowerCase() ?? ''
      const all = (await services.governance.runTasks.list({ org })).filter((task) =>
        task.name.toLowerCase().includes(wanted),
      )
      const page = paged(all, query, x)
      const view = await tasksView(services, org, caller)
      const included = view.included(page.items, query)
      return { status: 200, ...listed({ ...page, items: page.items.map(view.show) }, { included }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/tasks',
    id: 'tfcCreateRunTask',
    action: 'policy:manage',
    tags,
    summary: 'Create a run task',
    description: 'Sends nothing to its address.',
    params: OrgParams,
    body: resource('tasks', { attributes: { ...attributes, name, url }, relationships }),
    target: ofOrg,
    answers: { 201: documented('The run task') },
    async handle({ target: { org }, body: { attributes: given, relationships: related }, caller }, services) {
      const pool = related['agent-pool']
      await checkAgentPool(services, org, pool)
      const fields = {
        name: given.name,
        url: given.url,
        description: given.description ?? '',
        category: 'task',
        isEnabled: given.enabled ?? true,
        ...globalOf(given['global-configuration'], undefined),
        ...(typeof pool === 'string' ? { agentPool: pool } : {}),
      }
      const task = await services.governance.runTasks.create(
        org,
        fields,
        given['hmac-key'] ?? undefined,
        caller,
      )
      return { status: 201, ...document((await tasksView(services, org, caller)).show(task)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/tasks/{task}',
    id: 'tfcShowRunTask',
    action: 'policy:read',
    tags,
    summary: 'Show a run task',
    params,
    query: z.object({ include: z.string().optional() }),
    target: ofTask,
    answers: { 200: documented('The run task') },
    async handle({ target: { org, record }, query, caller }, services) {
      const view = await tasksView(services, org, caller)
      return { status: 200, ...document(view.show(record), { included: view.included([record], query) }) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/tasks/{task}',
    id: 'tfcUpdateRunTask',
    action: 'policy:manage',
    tags,
    summary: 'Change a run task',
    params,
    body: resource('tasks', {
      attributes: { ...attributes, name: name.nullish(), url: url.nullish() },
      relationships,
    }),
    target: ofTask,
    answers: { 200: documented('The run task') },
    async handle({ target: { org, record }, body, caller }, services) {
      const { attributes: given, relationships: related } = body
      const pool = related['agent-pool']
      await checkAgentPool(services, org, pool)
      const task = await services.governance.runTasks.update(
        org,
        record.id,
        ({ agentPool, global, ...before }) => {
          const nextPool = pool === undefined ? agentPool : (pool ?? undefined)
          return {
            ...before,
            name: given.name ?? before.name,
            url: given.url ?? before.url,
            description: given.description === undefined ? before.description : (given.description ?? ''),
            isEnabled: given.enabled ?? before.isEnabled,
            ...globalOf(given['global-configuration'], global),
            ...(nextPool === undefined ? {} : { agentPool: nextPool }),
          }
        },
        given['hmac-key'] ?? undefined,
        caller,
      )
      return { status: 200, ...document((await tasksView(services, org, caller)).show(task)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/tasks/{task}',
    id: 'tfcDeleteRunTask',
    action: 'policy:manage',
    tags,
    summary: 'Delete a run task, and take it away from its workspaces',
    params,
    target: ofTask,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, { governance }) {
      await governance.runTasks.remove(org, record.id, caller)
      return { status: 204 }
    },
  }),
]
