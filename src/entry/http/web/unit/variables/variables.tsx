import { z } from 'zod'
import type { Caller } from '../../../../../access/index.ts'
import { visibleDependencies } from '../../../../../graph/index.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { ExportFormat, exported } from '../../shell/export.ts'
import { setFlash } from '../../shell/flash.ts'
import { htmlReply } from '../../shell/render.ts'
import {
  type VariableShown,
  removalForm,
  removeVariable,
  saveVariable,
  statusOf,
  variableForm,
  variableShown,
} from '../../variables/save-variable.ts'
import { type UnitPage, openUnit } from '../frame.tsx'
import { type VariableFilter, inputsIn, isShown, rowsOf } from './rows.ts'
import { VariablesPage, exportColumns, variableColumns } from './variables-page.tsx'

const path = '/units/{unit}/variables'
const params = UnitParams.shape
const text = z.string().trim().default('').catch('')
const Query = z.object({
  search: text,
  kind: z.enum(['terraform', 'env']).optional().catch(undefined),
  from: z.enum(['unit', 'sets']).optional().catch(undefined),
  page: z.coerce.number().int().default(1).catch(1),
  /** The id of the variable that is changed. */
  edit: text,
  format: ExportFormat.catch(undefined),
})
const ALL: z.output<typeof Query> = { search: '', page: 1, edit: '' }

function pathOf({ view, unit }: UnitPage): string {
  return unitPath(view.org.base, unit.name, 'variables')
}

async function variablesPage(
  page: UnitPage,
  services: WebServices,
  caller: Caller,
  query: z.output<typeof Query>,
  again?: VariableShown,
) {
  const { unitVariables, clock, graph } = services
  const owner = await unitVariables.find(page.ref, caller)
  const isReader = page.view.may('graph:read', page.unit)
  const uses = isReader
    ? visibleDependencies(await graph.dependencies.list(page.ref, caller), page.seen).uses
    : []
  const inputs = inputsIn(uses)
  const rows = rowsOf(await unitVariables.effective(owner), inputs)
  const filter: VariableFilter = query
  const found = rows.filter((row) => isShown(row, filter))
  const now = clock.now()
  const at = pathOf(page)
  if (query.format !== undefined) {
    const columns = variableColumns({ base: page.view.org.base, path: at, now, mayWrite: false })
    return exported(query.format, 'variables', [...columns, ...exportColumns], found)
  }
  const edited = rows.find(({ source, variable }) => source.kind === 'unit' && variable.id === query.edit)
  const shown = again ?? variableShown(edited?.variable)
  return htmlReply(
    <VariablesPage
      page={page}
      path={at}
      rows={found}
      all={rows}
      inputs={inputs}
      filter={filter}
      number={query.page}
      sets={await unitVariables.setsFor(owner)}
      shown={shown}
      now={now}
    />,
    statusOf(shown),
  )
}

export const variableRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showUnitVariables',
    action: 'vars:read',
    summary: 'The variables that apply to a unit',
    query: Query,
    handle: async (request, services) =>
      variablesPage(await openUnit(request, services), services, request.caller, request.query),
  }),
  orgForm({
    path,
    params,
    id: 'setUnitVariableByForm',
    action: 'vars:write',
    also: ['vars:read'],
    summary: 'Add a variable to a unit, or change one',
    isSecret: true,
    fields: variableForm,
    async handle(request, services) {
      const { body, caller, x } = request
      const page = await openUnit(request, services)
      const owner = await services.unitVariables.find(page.ref, caller)
      const again = await saveVariable(services, owner, body, caller)
      if (again !== undefined) return variablesPage(page, services, caller, ALL, again)
      setFlash(x, services.cookies, { kind: 'ok', text: `${body.key} was saved.` })
      return seeOther(pathOf(page))
    },
  }),
  orgForm({
    path: `${path}/delete`,
    params,
    id: 'deleteUnitVariableByForm',
    action: 'vars:write',
    also: ['vars:read'],
    summary: 'Delete a variable of a unit',
    fields: removalForm,
    async handle(request, services) {
      const { body, caller, x } = request
      const page = await openUnit(request, services)
      const owner = await services.unitVariables.find(page.ref, caller)
      const again = await removeVariable(services, owner, body, caller)
      if (again !== undefined) return variablesPage(page, services, caller, ALL, again)
      setFlash(x, services.cookies, { kind: 'ok', text: 'The variable was deleted.' })
      return seeOther(pathOf(page))
    },
  }),
]
