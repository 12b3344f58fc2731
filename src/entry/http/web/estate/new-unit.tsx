import { z } from 'zod'
import { badRequest } from '../../../../base/errors.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { checkRuleLabels } from '../../kit/rule-labels.ts'
import { orgForm, orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { TextArea } from '../shell/form/text-area.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Command, Split } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { labelsIn } from '../unit/settings/inputs.ts'

const path = '/new-unit'
const MOST_DESCRIPTION = 2000

interface Input {
  readonly name: string
  readonly description: string
  /** One `name=value` on each line. */
  readonly labels: string
}

export const newUnitRoutes: readonly Route[] = [
  orgPage({
    path,
    id: 'showNewUnit',
    action: 'unit:create',
    isFiltered: true,
    summary: 'A form for a new unit',
    query: z.object({ name: z.string().default('') }),
    handle: ({ view, query: { name } }) =>
      htmlReply(<NewUnitPage view={view} input={{ name, description: '', labels: '' }} />),
  }),
  orgForm({
    path,
    id: 'createUnitForm',
    action: 'unit:create',
    isFiltered: true,
    summary: 'Create a unit',
    fields: {
      name: z.string().trim().default(''),
      description: z.string().default(''),
      labels: z.string().default(''),
    },
    async handle({ params: { org }, body, caller, view, x }, services) {
      const { name } = body
      const refuse = (faults: Faults, status: 400 | 403) =>
        htmlReply(<NewUnitPage view={view} input={body} faults={faults} />, status)
      const { allowed } = await services.access.decide(x.principal, 'unit:create', { org, unit: name })
      if (!allowed && name !== '') return refuse({ name: 'You may not create a unit of this name.' }, 403)
      try {
        const description = body.description.trim()
        if (description.length > MOST_DESCRIPTION)
          throw badRequest('description', 'The description is longer than 2,000 characters.', 'Shorten it.')
        const labels = labelsIn(body.labels)
        await checkRuleLabels(services, [{ org, unit: name, labels }], caller)
        const unit = await services.control.units.create({ org, name, description, labels }, caller)
        setFlash(x, services.cookies, {
          kind: 'ok',
          text: 'Created. Paste one of the blocks below into its code, then apply it.',
        })
        return seeOther(unitPath(view.org.base, unit.name))
      } catch (error) {
        return refuse(
          faultsAt(error, ['name', 'description', 'labels'], 'ALREADY_EXISTS', 'LIMIT_REACHED'),
          400,
        )
      }
    },
  }),
]

interface NewUnitPageProps {
  readonly view: OrgView
  readonly input: Input
  readonly faults?: Faults
}

function NewUnitPage({ view, input, faults = {} }: NewUnitPageProps) {
  const { base } = view.org
  return (
    <Layout view={view} title="New unit">
      <nav class="crumbs" aria-label="Path">
        <a href={base}>Estate</a> /
      </nav>
      <h1>New unit</h1>
      <Split
        side={
          <>
            <Card title="Units are also created by the first write">
              <p class="muted">
                Code with a backend block of this server creates its unit when it is applied. Create one here
                to give it labels first, or to declare what it uses.
              </p>
            </Card>
            <Command>taco unit create prod/network --label env=prod</Command>
          </>
        }
      >
        <Card>
          <Form view={view} action={`${base}${path}`} class="form" isOnce>
            <TextField
              id="name"
              label="Name"
              hint="A path, such as prod/network/vpc. Units are grouped by it."
              value={input.name}
              faults={faults}
              isRequired
            />
            <TextField
              id="description"
              label="Description"
              hint="What it is for."
              value={input.description}
              faults={faults}
            />
            <TextArea
              id="labels"
              label="Labels"
              hint="One name=value on each line, such as env=prod."
              value={input.labels}
              faults={faults}
              isMono
            />
            <div class="bar">
              <button class="button primary" type="submit">
                Create the unit
              </button>
              <a class="button" href={base}>
                Cancel
              </a>
            </div>
          </Form>
        </Card>
      </Split>
    </Layout>
  )
}
