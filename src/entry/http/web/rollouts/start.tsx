import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import type { RolloutPlan } from '../../../../rollouts/index.ts'
import type { Caller } from '../../../../state/index.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { checkNames, checkStart, checkWalk } from '../../kit/visible-rollouts.ts'
import { Repeated } from '../../openapi/api.ts'
import { orgForm, orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { option, shell } from '../shell/command-line.ts'
import { setFlash } from '../shell/flash.ts'
import { TextField } from '../shell/form/text-field.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Command, Split } from '../shell/parts.tsx'
import { type PageStatus, htmlReply } from '../shell/render.ts'
import { LookChip } from '../shell/status.tsx'
import { DataTable } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { UnitLink, UnitLinks } from './step-words.tsx'
import { WalkCard } from './walk-card.tsx'
import { type DrawnWalk, drawWalk } from './walk-picture.ts'

/** The rest is counted: a preview of thousands of units is not read to the end. */
const MOST_LISTED = 300
const MOST_UNTOUCHED = 8

/** Names, one or several, with commas between them. */
const Names = z.string().transform((text) => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
])

interface Preview {
  readonly from: readonly string[]
  readonly plan: RolloutPlan
  readonly walk: DrawnWalk
  readonly untouched: { readonly names: readonly string[]; readonly total: number }
  readonly mayStart: boolean
}

interface Asked {
  readonly org: string
  readonly from: readonly string[]
}

async function previewOf(
  { org, from }: Asked,
  view: OrgView,
  caller: Caller,
  services: WebServices,
): Promise<Preview> {
  await checkNames(services, { org, from }, caller)
  const plan = await services.rollouts.plan(org, { from, downstream: true }, caller)
  await checkWalk(services, { org, ...plan }, 'rollout:read', caller)
  const inside = new Set(plan.steps.map(({ unit }) => unit.id))
  const others = await services.control.units.select(
    { org, matches: ({ id }) => !inside.has(id), skip: 0, limit: MOST_UNTOUCHED },
    caller,
  )
  const walk = await drawWalk(
    view.org.base,
    plan.steps.map(({ unit, needs, isRoot }) => ({
      unit,
      needs,
      look: isRoot ? 'stale' : 'wait',
      words: isRoot ? 'starts here' : 'runs if what it reads changes',
      isPending: true,
    })),
  )
  const mayStart = await isAllowed(() => checkWalk(services, { org, ...plan }, 'rollout:start', caller))
  const names = others.items.map(({ name }) => name)
  return { from, plan, walk, untouched: { names, total: others.total }, mayStart }
}

async function isAllowed(check: () => Promise<void>): Promise<boolean> {
  try {
    await check()
    return true
  } catch (error) {
    if (!isTacoError(error, 'FORBIDDEN')) throw error
    return false
  }
}

interface PageOptions {
  readonly asked: Asked
  readonly view: OrgView
  readonly caller: Caller
}

/** Names that are wrong are told at the field. */
async function startPage({ asked, view, caller }: PageOptions, services: WebServices) {
  if (asked.from.length === 0) return shown(view, asked.from)
  try {
    return shown(view, asked.from, { preview: await previewOf(asked, view, caller, services) })
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST')) throw error
    return shown(view, asked.from, { fault: error.message }, 400)
  }
}

function shown(
  view: OrgView,
  from: readonly string[],
  { preview, fault }: { readonly preview?: Preview; readonly fault?: string } = {},
  status: PageStatus = 200,
) {
  const { base } = view.org
  const command =
    from.length === 0
      ? 'taco rollout plan --from prod/network'
      : shell`taco rollout plan ${from.flatMap((name) => option('from', name))}`
  const side = (
    <>
      <Card title="Start from">
        <form action={`${base}/rollouts/new`} class="form">
          <TextField
            id="from"
            label="Unit"
            hint="The unit that changed. Separate several with commas."
            value={from.join(', ')}
            faults={fault === undefined ? {} : { from: fault }}
            isRequired
            isMono
          />
          <button class="button" type="submit">
            Preview
          </button>
        </form>
      </Card>
      {preview?.mayStart === true && (
        <Card title="Start">
          <Form view={view} action={`${base}/rollouts`} class="form" isOnce>
            <input type="hidden" name="from" value={from.join(',')} />
            <p class="muted">
              Workers run the steps: start one where the code is, with <code>taco rollout work</code>.
            </p>
            <button class="button primary" type="submit">
              Start the rollout
            </button>
          </Form>
        </Card>
      )}
      {preview?.mayStart === false && (
        <p class="muted">You may look at this walk, but not start it: that takes rollout:start.</p>
      )}
      <Command>{command}</Command>
    </>
  )
  return htmlReply(
    <Layout view={view} title="Start a rollout" scripts={preview === undefined ? [] : ['picture.js']}>
      <nav class="crumbs" aria-label="Path">
        <a href={`${base}/rollouts`}>Rollouts</a> /
      </nav>
      <div class="bar">
        <h1>Start a rollout</h1>
      </div>
      <Split side={side}>
        {preview === undefined ? (
          <Card>
            <p>
              A rollout applies the unit that changed, and then the units that use it, in order. Units whose
              inputs stay the same are skipped. You see the walk before it starts.
            </p>
          </Card>
        ) : (
          <PreviewCards preview={preview} base={base} />
        )}
      </Split>
    </Layout>,
    status,
  )
}

