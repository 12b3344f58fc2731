import { z } from 'zod'
import { badRequest, isTacoError } from '../../../../base/errors.ts'
import type { UnitView } from '../../../../state/index.ts'
import { checkRuleLabels } from '../../kit/rule-labels.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgForm, orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { type Faults, faultsOf } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { Form } from '../shell/layout.tsx'
import { Card, Command, Field, Notice, Split, Time, describedBy } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { UnitFrame, type UnitPage, openUnit } from './frame.tsx'

const path = '/units/{unit}/settings'
const params = UnitParams.shape

interface Input {
  readonly description: string
  /** One `name=value` on each line. */
  readonly labels: string
}

export const settingRoutes: readonly Route[] = [
  orgPage({
    path,
    params,
    id: 'showUnitSettings',
    action: 'unit:read',
    summary: 'The settings of a unit',
    async handle(request, services) {
      const page = await openUnit(request, services)
      return htmlReply(<SettingsPage page={page} input={inputOf(page.unit)} etag={page.unit.etag} />)
    },
  }),
  orgForm({
    path,
    params,
    id: 'changeUnitSettings',
    action: 'unit:update',
    summary: 'Change the description and labels of a unit',
    fields: {
      description: z.string().default(''),
      labels: z.string().default(''),
      /** Of the unit when the page was shown. */
      etag: z.string().default(''),
    },
    async handle(request, services) {
      const { body, caller, view, x } = request
      const page = await openUnit(request, services)
      const { ref, unit } = page
      const refuse = (faults: Faults, status: 400 | 409, etag = body.etag) =>
        htmlReply(<SettingsPage page={page} input={body} etag={etag} faults={faults} />, status)
      try {
        const description = body.description.trim()
        if (description.length > 2000)
          throw badRequest('description', 'The description is longer than 2,000 characters.', 'Shorten it.')
        const labels = changeOf(unit.labels, labelsIn(body.labels))
        await checkRuleLabels(services, [{ ...ref, labels }], caller)
        await services.control.units.update(ref, { description, labels }, caller, [body.etag])
      } catch (error) {
        // What was typed stays; what it is now is shown beside it.
        if (isTacoError(error, 'PRECONDITION_FAILED')) return refuse({ race: RACE }, 409, unit.etag)
        return refuse(faultsOf(error, 'labels'), 400)
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'Saved.' })
      return seeOther(unitPath(view.org.base, unit.name, 'settings'))
    },
  }),
]

const RACE = 'Someone changed the unit while you looked at this page. Nothing was saved.'

function inputOf({ description, labels }: UnitView): Input {
  const lines = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
  return { description, labels: lines.join('\n') }
}

/** Throws BAD_REQUEST for a line that is none. Pure. */
export function labelsIn(text: string): Readonly<Record<string, string>> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      if (at < 1)
        throw badRequest('labels', `"${line}" does not have the form name=value.`, 'Write team=network.')
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

/** Null: to be removed. Pure. */
export function changeOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...after }
}

interface SettingsPageProps {
  readonly page: UnitPage
  readonly input: Input
  readonly etag: string
  readonly faults?: Faults
}

function SettingsPage({ page, input, etag, faults = {} }: SettingsPageProps) {
  const { view, unit } = page
  const now = inputOf(unit)
  return (
    <UnitFrame of={page} tab="settings">
      <Split
        side={
          <>
            <Facts unit={unit} />
            <Command>{`taco unit set ${unit.name} --label team=network`}</Command>
          </>
        }
      >
        {faults['race'] !== undefined && (
          <Notice kind="fail">
            <p>{faults['race']} What you typed is in the form. This is what the unit has now:</p>
            <dl class="keyed">
              <dt>Description</dt>
              <dd>{now.description || 'none'}</dd>
              <dt>Labels</dt>
              <dd class="mono">{now.labels.replaceAll('\n', ' ') || 'none'}</dd>
            </dl>
          </Notice>
        )}
        <Card title="Description and labels">
          {view.may('unit:update', unit) ? (
            <Form view={view} action={unitPath(view.org.base, unit.name, 'settings')} class="form">
              <input type="hidden" name="etag" value={etag} />
              <Field
                id="description"
                label="Description"
                hint="What it is for, in a sentence."
                error={faults['description']}
              >
                <input
                  id="description"
                  type="text"
                  name="description"
                  value={input.description}
                  autocomplete="off"
                  {...describedBy('description', faults)}
                />
              </Field>
              <Field
                id="labels"
                label="Labels"
                hint="One on each line: name=value. Roles and filters can go by them."
                error={faults['labels']}
              >
                <textarea id="labels" name="labels" rows={5} class="mono" {...describedBy('labels', faults)}>
                  {input.labels}
                </textarea>
              </Field>
              <div>
                <button class="button primary" type="submit">
                  Save
                </button>
              </div>
            </Form>
          ) : (
            <dl class="keyed">
              <dt>Description</dt>
              <dd>{now.description || 'none'}</dd>
              <dt>Labels</dt>
              <dd class="mono">{now.labels.replaceAll('\n', ' ') || 'none'}</dd>
            </dl>
          )}
        </Card>
      </Split>
    </UnitFrame>
  )
}

function Facts({ unit }: { readonly unit: UnitView }) {
  const { retention } = unit
  return (
    <Card title="More">
      <dl class="keyed">
        <dt>Name</dt>
        <dd class="mono">{unit.name}</dd>
        <dt>Id</dt>
        <dd class="mono">{unit.id}</dd>
        <dt>Key</dt>
        <dd class="mono">{unit.key}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={unit.createdAt} />
        </dd>
        <dt>Versions kept</dt>
        <dd>{retention === null ? 'as the organization says' : JSON.stringify(retention)}</dd>
      </dl>
      <p class="muted">
        Rename it with <code>taco unit rename</code>, delete it with <code>taco unit rm</code>.
      </p>
    </Card>
  )
}
