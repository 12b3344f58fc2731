import { sayAuthor } from '../../../../base/text/author.ts'
import type { RolloutView, StepView } from '../../../../rollouts/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { Form } from '../shell/layout.tsx'
import { Ago, Card, Command, Split, Why } from '../shell/parts.tsx'
import { LookChip, Shape } from '../shell/status.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { STEP_STATES, isOpen, isSettled, rolloutLook, rolloutState, stepLook, stepState } from './looks.ts'
import { StepWords, UnitLink, UnitLinks } from './step-words.tsx'
import { WalkCard } from './walk-card.tsx'
import type { DrawnWalk } from './walk-picture.ts'

const PAGE_SIZE = 100

interface PartProps {
  readonly view: OrgView
  /** Of the page, without what is only for scripts. */
  readonly path: string
  readonly now: number
  readonly rollout: RolloutView
  readonly walk: DrawnWalk
  /** Only steps in this state. */
  readonly step: string | undefined
  readonly page: number
  /** Whether the person may skip this step. */
  maySkip(step: StepView): boolean
}

/** A rollout as it is now. It replaces itself while the page is open. */
export function RolloutPart(props: PartProps) {
  const { view, path, now, rollout, walk, step, page, maySkip } = props
  const state = rolloutState(rollout)
  const states = new Map(rollout.steps.map((one) => [one.unit.id, stepState(one, now)]))
  const stateOf = ({ unit }: StepView) => states.get(unit.id) ?? ''
  const columns = stepColumns({ base: view.org.base, now, steps: rollout.steps, stateOf })
  const shown = rollout.steps.filter((one) => step === undefined || stateOf(one) === step)
  const { items, paging } = pageOf(shown, page, PAGE_SIZE)
  const skipColumn: Column<StepView> = {
    name: 'skip',
    label: 'Skip',
    cell: (one) =>
      isOpen(rollout) && !isSettled(one) && stateOf(one) !== 'running' && maySkip(one) ? (
        <a href={withQuery(path, { skip: one.unit.name })} aria-label={`Skip ${one.unit.name}`}>
          Skip…
        </a>
      ) : null,
    value: () => null,
  }
  const hasSkips = isOpen(rollout) && rollout.steps.some(maySkip)
  return (
    <div
      id="rollout"
      data-live-on="rollout. step. lock."
      hx-get={withQuery(path, { part: 'rollout' })}
      hx-trigger="live"
      hx-swap="outerMorph"
    >
      <div class="bar">
        <h1>{titleOf(rollout)}</h1>
        <LookChip look={rolloutLook(state)}>{state}</LookChip>
        <span class="muted end">
          <span class="mono">{rollout.id}</span> started by {sayAuthor(rollout)},{' '}
          <Ago at={rollout.createdAt} now={now} />
          {rollout.endedAt !== null && (
            <>
              ; ended <Ago at={rollout.endedAt} now={now} />
            </>
          )}
        </span>
      </div>
      <nav class="counts" aria-label="Steps by state">
        {STEP_STATES.map((one) => ({ one, count: rollout.steps.filter((of) => stateOf(of) === one).length }))
          .filter(({ count }) => count > 0)
          .map(({ one, count }) => (
            <a
              href={withQuery(path, { step: step === one ? undefined : one, page: undefined })}
              aria-current={step === one ? 'true' : undefined}
            >
              <Shape look={stepLook(one)} />
              <b>{count.toLocaleString('en')}</b> {one}
            </a>
          ))}
      </nav>
      <Split side={<Side view={view} rollout={rollout} stateOf={stateOf} />}>
        <Attention rollout={rollout} stateOf={stateOf} base={view.org.base} />
        <WalkCard walk={walk} title="Walk" />
        <Card title="Steps">
          {items.length === 0 ? (
            <p class="muted">No step is in this state.</p>
          ) : (
            <DataTable
              path={path}
              caption="Steps, in the order of the walk"
              columns={hasSkips ? [...columns, skipColumn] : columns}
              items={items}
            />
          )}
          <ListFooter path={path} paging={paging} />
        </Card>
      </Split>
    </div>
  )
}

function titleOf({ id, roots: [first, ...others] }: RolloutView): string {
  if (first === undefined) return id
  return others.length === 0 ? `From ${first}` : `From ${first} and ${others.length} more`
}

interface StepColumnsOptions {
  readonly base: string
  readonly now: number
  readonly steps: readonly StepView[]
  stateOf(step: StepView): string
}

