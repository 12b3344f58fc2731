import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import { ownerOf } from '../../../../variables/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { visibleSet } from '../../kit/variable-sets.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { checkConfirmed } from '../shell/confirm.tsx'
import { exported } from '../shell/export.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { ListQuery, arrange } from '../shell/list.tsx'
import { htmlReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { setPath } from './cells.tsx'
import {
  type VariableShown,
  removalForm,
  removeVariable,
  saveVariable,
  statusOf,
  variableForm,
  variableShown,
} from './save-variable.ts'
import { SET_FIELDS, type SetInput, checkUnits, inputOf, setForm, unitsIn, without } from './set-form.ts'
import { SET_TABS, SetPage, type SetTab, unitColumns, variableColumns } from './set-page.tsx'

const PAGE_SIZE = 100
const SetParams = { set: z.string() }
const text = z.string().trim().default('').catch('')
const Query = z.object({
  tab: z.enum(SET_TABS).default('variables').catch('variables'),
  /** The id of the variable that is changed. */
  edit: text,
  ...ListQuery.shape,
})

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

interface SetShown extends Partial<Omit<z.output<typeof Query>, 'tab'>> {
  readonly set: string
  readonly tab?: SetTab
  readonly variable?: VariableShown
  readonly input?: SetInput
  readonly faults?: Faults
  readonly isRace?: boolean
}

async function setPage({ org, view, x }: Request, services: WebServices, shown: SetShown) {
  const { tab = 'variables', format, faults = {}, isRace = false } = shown
  const { set, sight } = await visibleSet(services, { org, set: shown.set }, x.caller)
  const stored = await services.variables.list(ownerOf(org, set))
  const now = services.clock.now()
  const variables = arrange(stored, variableColumns(now), shown, PAGE_SIZE)
  const units = arrange(sight.appliesTo(set), unitColumns(view.org.base), shown, PAGE_SIZE)
  if (format !== undefined)
    return tab === 'units'
      ? exported(format, 'units', units.columns, units.found)
      : exported(format, 'variables', variables.columns, variables.found)
  const edited = view.may('vars:write') ? stored.find(({ id }) => id === shown.edit) : undefined
  const variable = shown.variable ?? variableShown(edited)
  const current = inputOf(set, sight)
  // After a mistake it is still the set that the person began to change.
  const tag = isRace ? current.tag : (shown.input ?? current).tag
  const input = { ...(shown.input ?? current), tag, owner: current.owner }
  const projects = await services.projects.fresh(org)
  const props = {
    view,
    now,
    set,
    sight,
    tab,
    variables,
    units,
    variable,
    input,
    faults,
    projects,
    isRace,
  }
  const status = isRace ? 409 : Object.keys(faults).length > 0 ? 400 : statusOf(variable)
  return htmlReply(<SetPage {...props} />, status)
}

export const setRoutes: readonly Route[] = [
  orgPage({
    path: '/variables/{set}',
    params: SetParams,
    id: 'showVariableSet',
    action: 'vars:read',
    isFiltered: true,
    summary: 'A variable set and its variables',
    query: Query,
    handle: ({ params: { org, set }, query, view, x }, services) =>
      setPage({ org, view, x }, services, { set, ...query }),
  }),
  orgForm({
    path: '/variables/{set}/settings',
    params: SetParams,
    id: 'changeVariableSetByForm',
    action: 'vars:write',
    summary: 'Change a variable set',
    fields: setForm,
    async handle({ params, body, view, x, caller }, services) {
      const { org } = params
      const { set, sight } = await visibleSet(services, params, caller)
      const { name, description, global, priority } = body
      const [units, projects] = [sight.unitsOf(set), sight.projectsOf(set)]
      const given = body.units === undefined ? units.map(({ id }) => id) : unitsIn(body.units)
      const again = { set: set.id, tab: 'settings', input: body } as const
      try {
        const left = without(units, given)
        const added = given.filter((one) => !units.some(({ id, name: of }) => one === of || one === id))
        await checkUnits(services, org, [...added, ...left], caller)
        const fresh = { units: added, projects: body.projects }
        const add = await services.setSights.check(org, { owner: set.parent?.project, ...fresh }, caller)
        const change = {
          units: { add: add.units, remove: left },
          projects: { add: add.projects, remove: without(projects, body.projects) },
        }
        const fields = { name, description, global, priority }
        await services.variableSets.update(org, set.id, { ...fields, ...change }, caller, body.tag)
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return setPage({ org, view, x }, services, { ...again, isRace: true })
        const faults = faultsAt(error, SET_FIELDS, 'ALREADY_EXISTS')
        return setPage({ org, view, x }, services, { ...again, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'The variable set was changed.' })
      return seeOther(`${setPath(view.org.base, set)}?tab=settings`)
    },
  }),
  orgForm({
    path: '/variables/{set}/delete',
    params: SetParams,
    id: 'deleteVariableSetByForm',
    action: 'vars:write',
    summary: 'Delete a variable set with its variables',
    fields: { confirm: text },
    async handle({ params, body, view, x, caller }, services) {
      const { org } = params
      const { set } = await visibleSet(services, params, caller)
      try {
        checkConfirmed(body.confirm, set.name)
      } catch (error) {
        const faults = faultsAt(error, ['confirm'])
        return setPage({ org, view, x }, services, { set: set.id, tab: 'settings', faults })
      }
      await services.variableSets.remove(org, set.id, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The variable set ${set.name} was deleted.` })
      return seeOther(`${view.org.base}/variables`)
    },
  }),
  orgForm({
    path: '/variables/{set}/variables',
    params: SetParams,
    id: 'setVariableByForm',
    action: 'vars:write',
    summary: 'Add a variable to a variable set, or change one',
    isSecret: true,
    fields: variableForm,
    async handle({ params, body, view, x, caller }, services) {
      const { org } = params
      const { set } = await visibleSet(services, params, caller)
      const variable = await saveVariable(services, ownerOf(org, set), body, caller)
      if (variable !== undefined) return setPage({ org, view, x }, services, { set: set.id, variable })
      setFlash(x, services.cookies, { kind: 'ok', text: `${body.key} was saved.` })
      return seeOther(setPath(view.org.base, set))
    },
  }),
  orgForm({
    path: '/variables/{set}/variables/delete',
    params: SetParams,
    id: 'deleteVariableByForm',
    action: 'vars:write',
    summary: 'Delete a variable of a variable set',
    fields: removalForm,
    async handle({ params, body, view, x, caller }, services) {
      const { org } = params
      const { set } = await visibleSet(services, params, caller)
      const variable = await removeVariable(services, ownerOf(org, set), body, caller)
      if (variable !== undefined) return setPage({ org, view, x }, services, { set: set.id, variable })
      setFlash(x, services.cookies, { kind: 'ok', text: 'The variable was deleted.' })
      return seeOther(setPath(view.org.base, set))
    },
  }),
]
