import type { BrokenGlass, Guard } from '../../../../../access/index.ts'
import { sayPrincipal } from '../../../../../base/text/author.ts'
import { peoplePath } from '../../people/frame.tsx'
import type { Faults } from '../../shell/faults.ts'
import { SelectField } from '../../shell/form/select-field.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { Ago, Card, Time, Why } from '../../shell/parts.tsx'
import type { UnitPage } from '../frame.tsx'

export interface GuardInput {
  readonly reason: string
  readonly minutes: string
}

interface GuardCardProps {
  readonly page: UnitPage
  readonly path: string
  readonly guards: readonly Guard[]
  readonly broken: readonly BrokenGlass[]
  readonly now: number
  /** What was typed, and in which form. */
  readonly again?: Again | undefined
}

interface Again {
  readonly form: 'guard' | 'break'
  readonly input: GuardInput
  readonly faults: Faults
}

function typedIn(form: Again['form'], again: Again | undefined): Omit<Again, 'form'> {
  return again?.form === form ? again : { input: { reason: '', minutes: '60' }, faults: {} }
}

/** Whether only runs may change the state, why, and who may for now. */
export function GuardCard(props: GuardCardProps) {
  const { page, guards, broken, now } = props
  const { view, unit } = page
  const isOfUnit = ({ units }: Guard) =>
    units?.length === 1 && (units[0] === unit.id || units[0] === unit.name)
  return (
    <Card title="Guard">
      {guards.length === 0 ? (
        <p class="muted">
          Not guarded: everyone with the right to write states may write this one, with or without a run.
        </p>
      ) : (
        <Why look="wait">
          <p>
            <b>Guarded: only runs may change its state.</b>
          </p>
          {guards.map((guard) => (
            <p>
              {isOfUnit(guard) ? 'This unit' : (guard.units?.join(', ') ?? 'The whole organization')}, since{' '}
              <Ago at={guard.at} now={now} />, by {sayPrincipal(guard.by)}
              {guard.reason !== undefined && `: ${guard.reason}`}
            </p>
          ))}
        </Why>
      )}
      {broken.map(({ by, reason, until }) => (
        <p>
          <span class="chip warn">open</span> {sayPrincipal(by)} may write it until <Time at={until} />:{' '}
          {reason}
        </p>
      ))}
      {guards.length > 0 && view.may('state:break-glass', unit) && <BreakForm {...props} />}
      {view.may('guard:set') && !guards.some(isOfUnit) && <GuardForm {...props} />}
      {view.may('guard:set') && guards.filter(isOfUnit).map((guard) => <EndForm {...props} guard={guard} />)}
      {guards.some((guard) => !isOfUnit(guard)) && (
        <p class="faint">
          Guards of several units are on the <a href={peoplePath(view, 'guards')}>page of guards</a>.
        </p>
      )}
    </Card>
  )
}

function BreakForm({ page: { view }, path, again }: GuardCardProps) {
  const { input, faults } = typedIn('break', again)
  return (
    <details class="more" open={again?.form === 'break'}>
      <summary>Break the glass</summary>
      <Form view={view} action={`${path}/break`} class="form">
        <p>
          You may write the state without a run for a while, with the rights that you have anyway. It is
          recorded and announced.
        </p>
        <TextField
          id="break-reason"
          name="reason"
          label="Reason"
          hint="Such as: the runner is down."
          value={input.reason}
          faults={faults}
          isRequired
        />
        <SelectField id="minutes" label="For" value={input.minutes} options={DURATIONS} faults={faults} />
        <div>
          <button class="button danger" type="submit">
            Break the glass
          </button>
        </div>
      </Form>
    </details>
  )
}

const DURATIONS = [
  ['15', '15 minutes'],
  ['60', '1 hour'],
  ['240', '4 hours'],
  ['480', '8 hours'],
] as const

function GuardForm({ page: { view }, path, again }: GuardCardProps) {
  const { input, faults } = typedIn('guard', again)
  return (
    <details class="more" open={again?.form === 'guard'}>
      <summary>Guard this unit</summary>
      <Form view={view} action={`${path}/guard`} class="form">
        <p>Then only runs and rollouts change its state, whatever rights people have.</p>
        <TextField
          id="guard-reason"
          name="reason"
          label="Reason"
          hint="Such as: changes go through pull requests."
          value={input.reason}
          faults={faults}
        />
        <div>
          <button class="button" type="submit">
            Guard this unit
          </button>
        </div>
      </Form>
    </details>
  )
}

function EndForm({ page: { view }, path, guard }: GuardCardProps & { readonly guard: Guard }) {
  return (
    <details class="more">
      <summary>End the guard</summary>
      <Form view={view} action={`${path}/unguard`} class="form">
        <input type="hidden" name="guard" value={guard.id} />
        <p>Then everyone who may write states may write this one without a run.</p>
        <div>
          <button class="button danger" type="submit">
            End the guard of this unit
          </button>
        </div>
      </Form>
    </details>
  )
}
