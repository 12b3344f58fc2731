import { z } from 'zod'
import { badRequest, isTacoError } from '../../../../../base/errors.ts'
import { sentence } from '../../../../../base/text/sentence.ts'
import { visibleDependencies } from '../../../../../graph/index.ts'
import { type Caller, noSuchUnit } from '../../../../../state/index.ts'
import { isSeen, withoutHiddenCycle } from '../../../kit/hidden-units.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { exported } from '../../shell/export.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { ListQuery, arrange } from '../../shell/list.tsx'
import { type PageStatus, htmlReply } from '../../shell/render.ts'
import { type UnitPage, openUnit } from '../frame.tsx'
import type { DependencyForm } from './add-form.tsx'
import { DependenciesPage, type DependencyQuery } from './dependencies-page.tsx'
import { columnsOf } from './edge-columns.tsx'
import { edgesIn, matchingEdges } from './edges.ts'

const path = '/units/{unit}/dependencies'
const params = UnitParams.shape
/** Units that the form suggests. Others can be typed. */
const MOST_OFFERED = 300

export const dependencyRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showUnitDependencies',
    action: 'graph:read',
    summary: 'What a unit uses, and what uses it',
    query: z.object({
      direction: z.enum(['uses', 'used-by']).optional().catch(undefined),
      ...ListQuery.shape,
    }),
    async handle(request, services) {
      const page = await openUnit(request, services)
      const { format, ...query } = request.query
      if (format === undefined) return dependenciesPage(page, services, request.caller, { query })
      const all = edgesIn(await seenDependencies(page, services, request.caller))
      const edges = all.filter(
        ({ direction }) => query.direction === undefined || direction.replace(' ', '-') === query.direction,
      )
      const { found } = arrange(matchingEdges(edges, query.search), columnsOf(page), { sort: query.sort })
      return exported(format, 'dependencies', columnsOf(page), found)
    },
  }),
  orgForm({
    path,
    params,
    id: 'addDependencyOnPage',
    action: 'graph:write',
    summary: 'Declare that a unit uses another',
    fields: {
      on: z.string().default(''),
      which: z.enum(['all', 'some', 'order']).catch('all').default('all'),
      outputs: z.string().default(''),
      inputs: z.string().default(''),
    },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const page = await openUnit(request, services)
      try {
        const input = dependencyIn(body)
        const warnings = await declare(page, input, services, caller)
        const text = [`Declared that it uses ${input.on}.`, ...warnings.map(sentence)].join(' ')
        setFlash(x, services.cookies, { kind: 'ok', text })
      } catch (error) {
        const faults = faultsAt(error, ['on', 'outputs', 'inputs'], 'NOT_FOUND', 'CONFLICT')
        return dependenciesPage(page, services, caller, { input: body, faults }, 400)
      }
      return seeOther(unitPath(view.org.base, page.unit.name, 'dependencies'))
    },
  }),
  orgForm({
    path: `${path}/remove`,
    params,
    id: 'removeDependencyOnPage',
    action: 'graph:write',
    summary: 'Remove a declared dependency of a unit',
    fields: { on: z.string().min(1) },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const page = await openUnit(request, services)
      const { cookies } = services
      try {
        const visible = await services.control.units.visible(page.ref.org, caller)
        if (visible !== undefined && !isSeen(visible, body.on))
          throw noSuchUnit({ ...page.ref, unit: body.on })
        const { warnings } = await services.graph.dependencies.remove(page.ref, body, caller)
        setFlash(x, cookies, { kind: 'ok', text: ['Removed.', ...warnings.map(sentence)].join(' ') })
      } catch (error) {
        if (!isTacoError(error, 'NOT_FOUND')) throw error
        setFlash(x, cookies, { kind: 'fail', text: 'The dependency was removed already.' })
      }
      return seeOther(unitPath(view.org.base, page.unit.name, 'dependencies'))
    },
  }),
]

/** A unit that is hidden is answered like one that does not exist, and no hint names one. */
async function declare(
  { ref }: UnitPage,
  input: ReturnType<typeof dependencyIn>,
  { graph, control }: WebServices,
  caller: Caller,
): Promise<readonly string[]> {
  const visible = await control.units.visible(ref.org, caller)
  const add = () => graph.dependencies.add(ref, input, caller)
  if (visible === undefined) return (await add()).warnings
  if (!isSeen(visible, input.on)) throw badRequest('on', `There is no unit ${input.on}.`, 'Check the name.')
  try {
    return (await withoutHiddenCycle(visible, add)).warnings
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND')) throw error
    const { field = 'on' } = error.facts as { readonly field?: string }
    throw badRequest(field, error.message, 'Check the name.')
  }
}

/** Throws BAD_REQUEST at the field that is wrong. Pure. */
export function dependencyIn({ on, which, outputs, inputs }: DependencyForm) {
  const used = on.trim()
  if (used === '') throw badRequest('on', 'Name the unit that it uses.', 'Such as prod/network/vpc.')
  const names = outputs.split(/[\s,]+/).filter((name) => name !== '')
  if (which === 'some' && names.length === 0)
    throw badRequest('outputs', 'Name at least one output.', 'Separate several with commas.')
  const variables = inputs
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, variable, output] = /^([^=\s]+)\s*=\s*(\S+)$/.exec(line) ?? []
      if (variable === undefined || output === undefined)
        throw badRequest('inputs', `"${line}" does not have the form variable=output.`, 'Write vpc_id=id.')
      return [variable, output] as const
    })
  return {
    on: used,
    ...(which === 'all' ? {} : { outputs: which === 'some' ? names : [] }),
    ...(variables.length === 0 ? {} : { inputs: Object.fromEntries(variables) }),
  }
}

async function seenDependencies({ ref, seen }: UnitPage, { graph }: WebServices, caller: Caller) {
  return visibleDependencies(await graph.dependencies.list(ref, caller), seen)
}

interface Shown {
  readonly query?: DependencyQuery
  readonly input?: DependencyForm
  readonly faults?: Faults
}

async function dependenciesPage(
  page: UnitPage,
  services: WebServices,
  caller: Caller,
  { query = { search: '', page: 1 }, input, faults }: Shown,
  status: PageStatus = 200,
) {
  const { view, ref, unit, seen } = page
  const dependencies = await seenDependencies(page, services, caller)
  const others = view.may('graph:write', unit)
    ? (await services.graph.view({ org: ref.org }, caller)).nodes
    : []
  const names = others
    .filter(({ id }) => id !== unit.id && seen.has(id))
    .slice(0, MOST_OFFERED)
    .map(({ name }) => name)
  return htmlReply(
    <DependenciesPage
      page={page}
      edges={edgesIn(dependencies)}
      query={query}
      names={names}
      input={input}
      faults={faults}
    />,
    status,
  )
}