function PreviewCards({ preview, base }: { readonly preview: Preview; readonly base: string }) {
  const { plan, walk, untouched } = preview
  const names = new Map(plan.steps.map(({ unit }) => [unit.id, unit.name]))
  const order = new Map(plan.steps.map(({ unit }, at) => [unit.id, at + 1]))
  const later = plan.steps.filter(({ isRoot }) => !isRoot).length
  return (
    <>
      <Card title="What this will touch">
        <p>
          <b>{plan.steps.length - later}</b> {plan.steps.length - later === 1 ? 'unit runs' : 'units run'}{' '}
          first.{' '}
          {later === 0
            ? 'No other unit uses what it gives.'
            : `${later} ${later === 1 ? 'unit follows' : 'units follow'}, each only if an output that it reads has changed by then.`}
        </p>
        <p class="muted">
          {untouched.total === 0 ? (
            'Every unit that you see is in this walk.'
          ) : (
            <>
              {untouched.total.toLocaleString('en')} {untouched.total === 1 ? 'unit' : 'units'} will not be
              touched: <UnitLinks base={base} names={untouched.names} most={MOST_UNTOUCHED} />
              {untouched.total > untouched.names.length &&
                ` and ${(untouched.total - untouched.names.length).toLocaleString('en')} more`}
              .
            </>
          )}
        </p>
      </Card>
      <WalkCard walk={walk} title="Walk" />
      <Card title="Order">
        <DataTable
          path=""
          caption="Units, in the order of the walk"
          items={plan.steps.slice(0, MOST_LISTED)}
          columns={[
            {
              name: 'order',
              label: '#',
              isNumber: true,
              cell: ({ unit }) => order.get(unit.id) ?? '',
              value: ({ unit }) => order.get(unit.id) ?? null,
            },
            {
              name: 'unit',
              label: 'Unit',
              cell: ({ unit }) => <UnitLink base={base} name={unit.name} />,
              value: ({ unit }) => unit.name,
            },
            {
              name: 'runs',
              label: 'Runs',
              cell: ({ isRoot }) =>
                isRoot ? (
                  <LookChip look="stale">starts here</LookChip>
                ) : (
                  <LookChip look="wait">if inputs change</LookChip>
                ),
              value: ({ isRoot }) => isRoot,
            },
            {
              name: 'after',
              label: 'After',
              cell: ({ needs }) => <UnitLinks base={base} names={needs.map((id) => names.get(id) ?? id)} />,
              value: ({ needs }) => needs.join(' '),
            },
          ]}
        />
        {plan.steps.length > MOST_LISTED && (
          <p class="muted">and {(plan.steps.length - MOST_LISTED).toLocaleString('en')} more.</p>
        )}
      </Card>
    </>
  )
}

export const startPages: readonly Route[] = [
  orgPage({
    path: '/rollouts/new',
    id: 'previewRollout',
    action: 'rollout:read',
    isFiltered: true,
    summary: 'The walk that a rollout would take, before it starts',
    query: z.object({ from: Repeated.transform((given) => Names.parse((given ?? []).join(','))) }),
    handle: ({ params: { org }, query: { from }, caller, view }, services) =>
      startPage({ asked: { org, from }, view, caller }, services),
  }),
  orgForm({
    path: '/rollouts',
    id: 'startRolloutForm',
    action: 'rollout:start',
    isFiltered: true,
    summary: 'Start a rollout; workers run it',
    fields: { from: Names },
    async handle({ params: { org }, body: { from }, caller, view, x }, services) {
      const asked = { org, from }
      try {
        await checkNames(services, asked, caller)
        await checkStart(services, asked, caller)
        const { id, steps } = await services.rollouts.start(org, { from }, caller)
        const count = `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`
        setFlash(x, services.cookies, { kind: 'ok', text: `Started, with ${count}. Workers run it.` })
        return seeOther(`${view.org.base}/rollouts/${id}`)
      } catch (error) {
        if (!isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST')) throw error
        return shown(view, from, { fault: error.message }, 400)
      }
    },
  }),
]
