import { z } from 'zod'
import { isTacoError } from '../../../../../base/errors.ts'
import { defaultProjectId, projectEtag, projectIdOf } from '../../../../../projects/index.ts'
import type { UnitView } from '../../../../../state/index.ts'
import { countedProjects } from '../../../kit/counted-projects.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { exported } from '../../shell/export.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { ListQuery, arrange } from '../../shell/list.tsx'
import { htmlReply } from '../../shell/render.ts'
import type { OrgView } from '../../shell/view.ts'
import { settingsPath } from '../frame.tsx'
import {
  NEW_PROJECT,
  PROJECT_FIELDS,
  type ProjectInput,
  inputOf,
  projectFields,
  projectIn,
} from './project-form.ts'
import { ProjectPage, unitColumns } from './project-page.tsx'
import { ProjectsPage, projectColumns, projectPath } from './projects-page.tsx'

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

const params = { project: z.string() }

interface ListShown extends Partial<z.output<typeof ListQuery>> {
  readonly input?: ProjectInput
  readonly faults?: Faults
}

async function listPage({ org, view, x }: Request, services: WebServices, shown: ListShown) {
  const { format, input = NEW_PROJECT, faults = {} } = shown
  const list = arrange(await countedProjects(org, x.caller, services), projectColumns(view), shown)
  if (format !== undefined) return exported(format, 'projects', list.columns, list.found)
  const props = { view, list, input, faults }
  return htmlReply(<ProjectsPage {...props} />, Object.keys(faults).length === 0 ? 200 : 400)
}

interface ProjectShown extends Partial<z.output<typeof ListQuery>> {
  readonly id: string
  readonly input?: ProjectInput
  /** Of the project that the person began to change. Undefined: as it is now. */
  readonly etag?: string
  readonly faults?: Faults
  readonly isRace?: boolean
}

async function projectPage({ org, view, x }: Request, services: WebServices, shown: ProjectShown) {
  const { id, format, faults = {}, isRace = false } = shown
  const project = await services.projects.get(org, id)
  const matches = (unit: UnitView) => projectIdOf(unit) === project.id
  const of = { org, matches, skip: 0, limit: Infinity }
  const { items } = await services.control.units.select(of, x.caller)
  const list = arrange(items, unitColumns(view), shown)
  if (format !== undefined) return exported(format, 'units', list.columns, list.found)
  const { allowed } = await services.access.decide(x.principal, 'org:admin', { org, project: project.id })
  const props = {
    view,
    project,
    isDefault: project.id === defaultProjectId(org),
    mayChange: allowed,
    list,
    input: shown.input ?? inputOf(project),
    etag: shown.etag ?? projectEtag(project),
    faults,
    isRace,
  }
  const status = isRace ? 409 : Object.keys(faults).length > 0 ? 400 : 200
  return htmlReply(<ProjectPage {...props} />, status)
}

export const projectRoutes: readonly Route[] = [
  orgPage({
    path: '/settings/projects',
    id: 'showProjects',
    action: 'org:read',
    summary: 'The projects of an organization',
    query: ListQuery,
    handle: ({ params: { org }, query, view, x }, services) => listPage({ org, view, x }, services, query),
  }),
  orgForm({
    path: '/settings/projects',
    id: 'createProjectByForm',
    action: 'org:admin',
    summary: 'Create a project',
    fields: projectFields,
    async handle({ params: { org }, body, view, x, caller }, services) {
      try {
        const project = await services.projects.create(org, projectIn(body), caller)
        setFlash(x, services.cookies, { kind: 'ok', text: `The project ${project.name} was created.` })
        return seeOther(projectPath(view, project))
      } catch (error) {
        const faults = faultsAt(error, PROJECT_FIELDS, 'ALREADY_EXISTS', 'LIMIT_REACHED')
        return listPage({ org, view, x }, services, { input: body, faults })
      }
    },
  }),
  orgPage({
    path: '/settings/projects/{project}',
    params,
    id: 'showProject',
    action: 'org:read',
    summary: 'A project and its units',
    query: ListQuery,
    handle: ({ params: { org, project }, query, view, x }, services) =>
      projectPage({ org, view, x }, services, { id: project, ...query }),
  }),
  orgForm({
    path: '/settings/projects/{project}',
    params,
    id: 'changeProjectByForm',
    action: 'org:admin',
    summary: 'Change a project',
    fields: {
      ...projectFields,
      /** Of the project when the page was shown. */
      etag: z.string().default(''),
    },
    async handle({ params: { org, project: id }, body, view, x, caller }, services) {
      const { etag, ...input } = body
      try {
        const fields = projectIn(input)
        await services.projects.update(org, id, (before) => ({ ...before, ...fields }), caller, [etag])
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return projectPage({ org, view, x }, services, { id, input, isRace: true })
        const faults = faultsAt(error, PROJECT_FIELDS, 'ALREADY_EXISTS')
        return projectPage({ org, view, x }, services, { id, input, etag, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'The project was saved.' })
      return seeOther(projectPath(view, { id }))
    },
  }),
  orgForm({
    path: '/settings/projects/{project}/delete',
    params,
    id: 'deleteProjectByForm',
    action: 'org:admin',
    summary: 'Delete a project without units',
    fields: { confirm: z.string().trim().default('') },
    async handle({ params: { org, project: id }, body, view, x, caller }, services) {
      const { name } = await services.projects.get(org, id)
      try {
        checkConfirmed(body.confirm, name)
        await services.projects.remove(org, id, caller)
      } catch (error) {
        const faults = faultsAt(error, ['confirm'], 'CONFLICT')
        return projectPage({ org, view, x }, services, { id, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `The project ${name} was deleted.` })
      return seeOther(settingsPath(view, 'projects'))
    },
  }),
]
