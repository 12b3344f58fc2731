import { z } from 'zod'
import type { Caller } from '../../../../access/index.ts'
import type { Project } from '../../../../projects/index.ts'
import { resource } from '../kit/body.ts'
import { NO_CONTENT, OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { document, includes, many } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { checkAgentPool } from '../org-relations.ts'
import { TagBindings } from '../workspaces/attributes.ts'
import { viewBindings } from '../workspaces/tags.ts'
import { viewProject } from './view.ts'

const tags = ['terraform cloud']
const params = z.object({ project: z.string() })
const Include = z.object({ include: z.string().optional() })

export async function ofProject(
  { params: { project } }: { readonly params: z.infer<typeof params> },
  { locator, projects }: Pick<TfcServices, 'locator' | 'projects'>,
) {
  const found = await locator.record(projects, project)
  return { ...found, project }
}

const attributes = {
  description: z.string().max(2_000).nullish(),
  'default-execution-mode': z.enum(['remote', 'local', 'agent']).nullish(),
  'default-agent-pool-id': z.string().nullish(),
  'auto-destroy-activity-duration': z
    .string()
    .regex(/^\d{1,4}[dh]$/, 'must be a number of days or hours, such as 14d')
    .nullish(),
  'setting-overwrites': z
    .object({ 'default-execution-mode': z.boolean().nullish(), 'default-agent-pool': z.boolean().nullish() })
    .nullish(),
}
type Attributes = z.infer<z.ZodObject<typeof attributes>>
const relationships = { 'tag-bindings': TagBindings }

/** What is left out stays as it is; null goes back to what the organization says. Pure. */
function changed<T extends Pick<Project, 'description' | 'executionMode' | 'agentPool'>>(
  project: T,
  given: Attributes,
): T {
  const overwrites = given['setting-overwrites']
  const mode = given['default-execution-mode']
  const pool = given['default-agent-pool-id']
  const duration = given['auto-destroy-activity-duration']
  return {
    ...project,
    ...(given.description === undefined ? {} : { description: given.description ?? '' }),
    ...(mode === undefined ? {} : { executionMode: mode ?? undefined }),
    ...(pool === undefined ? {} : { agentPool: pool ?? undefined }),
    ...(duration === undefined ? {} : { autoDestroyActivityDuration: duration ?? undefined }),
    ...(overwrites?.['default-execution-mode'] === false ? { executionMode: undefined } : {}),
    ...(overwrites?.['default-agent-pool'] === false ? { agentPool: undefined } : {}),
  }
}

function shown({ control }: TfcServices, org: string, project: Project, caller: Caller, include?: string) {
  const view = viewProject(project, { orgName: control.orgNames.nameOf(org), caller })
  if (!includes({ include }).has('effective-tag-bindings')) return document(view)
  const bindings = viewBindings(project.id, project.labels, 'effective-tag-bindings')
  const relation = many(
    'effective-tag-bindings',
    bindings.map(({ id }) => id),
  )
  return document(
    { ...view, relationships: { ...view.relationships, 'effective-tag-bindings': relation } },
    { included: bindings },
  )
}

/** Refuses an agent pool of another organization. */
function checkPool(services: TfcServices, org: string, { 'default-agent-pool-id': pool }: Attributes) {
  return checkAgentPool(services, org, pool, (message) => invalidAttribute('default-agent-pool-id', message))
}

export const projectRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/projects',
    id: 'tfcListProjects',
    action: 'org:read',
    takesRunTokens: true,
    tags,
    summary: 'List projects',
    params: OrgParams,
    query: z.object({
      ...paging,
      'filter[names]': z.string().optional(),
      q: z.string().optional(),
      sort: z.string().optional(),
    }),
    target: ofOrg,
    answers: { 200: documented('The projects') },
    async handle({ target: { org }, query, caller, x }, { control, projects }) {
      const names = query['filter[names]']?.split(',').map((name) => name.trim().toLowerCase())
      const wanted = query.q?.toLowerCase() ?? ''
      const found = (await projects.list(org)).filter(({ name }) => {
        const lower = name.toLowerCase()
        return lower.includes(wanted) && names?.includes(lower) !== false
      })
      const orgName = control.orgNames.nameOf(org)
      const page = paged(found, query, x)
      const items = page.items.map((project) => viewProject(project, { orgName, caller }))
      return { status: 200, ...listed({ ...page, items }) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/organizations/{org}/projects',
    id: 'tfcCreateProject',
    action: 'org:admin',
    tags,
    summary: 'Create a project',
    params: OrgParams,
    body: resource('projects', { attributes: { name: z.string(), ...attributes }, relationships }),
    target: ofOrg,
    answers: { 201: documented('The project') },
    async handle({ target: { org }, body, caller }, services) {
      const { name, ...given } = body.attributes
      await checkPool(services, org, given)
      const labels = body.relationships['tag-bindings'] ?? {}
      const fields = changed({ name, description: '', labels }, given)
      const project = await services.projects.create(org, fields, caller)
      return { status: 201, ...shown(services, org, project, caller) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/projects/{project}',
    id: 'tfcShowProject',
    action: 'org:read',
    tags,
    summary: 'Show a project',
    params,
    query: Include,
    target: ofProject,
    answers: { 200: documented('The project') },
    handle: ({ target: { org, record }, query, caller }, services) => ({
      status: 200,
      ...shown(services, org, record, caller, query.include),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/projects/{project}',
    id: 'tfcUpdateProject',
    action: 'org:admin',
    tags,
    summary: 'Change a project',
    params,
    query: Include,
    body: resource('projects', { attributes: { name: z.string().nullish(), ...attributes }, relationships }),
    target: ofProject,
    answers: { 200: documented('The project') },
    async handle({ target: { org, record }, body, query, caller }, services) {
      const { name, ...given } = body.attributes
      await checkPool(services, org, given)
      const labels = body.relationships['tag-bindings']
      const project = await services.projects.update(
        org,
        record.id,
        (before) => ({
          ...changed(before, given),
          ...(name == null ? {} : { name }),
          ...(labels === undefined ? {} : { labels }),
        }),
        caller,
      )
      return { status: 200, ...shown(services, org, project, caller, query.include) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/projects/{project}',
    id: 'tfcDeleteProject',
    action: 'org:admin',
    tags,
    summary: 'Delete a project without workspaces',
    params,
    target: ofProject,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, { projects }) {
      await projects.remove(org, record.id, caller)
      return { status: 204 }
    },
  }),
  ...(['tag-bindings', 'effective-tag-bindings'] as const).map((type) =>
    route({
      method: 'GET',
      path: `/api/v2/projects/{project}/${type}`,
      id: type === 'tag-bindings' ? 'tfcListProjectTagBindings' : 'tfcListEffectiveProjectTagBindings',
      action: 'org:read',
      tags,
      summary: 'List the tags of a project',
      params,
      target: ofProject,
      answers: { 200: documented('The tags') },
      handle: ({ target: { record } }) => ({
        status: 200,
        ...document(viewBindings(record.id, record.labels, type)),
      }),
    }),
  ),
  route({
    method: 'PATCH',
    path: '/api/v2/projects/{project}/tag-bindings',
    id: 'tfcAddProjectTagBindings',
    action: 'org:admin',
    tags,
    summary: 'Add tags to a project, or change their values',
    params,
    body: { schema: TagBindings },
    target: ofProject,
    answers: { 200: documented('The tags') },
    async handle({ target: { org, record }, body, caller }, { projects }) {
      const { id, labels } = await projects.update(
        org,
        record.id,
        (project) => ({ ...project, labels: { ...project.labels, ...body } }),
        caller,
      )
      return { status: 200, ...document(viewBindings(id, labels)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/projects/{project}/relationships/tag-bindings',
    id: 'tfcReplaceProjectTagBindings',
    action: 'org:admin',
    tags,
    summary: 'Replace the tags of a project',
    params,
    body: { schema: TagBindings },
    target: ofProject,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, body, caller }, { projects }) {
      await projects.update(org, record.id, (project) => ({ ...project, labels: body }), caller)
      return { status: 204 }
    },
  }),
]
