import { ACTION_WORDS, type Explanation } from '../../../../access/index.ts'
import { shell } from '../shell/command-line.ts'
import type { Faults } from '../shell/faults.ts'
import { TextField } from '../shell/form/text-field.tsx'
import { Card, Command, Why } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'
import { rolePath } from './frame.tsx'

/** What is asked, as it is in the address. */
export interface Asked {
  readonly who: string
  readonly action: string
  readonly unit: string
}

interface ExplainBoxProps {
  readonly view: OrgView
  readonly tab: string
  readonly asked: Asked
  readonly answer: Pick<Explanation, 'allowed' | 'said'> | undefined
  readonly faults: Faults
}

/** Why someone may do something, or may not. */
export function ExplainBox({ view, tab, asked, answer, faults }: ExplainBoxProps) {
  const { who, action, unit } = asked
  return (
    <Card title="Why can someone do something?">
      {answer !== undefined && (
        <Why look={answer.allowed ? 'ok' : 'fail'}>
          {answer.said.map(({ text, role, rule }, at) => (
            <p>
              {at === 0 ? <b>{text}</b> : text}
              {role !== undefined && (
                <>
                  {' '}
                  <a href={`${rolePath(view, role)}#rule-${(rule ?? 0) + 1}`}>
                    Rule {(rule ?? 0) + 1} of {role}
                  </a>
                </>
              )}
            </p>
          ))}
        </Why>
      )}
      <form class="form" action={`${view.org.base}/people`}>
        <input type="hidden" name="tab" value={tab} />
        <TextField
          id="who"
          label="Who"
          hint="A login name, team:ops, group:okta/platform or everyone."
          value={who}
          faults={faults}
          isRequired
        />
        <TextField
          id="action"
          label="Does what"
          hint="Such as state:write."
          value={action}
          faults={faults}
          suggestions="actions"
          isRequired
        />
        <datalist id="actions">
          {Object.entries(ACTION_WORDS).map(([name, words]) => (
            <option value={name}>{words}</option>
          ))}
        </datalist>
        <TextField
          id="unit"
          label="On the unit"
          hint="Empty: on the organization."
          value={unit}
          faults={faults}
        />
        <div>
          <button class="button" type="submit">
            Explain
          </button>
        </div>
      </form>
      {answer !== undefined && (
        <Command>{shell`taco access explain ${[who, action, unit].filter(Boolean)}`}</Command>
      )}
    </Card>
  )
}
