import { unitPath } from '../../shell/addresses.ts'
import type { Faults } from '../../shell/faults.ts'
import { TextArea } from '../../shell/form/text-area.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { Card } from '../../shell/parts.tsx'
import type { UnitPage } from '../frame.tsx'

/** What was typed. */
export interface DependencyForm {
  readonly on: string
  readonly which: 'all' | 'some' | 'order'
  readonly outputs: string
  readonly inputs: string
}

interface AddFormProps {
  readonly page: UnitPage
  /** Units to choose from. */
  readonly names: readonly string[]
  readonly input?: DependencyForm | undefined
  readonly faults?: Faults | undefined
}

const WHICH = [
  ['all', 'All of its outputs'],
  ['some', 'These outputs'],
  ['order', 'No outputs: only the order counts'],
] as const

export function AddForm({ page: { view, unit }, names, input, faults = {} }: AddFormProps) {
  const { on = '', which = 'all', outputs = '', inputs = '' } = input ?? {}
  return (
    <Card title="Declare a dependency">
      <Form view={view} action={unitPath(view.org.base, unit.name, 'dependencies')} class="form">
        <TextField
          id="on"
          label="Unit that it uses"
          hint="If one of its outputs changes, this unit is stale."
          value={on}
          faults={faults}
          suggestions="units"
          isMono
        />
        <datalist id="units">
          {names.map((name) => (
            <option value={name}>{name}</option>
          ))}
        </datalist>
        <fieldset>
          <legend>What it uses</legend>
          {WHICH.map(([value, label]) => (
            <label class="check">
              <input type="radio" name="which" value={value} checked={value === which} />
              {label}
            </label>
          ))}
        </fieldset>
        <TextField
          id="outputs"
          label="Outputs"
          hint="For “These outputs”. Separate several with commas."
          value={outputs}
          faults={faults}
          isMono
        />
        <TextArea
          id="inputs"
          label="Variables"
          hint="Optional. One variable=output on each line: rollouts and taco exec set the variable to the output."
          value={inputs}
          rows={2}
          faults={faults}
          isMono
        />
        <div>
          <button class="button primary" type="submit">
            Declare
          </button>
        </div>
      </Form>
    </Card>
  )
}
