import { z } from 'zod'
import type { Action, Caller } from '../../../../../access/index.ts'
import { TacoError, badRequest, isTacoError } from '../../../../../base/errors.ts'
import { settingsChange } from '../../../../../projects/index.ts'
import type { UnitRef, UnitView } from '../../../../../state/index.ts'
import { checkMayMove } from '../../../kit/move-unit.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import { checkRuleLabels } from '../../../kit/rule-labels.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { htmlReply } from '../../shell/render.ts'
import { type UnitPage, openUnit } from '../frame.tsx'
import { deleteRoutes } from './delete.tsx'
import {
  type InputForm,
  type Inputs,
  changeOf,
  executionIn,
  inputsOf,
  labelsIn,
  retentionIn,
  settingsFields,
} from './inputs.ts'
import { SettingsPage } from './page.tsx'
import { restoreRoutes } from './restore.tsx'
import { changeSeen } from './seen.ts'
import type { SettingsShown } from './shown.ts'

const path = '/units/{unit}/settings'
const params = UnitParams.shape

interface Saving<F extends InputForm> {
  readonly body: Inputs[F]
  readonly unit: UnitView
  readonly expected: readonly string[]
  readonly caller: Caller
  readonly services: WebServices
}

interface FormOf<F extends InputForm> {
  readonly form: F
  readonly action: Action
  readonly summary: string
  /** Saves what was typed. Gives the unit as it is then. */
  save(saving: Saving<F>): Promise<UnitView>
}

/** A form of the settings: it changes one thing, unless someone else changed it since the page was shown. */
function settingsForm<F extends InputForm>({ form, action, summary, save }: FormOf<F>): Route {
  const fields = settingsFields[form]
  const names = Object.keys(fields) as [string, ...string[]]
  return orgForm({
    path: form === 'about' ? path : `${path}/${form}`,
    params,
    id: `changeUnit${form.slice(0, 1).toUpperCase()}${form.slice(1)}`,
    action,
    summary,
    fields: { ...fields, seen: z.string().default('') },
    async handle(request, services) {
      const { caller, view, x } = request
      const body = request.body as Inputs[F] & { readonly seen: string }
      const page = await openUnit(request, services)
      const again = (shown: Partial<SettingsShown>, status: 400 | 403 | 409) =>
        settingsPage(
          page,
          caller,
          services,
          { inputs: { ...inputsOf(page.unit), [form]: body }, ...shown },
          status,
        )
      try {
        const changed = await changeSeen(
          services,
          page.ref,
          { form, seen: body.seen },
          (unit, expected) => save({ body, unit, expected, caller, services }),
          caller,
        )
        setFlash(x, services.cookies, { kind: 'ok', text: 'Saved.' })
        return seeOther(unitPath(view.org.base, changed.name, 'settings'))
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED')) return again({ race: form }, 409)
        const isForbidden = isTacoError(error, 'FORBIDDEN')
        return again(
          { faults: faultsAt(error, names, 'ALREADY_EXISTS', 'FORBIDDEN') },
          isForbidden ? 403 : 400,
        )
      }
    },
  })
}

async function settingsPage(
  page: UnitPage,
  caller: Caller,
  { access, control, projects }: WebServices,
  shown: Partial<SettingsShown> = {},
  status: 200 | 400 | 403 | 409 = 200,
) {
  const { ref, unit, view } = page
  const { inputs = inputsOf(unit), faults = {}, race } = shown
  const organization = view.may('org:read') ? await control.orgs.get(ref.org, caller) : undefined
  const all = await projects.fresh(ref.org)
  // Guards stop both, whatever rights the person has.
  const [renaming, deleting] = await Promise.all([
    access.decide(caller.principal, 'unit:rename', ref),
    access.decide(caller.principal, 'unit:delete', ref),
  ])
  const may = { rename: renaming.allowed, delete: deleting.allowed }
  const isGuarded = [renaming, deleting].some((one) => !one.allowed && one.reason === 'guarded')
  const props = { page, inputs, faults, race, projects: all, organization, may, isGuarded }
  return htmlReply(<SettingsPage {...props} />, status)
}

/** The unit must not get a name under which the person could not rename it. */
async function checkNewName({ access }: WebServices, unit: UnitView, name: string, { principal }: Caller) {
  const asked = { org: unit.org, unit: name }
  const decision = await access.decide(principal, 'unit:rename', asked, { isNewName: true })
  if (decision.allowed) return
  throw new TacoError('FORBIDDEN', `You have no permission to give a unit the name ${name}.`, {
    facts: { action: 'unit:rename', field: 'name' },
    hint: 'Choose another name, or ask an administrator.',
  })
}

const generalRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showUnitSettings',
    action: 'unit:read',
    summary: 'The settings of a unit',
    handle: async (request, services) =>
      settingsPage(await openUnit(request, services), request.caller, services),
  }),
  settingsForm({
    form: 'about',
    action: 'unit:update',
    summary: 'Change the description and labels of a unit',
    async save({ body, unit, expected, caller, services }) {
      const { description } = body
      if (description.length > 2000)
        throw badRequest('description', 'The description is longer than 2,000 characters.', 'Shorten it.')
      const labels = changeOf(unit.labels, labelsIn(body.labels))
      await checkRuleLabels(services, [{ ...refOf(unit), labels }], caller)
      return services.control.units.update(refOf(unit), { description, labels }, caller, expected)
    },
  }),
  settingsForm({
    form: 'name',
    action: 'unit:rename',
    summary: 'Rename a unit',
    async save({ body: { name }, unit, expected, caller, services }) {
      await checkNewName(services, unit, name, caller)
      return services.control.units.rename(refOf(unit), name, caller, expected)
    },
  }),
  settingsForm({
    form: 'project',
    action: 'unit:admin',
    summary: 'Move a unit to another project',
    async save({ body: { project }, unit, expected, caller, services }) {
      if ((await services.projects.find(unit.org, project)) === undefined)
        throw badRequest('project', 'There is no such project any more.', 'Choose another one.')
      checkMayMove(unit, project, caller)
      const section = settingsChange((settings) => ({ ...settings, project }))
      return services.control.units.update(refOf(unit), { section }, caller, expected)
    },
  }),
  settingsForm({
    form: 'retention',
    action: 'unit:admin',
    summary: 'Change which versions of a unit are kept',
    save: ({ body, unit, expected, caller, services }) =>
      services.control.units.update(refOf(unit), { retention: retentionIn(body) }, caller, expected),
  }),
  settingsForm({
    form: 'encryption',
    action: 'unit:admin',
    summary: 'Allow a plain state to replace an encrypted one, or forbid it',
    save: ({ body: { allowDecrypt }, unit, expected, caller, services }) =>
      services.control.units.update(refOf(unit), { allowDecrypt }, caller, expected),
  }),
  settingsForm({
    form: 'execution',
    action: 'unit:update',
    summary: 'Change what clients of the Terraform Cloud API read about a unit',
    save({ body, unit, expected, caller, services }) {
      const section = settingsChange((settings) => executionIn(settings, body))
      return services.control.units.update(refOf(unit), { section }, caller, expected)
    },
  }),
]

function refOf({ org, id }: UnitView): UnitRef {
  return { org, unit: id }
}

export const settingRoutes: readonly Route[] = [...generalRoutes, ...deleteRoutes, ...restoreRoutes]
