import { z } from 'zod'
import type { Caller } from '../../../../../access/index.ts'
import { TacoError, isTacoError } from '../../../../../base/errors.ts'
import { sayAuthor } from '../../../../../base/text/author.ts'
import { type UnitRef, type UnitView, noSuchUnit } from '../../../../../state/index.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { Form, Layout } from '../../shell/layout.tsx'
import { Ago, Card, Command, Crumbs, Split } from '../../shell/parts.tsx'
import { htmlReply } from '../../shell/render.ts'
import type { OrgView } from '../../shell/view.ts'
import { TextField } from '../../shell/form/text-field.tsx'

const path = '/units/{unit}/restore'
const params = UnitParams.shape

/** By its id: several deleted units may have had the same name. */
async function deletedUnit({ control }: WebServices, ref: UnitRef, caller: Caller): Promise<UnitView> {
  const unit = await control.units.get(ref, caller)
  if (unit.deleted === null) throw noSuchUnit(ref)
  return unit
}

/** Under another name, it is renamed, too. */
async function checkName(services: WebServices, unit: UnitView, name: string, { principal }: Caller) {
  if (name === unit.name) return
  const wanted = [
    ['unit:rename', { org: unit.org, unit: unit.id }, {}],
    ['unit:restore', { org: unit.org, unit: name }, { isNewName: true }],
  ] as const
  for (const [action, resource, options] of wanted)
    if (!(await services.access.decide(principal, action, resource, options)).allowed)
      throw new TacoError('BAD_REQUEST', `You have no permission to restore it as ${name}.`, {
        facts: { field: 'name', action },
      })
}

export const restoreRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'askToRestoreUnit',
    action: 'unit:restore',
    summary: 'A deleted unit, and what restoring it brings back',
    async handle({ params: { org }, target, caller, view }, services) {
      const unit = await deletedUnit(services, { org, unit: target.unit ?? '' }, caller)
      return htmlReply(<RestorePage view={view} unit={unit} name={unit.name} />)
    },
  }),
  orgForm({
    path,
    params,
    id: 'restoreUnitByForm',
    action: 'unit:restore',
    summary: 'Restore a deleted unit',
    fields: { name: z.string().trim().default('') },
    async handle({ params: { org }, target, body, caller, view, x }, services) {
      const unit = await deletedUnit(services, { org, unit: target.unit ?? '' }, caller)
      const name = body.name === '' ? unit.name : body.name
      try {
        await checkName(services, unit, name, caller)
        await services.control.units.restore({ org, unit: unit.id }, { name }, caller)
      } catch (error) {
        const faults = faultsAt(error, ['name'], 'ALREADY_EXISTS', 'LIMIT_REACHED')
        const isTaken = isTacoError(error, 'ALREADY_EXISTS')
        return htmlReply(
          <RestorePage view={view} unit={unit} name={name} faults={faults} />,
          isTaken ? 409 : 400,
        )
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'Restored.' })
      return seeOther(unitPath(view.org.base, name))
    },
  }),
]

interface RestorePageProps {
  readonly view: OrgView
  readonly unit: UnitView
  readonly name: string
  readonly faults?: Faults
}

function RestorePage({ view, unit, name, faults = {} }: RestorePageProps) {
  const { deleted } = unit
  return (
    <Layout view={view} title={`Restore ${unit.name}`}>
      <Crumbs org={view.org} unit={unit.name} />
      <div class="bar">
        <h1>{unit.name.split('/').at(-1)}</h1>
        <span class="chip">deleted</span>
      </div>
      <Split side={<Command>{shell`taco unit restore ${unit.id}`}</Command>}>
        <Card title="Restore">
          <dl class="keyed">
            <dt>Deleted</dt>
            <dd>
              {deleted !== null && (
                <>
                  <Ago at={deleted.at} now={view.now} /> by {sayAuthor(deleted)}
                </>
              )}
            </dd>
            <dt>State</dt>
            <dd>
              {deleted?.version == null
                ? 'none, it was never applied'
                : `version ${deleted.version.seq}, serial ${deleted.version.serial}`}
            </dd>
            <dt>Id</dt>
            <dd class="mono">{unit.id}</dd>
          </dl>
          <Form view={view} action={unitPath(view.org.base, unit.id, 'restore')} class="form">
            <TextField
              id="name"
              label="Name"
              hint="Another one if a new unit has this name by now."
              value={name}
              faults={faults}
              isRequired
            />
            <div>
              <button class="button primary" type="submit">
                Restore the unit
              </button>
            </div>
          </Form>
        </Card>
      </Split>
    </Layout>
  )
}
