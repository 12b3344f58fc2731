import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import { type StepView, noSuchRollout } from '../../../../rollouts/index.ts'
import type { Caller } from '../../../../state/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { checkVisibleRollout, isVisibleRollout } from '../../kit/visible-rollouts.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { InOrg } from '../shell/command-org.tsx'
import { ExportFormat, exported } from '../shell/export.ts'
import type { Faults } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { TextField } from '../shell/form/text-field.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { Card } from '../shell/parts.tsx'
import { type PageStatus, htmlReply, partReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { STEP_STATES, isSettled, stepLook, stepState } from './looks.ts'
import { RolloutPart, stepColumns } from './rollout-part.tsx'
import { drawWalk } from './walk-picture.ts'

const MOST_REASON = 500

const RolloutQuery = z.object({
  /** Only steps in this state. */
  step: z
    .string()
    .optional()
    .transform((text) => STEP_STATES.find((one) => one === text)),
  /** The unit of a step that the person wants to skip. */
  skip: z.string().optional(),
  page: z.coerce.number().int().catch(1).default(1),
  format: ExportFormat.catch(undefined),
  part: z.enum(['rollout']).optional().catch(undefined),
})

interface Asked {
  readonly org: string
  readonly id: string
  readonly query: z.output<typeof RolloutQuery>
  /** A skip that was refused. */
  readonly refused?: { readonly reason: string; readonly faults: Faults }
}

async function rolloutPage(
  { org, id, query, refused }: Asked,
  view: OrgView,
  caller: Caller,
  services: WebServices,
  status: PageStatus = 200,
) {
  const rollout = await services.rollouts.get({ org, id }, caller)
  const visible = await services.control.units.visible(org, caller)
  if (!isVisibleRollout(rollout, visible)) throw noSuchRollout(id)
  const { base } = view.org
  const now = services.clock.now()
  const stateOf = (step: StepView) => stepState(step, now)
  if (query.format !== undefined) {
    const columns = stepColumns({ base, now, steps: rollout.steps, stateOf })
    return exported(query.format, id, columns, rollout.steps)
  }
  const walk = await drawWalk(
    base,
    rollout.steps.map((step) => ({
      unit: step.unit,
      needs: step.needs,
      look: stepLook(stateOf(step)),
      words: stateOf(step),
      isPending: !isSettled(step),
    })),
  )
  const maySkip = ({ unit }: StepView) =>
    view.may('rollout:control', visible?.get(unit.id) ?? { ...unit, labels: {} })
  // The page of a refused form has the address of the form.
  const path =
    refused === undefined
      ? withQuery(view.path, { part: undefined, skip: undefined })
      : `${base}/rollouts/${id}`
  const part = (
    <RolloutPart
      view={view}
      path={path}
      now={now}
      rollout={rollout}
      walk={walk}
      step={query.step}
      page={query.page}
      maySkip={maySkip}
    />
  )
  if (query.part === 'rollout') return partReply(<InOrg view={view}>{part}</InOrg>)
  const skipped = rollout.steps.find(({ unit }) => unit.name === query.skip)
  return htmlReply(
    <Layout view={view} title={`Rollout ${id}`} live="" scripts={['picture.js']}>
      <nav class="crumbs" aria-label="Path">
        <a href={`${base}/rollouts`}>Rollouts</a> /
      </nav>
      {skipped !== undefined && maySkip(skipped) && (
        <SkipForm view={view} id={id} path={path} unit={skipped.unit.name} refused={refused} />
      )}
      {part}
    </Layout>,
    status,
  )
}

interface SkipFormProps {
  readonly view: OrgView
  readonly id: string
  readonly path: string
  readonly unit: string
  readonly refused: Asked['refused']
}

function SkipForm({ view, id, path, unit, refused }: SkipFormProps) {
  const faults = refused?.faults ?? {}
  const flat = unitPath('', unit).slice('/units/'.length)
  return (
    <div class="grid">
      <Card title={`Skip ${unit}`}>
        <Form view={view} action={`${view.org.base}/rollouts/${id}/steps/${flat}/skip`} class="form">
          <TextField
            id="reason"
            label="Reason"
            hint="Stored with the step and shown to everyone. Units that use this one take its current outputs."
            value={refused?.reason ?? ''}
            faults={faults}
            most={MOST_REASON}
            isRequired
          />
          <div class="bar">
            <button class="button primary" type="submit">
              Skip the step
            </button>
            <a href={path}>Back</a>
          </div>
        </Form>
      </Card>
    </div>
  )
}

interface Changing {
  readonly x: Exchange
  readonly view: OrgView
  readonly id: string
  readonly said: string
  change(): Promise<unknown>
}

/** A page that was open for a while may offer what cannot be done any more: the reason is shown on the new one. */
async function changeRollout({ x, view, id, said, change }: Changing, { cookies }: WebServices) {
  try {
    await change()
    setFlash(x, cookies, { kind: 'ok', text: said })
  } catch (error) {
    if (!isTacoError(error, 'CONFLICT')) throw error
    setFlash(x, cookies, { kind: 'fail', text: `${error.message} ${error.hint ?? ''}`.trim() })
  }
  return seeOther(`${view.org.base}/rollouts/${id}`)
}

const CHANGES = {
  pause: { summary: 'Start no new steps', said: 'Paused. Steps that run now finish.' },
  resume: { summary: 'Continue; failed steps are retried', said: 'Resumed. Workers continue with it.' },
  cancel: { summary: 'Cancel for good', said: 'Cancelled. Steps that run now finish.' },
} as const

export const rolloutPages: readonly Route[] = [
  orgPage({
    path: '/rollouts/{id}',
    params: { id: z.string() },
    id: 'showRollout',
    action: 'rollout:read',
    isFiltered: true,
    summary: 'A rollout and its steps',
    query: RolloutQuery,
    handle: ({ params: { org, id }, query, caller, view }, services) =>
      rolloutPage({ org, id, query }, view, caller, services),
  }),
  ...(['pause', 'resume', 'cancel'] as const).map((what) =>
    orgForm({
      path: `/rollouts/{id}/${what}`,
      params: { id: z.string() },
      id: `${what}RolloutForm`,
      action: 'rollout:control',
      summary: CHANGES[what].summary,
      fields: {},
      async handle({ params: { org, id }, caller, view, x }, services) {
        await checkVisibleRollout(services, { org, id }, caller, 'rollout:control')
        const change = () => services.rollouts[what]({ org, id }, caller)
        return changeRollout({ x, view, id, said: CHANGES[what].said, change }, services)
      },
    }),
  ),
  orgForm({
    path: '/rollouts/{id}/steps/{unit}/skip',
    params: { id: z.string(), ...UnitParams.shape },
    id: 'skipStepForm',
    action: 'rollout:control',
    summary: 'Skip a step, with a reason',
    fields: { reason: z.string().trim().default('') },
    async handle({ params: { org, id, unit: named }, target, body: { reason }, caller, view, x }, services) {
      const unit = target.unit ?? named
      await checkVisibleRollout(services, { org, id }, caller)
      const fault =
        reason === ''
          ? 'A reason is needed.'
          : reason.length > MOST_REASON
            ? `At most ${MOST_REASON} characters.`
            : undefined
      if (fault !== undefined) {
        const query = { ...RolloutQuery.parse({}), skip: named }
        const asked = { org, id, query, refused: { reason, faults: { reason: fault } } }
        return rolloutPage(asked, view, caller, services, 400)
      }
      const change = () => services.rollouts.skip({ org, id }, unit, reason, caller)
      return changeRollout({ x, view, id, said: `Skipped ${named}.`, change }, services)
    },
  }),
]
