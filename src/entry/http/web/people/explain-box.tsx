import { ACTION_WORDS } from '../../../../access/index.ts'
import type { Faults } from '../shell/faults.ts'
import { Card, Command, Field, Why, describedBy } from '../shell/parts.tsx'

/** What is asked, as it is in the address. */
export interface Asked {
  readonly who: string
  readonly action: string
  readonly unit: string
}

interface Answer {
  readonly allowed: boolean
  readonly lines: readonly string[]
}

interface ExplainBoxProps {
  /** Of the page. */
  readonly path: string
  readonly tab: string
  readonly asked: Asked
  readonly answer: Answer | undefined
  readonly faults: Faults
}

/** Why somebody may do something, or may not. */
export function ExplainBox({ path, tab, asked, answer, faults }: ExplainBoxProps) {
  const { who, action, unit } = asked
  return (
    <Card title="Why can somebody do something?">
      {answer !== undefined && (
        <Why look={answer.allowed ? 'ok' : 'fail'}>
          {answer.lines.map((line, at) => (
            <p>{at === 0 ? <b>{line}</b> : line}</p>
          ))}
        </Why>
      )}
      <form class="form" action={path}>
        <input type="hidden" name="tab" value={tab} />
        <Field
          id="who"
          label="Who"
          hint="A login name, team:ops, group:okta/platform or everyone."
          error={faults['who']}
        >
          <input type="text" id="who" name="who" value={who} required {...describedBy('who', faults)} />
        </Field>
        <Field id="action" label="Does what" hint="Such as state:write." error={faults['action']}>
          <input
            type="text"
            id="action"
            name="action"
            value={action}
            list="actions"
            required
            {...describedBy('action', faults)}
          />
          <datalist id="actions">
            {Object.entries(ACTION_WORDS).map(([name, words]) => (
              <option value={name}>{words}</option>
            ))}
          </datalist>
        </Field>
        <Field id="unit" label="On the unit" hint="Empty: on the organization." error={faults['unit']}>
          <input type="text" id="unit" name="unit" value={unit} {...describedBy('unit', faults)} />
        </Field>
        <div>
          <button class="button" type="submit">
            Explain
          </button>
        </div>
      </form>
      {answer !== undefined && (
        <Command>{['taco access explain', who, action, unit].filter(Boolean).join(' ')}</Command>
      )}
    </Card>
  )
}