export function stepColumns({ base, now, steps, stateOf }: StepColumnsOptions): readonly Column<StepView>[] {
  const byId = new Map(steps.map((one) => [one.unit.id, one]))
  return [
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ unit }) => <UnitLink base={base} name={unit.name} />,
      value: ({ unit }) => unit.name,
    },
    {
      name: 'state',
      label: 'State',
      cell: (step) => <LookChip look={stepLook(stateOf(step))}>{stateOf(step)}</LookChip>,
      value: stateOf,
    },
    {
      name: 'why',
      label: 'Why',
      cell: (step) => <StepWords step={step} state={stateOf(step)} base={base} now={now} byId={byId} />,
      value: ({ reason, due, proof }) => reason ?? due ?? proof?.kind ?? null,
    },
  ]
}

/** What stops the rollout, before everything else. */
function Attention({
  rollout,
  stateOf,
  base,
}: {
  readonly rollout: RolloutView
  readonly stateOf: (step: StepView) => string
  readonly base: string
}) {
  const failed = rollout.steps.filter((step) => stateOf(step) === 'failed')
  const left = rollout.steps.filter((step) => stateOf(step) === 'left')
  if (!isOpen(rollout) || failed.length + left.length === 0) return null
  // Reasons of several are in their steps.
  const reason = failed.length === 1 ? failed[0]?.reason?.replace(/\.$/, '') : undefined
  return (
    <Why look="fail">
      {failed.length > 0 && (
        <p>
          <UnitLinks base={base} names={failed.map(({ unit }) => unit.name)} /> failed
          {reason === undefined ? (
            '. '
          ) : (
            <>
              : <b>{reason}</b>.{' '}
            </>
          )}
          What depends on {failed.length === 1 ? 'it' : 'them'} waits. Correct the cause and resume, or skip{' '}
          {failed.length === 1 ? 'the step' : 'the steps'}.
        </p>
      )}
      {left.length > 0 && (
        <p>
          The worker of <UnitLinks base={base} names={left.map(({ unit }) => unit.name)} /> is gone. The next
          worker continues there.
        </p>
      )}
    </Why>
  )
}

interface SideProps {
  readonly view: OrgView
  readonly rollout: RolloutView
  readonly stateOf: (step: StepView) => string
}

function Side({ view, rollout, stateOf }: SideProps) {
  const { base } = view.org
  const { id, roots, steps, status } = rollout
  const running = steps.filter((step) => stateOf(step) === 'running')
  const workers = [...new Set(running.map(({ worker }) => worker))]
  const isControlled = isOpen(rollout) && view.may('rollout:control')
  const hasFailed = steps.some((step) => step.status === 'failed')
  return (
    <>
      <Card title="Starts from">
        <p>
          <UnitLinks base={base} names={roots} />
        </p>
        <h2>Who works on what</h2>
        {workers.length === 0 ? (
          <p class="muted">No worker is running a step now.</p>
        ) : (
          <dl class="keyed">
            {workers.map((worker) => (
              <>
                <dt>{worker ?? 'a worker'}</dt>
                <dd>
                  <UnitLinks
                    base={base}
                    names={running.filter((step) => step.worker === worker).map(({ unit }) => unit.name)}
                  />
                </dd>
              </>
            ))}
          </dl>
        )}
      </Card>
      {isControlled && (
        <Card title="Control">
          <div class="bar actions">
            {status === 'active' && <Button view={view} id={id} what="pause" label="Pause" />}
            {(status === 'paused' || hasFailed) && (
              <Button
                view={view}
                id={id}
                what="resume"
                label={hasFailed ? 'Resume, retry failed' : 'Resume'}
                kind="primary"
              />
            )}
            <Button view={view} id={id} what="cancel" label="Cancel" kind="danger" />
          </div>
          <p class="muted">
            Pause starts no new steps. Cancel ends the rollout for good; steps that run now finish.
          </p>
        </Card>
      )}
      {isOpen(rollout) && <Command>{shell`taco rollout work ${id}`}</Command>}
      <Command>{shell`taco rollout status ${id}`}</Command>
    </>
  )
}

interface ButtonProps {
  readonly view: OrgView
  readonly id: string
  readonly what: string
  readonly label: string
  readonly kind?: string
}

function Button({ view, id, what, label, kind = '' }: ButtonProps) {
  return (
    <Form view={view} action={`${view.org.base}/rollouts/${id}/${what}`}>
      <button class={`button ${kind}`} type="submit">
        {label}
      </button>
    </Form>
  )
}
