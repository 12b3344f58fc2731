import { z } from 'zod'
import { isoTime } from '../../../base/clock.ts'
import { type Project, defaultProjectId, projectEtag, projectIdOf } from '../../../projects/index.ts'
import type { UnitView } from '../../../state/index.ts'
import { countedProjects } from '../kit/counted-projects.ts'
import { etagOf, expectedBy } from '../kit/response/etag.ts'
import { IfMatch, NoQuery, jsonAnswer, jsonBody } from '../openapi/api.ts'
import { OrgParams, ofNamedOrg } from './access/shared.ts'
import { type V1Services, route } from './define.ts'

const tags = ['projects']
const path = '/v1/orgs/{org}/projects'
const ProjectParams = OrgParams.extend({
  project: z.string().meta({ description: 'Name or id of the project.' }),
})

const View = z
  .object({
    id: z.string().meta({ example: 'prj-fpgCSnhVnuSddsA4' }),
    name: z.string(),
    description: z.string(),
    labels: z
      .record(z.string(), z.string())
      .meta({ description: 'Workspaces of the project have them as tags. The value may be empty.' }),
    isDefault: z.boolean().meta({ description: 'Units that were put into no project are in this one.' }),
    createdAt: z.iso.datetime().nullable().meta({ description: 'Null: a default project, as it came.' }),
    createdBy: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'Project' })
const Counted = View.extend({
  units: z.int().meta({ description: 'How many units of the project you may see.' }),
}).meta({ id: 'CountedProject' })

const Description = z.string().max(2_000)
const NewProject = z.strictObject({
  name: z.string(),
  description: Description.default(''),
  labels: z.record(z.string(), z.string()).default({}),
})
const Change = z
  .strictObject({
    name: z.string().optional(),
    description: Description.optional(),
    labels: z
      .record(z.string(), z.string().nullable())
      .optional()
      .meta({ description: 'Merged into the labels; null removes one.' }),
  })
  .refine((change) => Object.keys(change).length > 0, 'no change was given')

function view(org: string, project: Project): z.input<typeof View> {
  const { id, name, description, labels, createdAt, createdBy } = project
  return {
    id,
    name,
    description,
    labels,
    isDefault: id === defaultProjectId(org),
    createdAt: createdAt === 0 ? null : isoTime(createdAt),
    createdBy,
    etag: projectEtag(project),
  }
}

async function ofProject(
  { params: { org, project } }: { readonly params: z.infer<typeof ProjectParams> },
  { projects }: V1Services,
) {
  const record = await projects.get(org, project)
  return { org, project: record.id, record }
}

export const projectRoutes = [
  route({
    method: 'GET',
    path,
    id: 'listProjects',
    action: 'org:read',
    tags,
    summary: 'List projects',
    params: OrgParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: {
      200: jsonAnswer(z.object({ items: z.array(Counted) }), 'All projects, the default one first'),
    },
    async handle({ target: { org }, caller }, services) {
      const all = await countedProjects(org, caller, services)
      return {
        status: 200,
        json: { items: all.map(({ project, units }) => ({ ...view(org, project), units })) },
      }
    },
  }),
  route({
    method: 'POST',
    path,
    id: 'createProject',
    action: 'org:admin',
    tags,
    summary: 'Create a project',
    params: OrgParams,
    query: NoQuery,
    body: jsonBody(NewProject),
    target: ofNamedOrg,
    answers: { 201: jsonAnswer(View, 'Created') },
    async handle({ target: { org }, body, caller }, { projects }) {
      const json = view(org, await projects.create(org, body, caller))
      return { status: 201, json, headers: { etag: etagOf(json.etag) } }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{project}`,
    id: 'getProject',
    action: 'org:read',
    tags,
    summary: 'Show a project',
    params: ProjectParams,
    query: NoQuery,
    target: ofProject,
    answers: { 200: jsonAnswer(Counted, 'The project') },
    async handle({ target: { org, project, record }, caller }, { control }) {
      const matches = (unit: UnitView) => projectIdOf(unit) === project
      const { total } = await control.units.select({ org, matches, skip: 0, limit: 0 }, caller)
      const json = { ...view(org, record), units: total }
      return { status: 200, json, headers: { etag: etagOf(json.etag) } }
    },
  }),
  route({
    method: 'PATCH',
    path: `${path}/{project}`,
    id: 'updateProject',
    action: 'org:admin',
    tags,
    summary: 'Change a project',
    description: 'What is left out stays as it is.',
    params: ProjectParams,
    query: NoQuery,
    headers: IfMatch,
    body: jsonBody(Change),
    target: ofProject,
    answers: { 200: jsonAnswer(View, 'Changed') },
    async handle(
      { target: { org, project }, body: { labels = {}, ...body }, headers, caller },
      { projects },
    ) {
      const change = (before: Project): Project => ({
        ...before,
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.description === undefined ? {} : { description: body.description }),
        labels: merged(before.labels, labels),
      })
      const json = view(org, await projects.update(org, project, change, caller, expectedBy(headers)))
      return { status: 200, json, headers: { etag: etagOf(json.etag) } }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{project}`,
    id: 'deleteProject',
    action: 'org:admin',
    tags,
    summary: 'Delete a project without units',
    params: ProjectParams,
    query: NoQuery,
    target: ofProject,
    answers: { 204: { description: 'Deleted' } },
    async handle({ target: { org, project }, caller }, { projects }) {
      await projects.remove(org, project, caller)
      return { status: 204 }
    },
  }),
]

function merged(
  labels: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const all = Object.entries({ ...labels, ...change })
  return Object.fromEntries(all.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}
