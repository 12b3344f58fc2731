import { z } from 'zod'
import { Category, type VariableView, ownerOf } from '../../../../variables/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { visibleSet } from '../../kit/variable-sets.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { htmlReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { EMPTY_SET, type SetInput, checkUnits, projectsIn, unitsIn } from './set-form.ts'
import { SetPage, type VariableFields } from './set-page.tsx'
import { VariablesPage, setPath } from './variables-page.tsx'

const text = z.string().trim().default('')
const checked = z
  .string()
  .optional()
  .transform((value) => value === 'on')
const SetForm = {
  name: text,
  description: text,
  global: checked,
  priority: checked,
  units: text,
  projects: text,
}
const SetParams = { set: z.string() }
const SET_FIELDS = ['name', 'description', 'units', 'projects'] as const
const VARIABLE_FIELDS = ['key', 'value', 'category', 'description', 'hcl', 'sensitive'] as const

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

interface ListShown {
  readonly unit?: string
  readonly input?: SetInput
  readonly faults?: Faults
}

async function listPage({ org, view, x }: Request, services: WebServices, shown: ListShown) {
  const { unit = '', input = EMPTY_SET, faults = {} } = shown
  const sight = await services.setSights.of(org, x.caller)
  const sets = (await services.variableSets.list(org)).filter(sight.sees)
  const { effective, unitFaults } = await effectiveOf({ org, unit, x }, services)
  const status = Object.keys({ ...faults, ...unitFaults }).length === 0 ? 200 : 400
  const props = { view, sets, sight, unit, effective, input, faults, unitFaults }
  return htmlReply(<VariablesPage {...props} />, status)
}

async function effectiveOf(
  { org, unit, x }: { readonly org: string; readonly unit: string; readonly x: Exchange },
  { access, unitVariables }: WebServices,
) {
  if (unit === '') return { effective: undefined, unitFaults: {} }
  const missing = {
    effective: undefined,
    unitFaults: { unit: `There is no unit ${unit} whose variables you may read.` },
  }
  const decision = await access.decide(x.principal, 'vars:read', { org, unit })
  if (!decision.allowed) return missing
  try {
    const owner = await unitVariables.find({ org, unit }, x.caller)
    return { effective: await unitVariables.effective(owner), unitFaults: {} }
  } catch (error) {
    faultsAt(error, ['unit'], 'NOT_FOUND')
    return missing
  }
}

const NEW_VARIABLE: VariableFields = {
  id: '',
  key: '',
  category: 'terraform',
  value: '',
  sensitive: false,
  hcl: false,
  description: '',
}

interface SetShown {
  readonly set: string
  /** The id of the variable that is changed. */
  readonly edit?: string
  readonly variable?: VariableFields
  readonly variableFaults?: Faults
  readonly input?: SetInput
  readonly faults?: Faults
}

async function setPage({ org, view, x }: Request, services: WebServices, shown: SetShown) {
  const { set, sight } = await visibleSet(services, { org, set: shown.set }, x.caller)
  const variables = await services.variables.list(ownerOf(org, set))
  const edited = variables.find(({ id }) => id === shown.edit)
  const { faults = {}, variableFaults = {} } = shown
  const status = Object.keys({ ...faults, ...variableFaults }).length === 0 ? 200 : 400
  const input = shown.input ?? {
    ...set,
    units: sight
      .unitsOf(set)
      .map(({ name }) => name)
      .join('\n'),
    projects: sight
      .projectsOf(set)
      .map(({ name }) => name)
      .join('\n'),
  }
  const variable = shown.variable ?? (edited === undefined ? NEW_VARIABLE : fieldsOf(edited))
  const props = {
    view,
    now: services.clock.now(),
    set,
    sight,
    variables,
    variable,
    variableFaults,
    input,
    faults,
  }
  return htmlReply(<SetPage {...props} />, status)
}

function fieldsOf({ category, value, ...rest }: VariableView): VariableFields {
  return { ...rest, category: category === 'env' ? 'env' : 'terraform', value: value ?? '' }
}

export const variableRoutes: readonly Route[] = [
  orgPage({
    path: '/variables',
    id: 'showVariables',
    action: 'vars:read',
    isFiltered: true,
    summary: 'Variable sets, and what a unit gets',
    query: z.object({ unit: text.catch('') }),
    handle: ({ params: { org }, query, view, x }, services) => listPage({ org, view, x }, services, query),
  }),
  orgForm({
    path: '/variables',
    id: 'createVariableSetByForm',
    action: 'vars:write',
    summary: 'Create a variable set',
    fields: SetForm,
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { name, description, global, priority } = body
      const given = { units: unitsIn(body), projects: projectsIn(body) }
      try {
        await checkUnits(services, org, given.units, caller)
        const attached = await services.setSights.check(org, { owner: undefined, ...given }, caller)
        const set = await services.variableSets.create(
          org,
          { name, description, global, priority, ...attached },
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
  orgPage({
    path: '/variables/{set}',
    params: SetParams,
    id: 'showVariableSet',
    action: 'vars:read',
    isFiltered: true,
    summary: 'A variable set and its variables',
    query: z.object({ edit: text.catch('') }),
    handle: ({ params: { org, set }, query: { edit }, view, x }, services) =>
      setPage({ org, view, x }, services, { set, edit: view.may('vars:write') ? edit : '' }),
  }),
  orgForm({
    path: '/variables/{set}/settings',
    params: SetParams,
    id: 'changeVariableSetByForm',
    action: 'vars:write',
    summary: 'Change a variable set',
    fields: SetForm,
    async handle({ params, body, view, x, caller }, services) {
      const { org } = params
      const { set, sight } = await visibleSet(services, params, caller)
      const { name, description, global, priority } = body
      const [units, projects] = [sight.unitsOf(set), sight.projectsOf(set)]
      const given = { units: unitsIn(body), projects: projectsIn(body) }
      try {
        const left = without(units, given.units)
        const added = given.units.filter((one) => !units.some(({ id, name: of }) => one === of || one === id))
        await checkUnits(services, org, [...added, ...left], caller)
        const add = await services.setSights.check(org, { owner: set.parent?.project, ...given }, caller)
        const change = {
          units: { add: add.units, remove: left },
          projects: { add: add.projects, remove: without(projects, given.projects) },
        }
        await services.variableSets.update(
          org,
          set.id,
          { name, description, global, priority, ...change },
          caller,
        )
      } catch (error) {
        const faults = faultsAt(error, SET_FIELDS, 'ALREADY_EXISTS')
        return setPage({ org, view, x }, services, { set: set.id, input: body, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'The variable set was changed.' })
      return seeOther(setPath(view.org.base, set))
    },
  }),
  orgForm({
    path: '/variables/{set}/delete',
    params: SetParams,
    id: 'deleteVariableSetByForm',
    action: 'vars:write',
    summary: 'Delete a variable set with its variables',
    fields: {},
    async handle({ params, view, x, caller }, services) {
      const { set } = await visibleSet(services, params, caller)
      await services.variableSets.remove(params.org, set.id, caller)
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
    fields: {
      id: text,
      key: text,
      category: Category,
      value: z.string().default(''),
      sensitive: checked,
      hcl: checked,
      description: text,
    },
    async handle({ params, body, view, x, caller }, services) {
      const { org } = params
      const { set } = await visibleSet(services, params, caller)
      const owner = ownerOf(org, set)
      const { id, ...fields } = body
      // Browsers send lines of a text area with CRLF.
      const given = { ...fields, value: fields.value.replaceAll('\r\n', '\n') }
      try {
        if (id === '') await services.variables.create(owner, given, caller)
        else {
          const { sensitive } = await services.variables.get(owner, id)
          const value = sensitive && given.value === '' ? undefined : given.value
          await services.variables.update(owner, id, { ...given, value }, caller)
        }
      } catch (error) {
        const variableFaults = faultsAt(error, VARIABLE_FIELDS, 'ALREADY_EXISTS', 'LIMIT_REACHED')
        const variable = { ...body, value: body.sensitive ? '' : given.value }
        return setPage({ org, view, x }, services, { set: set.id, variable, variableFaults })
      }
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
    fields: { id: z.string() },
    async handle({ params, body, view, x, caller }, services) {
      const { set } = await visibleSet(services, params, caller)
      await services.variables.remove(ownerOf(params.org, set), body.id, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: 'The variable was deleted.' })
      return seeOther(setPath(view.org.base, set))
    },
  }),
]

/** Ids of those that the form does not name any more. */
function without(
  attached: readonly { readonly id: string; readonly name: string }[],
  given: readonly string[],
): readonly string[] {
  return attached.filter(({ id, name }) => !given.includes(id) && !given.includes(name)).map(({ id }) => id)
}
