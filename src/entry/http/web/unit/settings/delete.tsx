import { z } from 'zod'
import type { Caller } from '../../../../../access/index.ts'
import { isTacoError } from '../../../../../base/errors.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { type UnitUsers, usersOf } from '../../../kit/unit-users.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { ConfirmField, checkConfirmed } from '../../shell/confirm.tsx'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { Check } from '../../shell/form/check.tsx'
import { Form } from '../../shell/layout.tsx'
import { Card, Command, Notice, Split } from '../../shell/parts.tsx'
import { htmlReply } from '../../shell/render.ts'
import { checked } from '../../variables/save-variable.ts'
import { UnitFrame, type UnitPage, openUnit } from '../frame.tsx'
import { changeSeen, seenTag } from './seen.ts'

const path = '/units/{unit}/delete'
const params = UnitParams.shape
type Fault = 400 | 403 | 409

interface Shown {
  readonly confirm?: string
  readonly force?: boolean
  readonly faults?: Faults
  readonly isRace?: boolean
}

async function deletePage(
  page: UnitPage,
  services: WebServices,
  caller: Caller,
  shown: Shown = {},
  status: 200 | Fault = 200,
) {
  const users = await usersOf(services, page.ref, caller)
  return htmlReply(<DeletePage page={page} users={users} {...shown} />, status)
}

export const deleteRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'askToDeleteUnit',
    action: 'unit:delete',
    summary: 'What deleting a unit means',
    handle: async (request, services) =>
      deletePage(await openUnit(request, services), services, request.caller),
  }),
  orgForm({
    path,
    params,
    id: 'deleteUnitByForm',
    action: 'unit:delete',
    summary: 'Delete a unit; it can be restored',
    fields: { confirm: z.string().default(''), force: checked, seen: z.string().default('') },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const page = await openUnit(request, services)
      const { ref, unit } = page
      const force = body.force && view.may('state:force', unit)
      const again = (shown: Shown, status: Fault) =>
        deletePage(page, services, caller, { confirm: body.confirm, force, ...shown }, status)
      try {
        checkConfirmed(body.confirm, unit.name)
        const change = { form: 'delete', seen: body.seen } as const
        await changeSeen(
          services,
          ref,
          change,
          (_, expected) => services.control.units.remove(ref, { force }, caller, expected),
          caller,
        )
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED')) return again({ isRace: true }, 409)
        const faults = isTacoError(error, 'STATE_HAS_RESOURCES', 'LOCKED')
          ? { force: error.message }
          : faultsAt(error, ['confirm'])
        return again({ faults }, 'force' in faults ? 409 : 400)
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `${unit.name} was deleted.` })
      const mayRestore = view.may('unit:restore', unit)
      return seeOther(mayRestore ? unitPath(view.org.base, unit.id, 'restore') : view.org.base)
    },
  }),
]

interface DeletePageProps extends Shown {
  readonly page: UnitPage
  readonly users: UnitUsers
}

function DeletePage({ page, users, confirm = '', force = false, faults = {}, isRace }: DeletePageProps) {
  const { view, unit } = page
  const { base } = view.org
  const resources = unit.state?.resources ?? 0
  return (
    <UnitFrame of={page} tab="settings">
      <Split side={<Command>{shell`taco unit rm ${unit.name}`}</Command>}>
        {isRace === true && (
          <Notice kind="fail">
            <p>
              The unit got another name or another state while this page was open. Nothing was deleted. Read
              again what there is now.
            </p>
          </Notice>
        )}
        <Card title={`Delete ${unit.name}`}>
          <p>
            Engines cannot use it any more, and its state is removed from its key. Its versions are kept:
            restoring the unit brings the state back.
          </p>
          <UsersNotice users={users} base={base} />
          {resources > 0 && (
            <Notice kind="warn">
              <p>
                Its state has {resources} {resources === 1 ? 'resource' : 'resources'}. They keep running;
                without the unit, no engine manages them.
              </p>
            </Notice>
          )}
          <Form view={view} action={unitPath(base, unit.name, 'delete')} class="form">
            <input type="hidden" name="seen" value={seenTag('delete', unit)} />
            {resources > 0 && view.may('state:force', unit) && (
              <Check
                id="force"
                label="Delete it although it has resources"
                isOn={force}
                error={faults['force']}
              />
            )}
            <ConfirmField word={unit.name} typed={confirm} faults={faults} />
            <div class="bar">
              <button class="button primary danger" type="submit">
                Delete the unit
              </button>
              <a class="button" href={unitPath(base, unit.name, 'settings')}>
                Cancel
              </a>
            </div>
          </Form>
        </Card>
      </Split>
    </UnitFrame>
  )
}

function UsersNotice({ users, base }: { readonly users: UnitUsers; readonly base: string }) {
  if (users.warning !== undefined)
    return (
      <Notice kind="warn">
        <p>Others may use it. {users.warning}</p>
      </Notice>
    )
  if (users.names.length === 0 && !users.hasHidden) return <p class="muted">No unit uses it.</p>
  return (
    <Notice kind="warn">
      <p>These units use its outputs, and will not get new ones:</p>
      <ul>
        {users.names.slice(0, 20).map((name) => (
          <li>
            <a class="mono" href={unitPath(base, name)}>
              {name}
            </a>
          </li>
        ))}
        {users.names.length > 20 && <li>{users.names.length - 20} more</li>}
        {users.hasHidden && <li>units that you cannot see</li>}
      </ul>
    </Notice>
  )
}
