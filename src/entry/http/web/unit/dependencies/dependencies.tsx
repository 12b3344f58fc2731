import { z } from 'zod'
import { badRequest, isTacoError } from '../../../../../base/errors.ts'
import { visibleDependencies } from '../../../../../graph/index.ts'
import type { Caller } from '../../../../../state/index.ts'
import { withoutHiddenCycle } from '../../../kit/hidden-units.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { ExportFormat, exported } from '../../shell/export.ts'
import { faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { type PageStatus, htmlReply } from '../../shell/render.ts'
import { type UnitPage, openUnit } from '../frame.tsx'
import { DependenciesPage, type DependencyForm, columnsOf, edgesIn } from './dependencies-page.tsx'

const path = '/units/{unit}/dependencies'
const params = UnitParams.shape

export const dependencyRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showUnitDependencies',
    action: 'graph:read',
    summary: 'What a unit uses, and what uses it',
    query: z.object({ format: ExportFormat.catch(undefined) }),
    async handle(request, services) {
      const page = await openUnit(request, services)
      const { format } = request.query
      if (format === undefined) return dependenciesPage(page, services, request.caller)
      const edges = edgesIn(await seenDependencies(page, services, request.caller))
      return exported(format, 'dependencies', columnsOf(page), edges)
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
  const isSeen = visible.has(input.on) || [...visible.values()].some(({ name }) => name === input.on)
  if (!isSeen) throw badRequest('on', `There is no unit ${input.on}.`, 'Check the name.')
  try {
    return (await withoutHiddenCycle(visible, add)).warnings
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND')) throw error
    const { field = 'on' } = error.facts as { readonly field?: string }
    throw badRequest(field, error.message, 'Check the name.')
  }
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

/** Throws BAD_REQUEST at the field that is wrong. Pure. */
export function dependencyIn({ on, which, outputs, inputs }: DependencyForm) {
  const used = on.trim()
  if (used === '') throw badRequest('on', 'Name the unit that it uses.', 'Such as prod/network/vpc.')
  const names = outputs.split(/[\s,]+/).filter((name) => name !== '')
  if (which === 'some' && names.length === 0)
    throw badRequest('outputs', 'Name at least one output.', 'Separate several by commas.')
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

async function dependenciesPage(
  page: UnitPage,
  services: WebServices,
  caller: Caller,
  form: { input?: DependencyForm; faults?: Readonly<Record<string, string>> } = {},
  status: PageStatus = 200,
) {
  const dependencies = await seenDependencies(page, services, caller)
  return htmlReply(<DependenciesPage page={page} edges={edgesIn(dependencies)} {...form} />, status)
}
