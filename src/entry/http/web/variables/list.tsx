import { z } from 'zod'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { unitPath } from '../shell/addresses.ts'
import { exported } from '../shell/export.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { ListQuery, arrange } from '../shell/list.tsx'
import { htmlReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { setPath } from './cells.tsx'
import { VariablesPage, setColumns } from './list-page.tsx'
import { EMPTY_SET, SET_FIELDS, type SetInput, checkUnits, setForm, unitsIn } from './set-form.ts'

const text = z.string().trim().default('').catch('')
const Query = ListQuery.extend({ unit: text })

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

interface Shown extends Partial<z.output<typeof Query>> {
  readonly input?: SetInput
  readonly faults?: Faults
}

async function listPage({ org, view, x }: Request, services: WebServices, shown: Shown) {
  const { unit = '', format, input = EMPTY_SET, faults = {} } = shown
  const sight = await services.setSights.of(org, x.caller)
  const sets = (await services.variableSets.list(org)).filter(sight.sees)
  const list = arrange(sets, setColumns(view, sight), shown)
  if (format !== undefined) return exported(format, 'variable-sets', list.columns, list.found)
  const { name, unitFaults } = await readable({ org, unit, x }, services)
  if (name !== undefined) return seeOther(unitPath(view.org.base, name, 'variables'))
  const status = Object.keys({ ...faults, ...unitFaults }).length === 0 ? 200 : 400
  const projects = view.may('vars:write') ? await services.projects.fresh(org) : []
  const props = { view, list, projects, unit, input, faults, unitFaults }
  return htmlReply(<VariablesPage {...props} />, status)
}

/** The unit that was asked for, if the person may read its variables. */
async function readable(
  { org, unit, x }: { readonly org: string; readonly unit: string; readonly x: Exchange },
  { access, unitVariables }: WebServices,
): Promise<{ readonly name?: string; readonly unitFaults: Faults }> {
  if (unit === '') return { unitFaults: {} }
  const missing = { unitFaults: { unit: `There is no unit ${unit} whose variables you may read.` } }
  const decision = await access.decide(x.principal, 'vars:read', { org, unit })
  if (!decision.allowed) return missing
  try {
    const owner = await unitVariables.find({ org, unit }, x.caller)
    return { name: owner.unit.name, unitFaults: {} }
  } catch (error) {
    faultsAt(error, ['unit'], 'NOT_FOUND')
    return missing
  }
}

export const setListRoutes: readonly Route[] = [
  orgPage({
    path: '/variables',
    id: 'showVariables',
    action: 'vars:read',
    isFiltered: true,
    summary: 'Variable sets, and what a unit gets',
    query: Query,
    handle: ({ params: { org }, query, view, x }, services) => listPage({ org, view, x }, services, query),
  }),
  orgForm({
    path: '/variables',
    id: 'createVariableSetByForm',
    action: 'vars:write',
    summary: 'Create a variable set',
    fields: setForm,
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { name, description, global, priority, projects } = body
      const owner = body.owner === '' ? undefined : body.owner
      const units = unitsIn(body.units ?? '')
      try {
        await checkUnits(services, org, units, caller)
        const attached = await services.setSights.check(org, { owner, units, projects }, caller)
        const set = await services.variableSets.create(
          org,
          { name, description, global, priority, project: owner, ...attached },
          caller,
        )
        setFlash(x, services.cookies, { kind: 'ok', text: `The variable set ${name} was created.` })
        return seeOther(setPath(view.org.base, set))
      } catch (error) {
        const faults = faultsAt(error, SET_FIELDS, 'ALREADY_EXISTS', 'LIMIT_REACHED')
        return listPage({ org, view, x }, services, { input: body, faults })
      }
    },
  }),
]
