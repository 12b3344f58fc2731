import { Confirm } from '../shell/confirm.tsx'
import { Check } from '../shell/form/check.tsx'
import { SelectField } from '../shell/form/select-field.tsx'
import { TextArea } from '../shell/form/text-area.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Form } from '../shell/layout.tsx'
import { Ago, Card, Notice } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'
import { KeyCell, ValueCell } from './cells.tsx'
import type { VariableShown } from './save-variable.ts'

const CATEGORIES = [
  ['terraform', 'Input variable of the code'],
  ['env', 'Environment variable of the engine'],
] as const

interface VariableFormProps {
  readonly view: OrgView
  /** Of the page that the form is on. */
  readonly path: string
  readonly actions: { readonly save: string; readonly remove: string }
  readonly shown: VariableShown
  readonly now: number
  /** What a change leads to. */
  readonly effect: string
}

/** Adds a variable, or changes one. */
export function VariableForm({ view, path, actions, shown, now, effect }: VariableFormProps) {
  const { fields, faults, race } = shown
  const isNew = fields.id === ''
  const valueHint =
    fields.sensitive && !isNew
      ? 'It is never shown. Leave it empty to keep it.'
      : 'Text; with HCL, an expression such as ["a", "b"].'
  return (
    <div id="variable">
      <Card title={isNew ? 'Add a variable' : `Change ${fields.key}`}>
        {race !== undefined && <Race shown={race} now={now} />}
        <Form view={view} action={actions.save} class="form">
          <input type="hidden" name="id" value={fields.id} />
          <input type="hidden" name="version" value={fields.version} />
          <div class="pair">
            <TextField
              id="key"
              label="Key"
              hint="Such as region or AWS_REGION."
              value={fields.key}
              faults={faults}
              isRequired
              isMono
            />
            <SelectField
              id="category"
              label="Kind"
              value={fields.category}
              options={CATEGORIES}
              faults={faults}
            />
          </div>
          <TextArea id="value" label="Value" hint={valueHint} value={fields.value} faults={faults} isMono />
          <TextField
            id="description"
            label="Description"
            hint="What it is for."
            value={fields.description}
            faults={faults}
          />
          <div class="pair">
            <Check id="hcl" label="HCL: an expression, not text" isOn={fields.hcl} error={faults['hcl']} />
            <Check
              id="sensitive"
              label="Sensitive: never shown again"
              isOn={fields.sensitive}
              error={faults['sensitive']}
            />
          </div>
          <p class="hint">{effect}</p>
          <div class="bar">
            <button class="button primary" type="submit">
              {isNew ? 'Add the variable' : 'Save the variable'}
            </button>
            {!isNew && (
              <a class="button" href={path}>
                Cancel
              </a>
            )}
          </div>
        </Form>
        {!isNew && (
          <Confirm
            view={view}
            action={actions.remove}
            label="Delete the variable"
            word={fields.key}
            faults={faults}
          >
            <input type="hidden" name="id" value={fields.id} />
            <input type="hidden" name="version" value={fields.version} />
            <p>Runs do not get it any more. Its value cannot be restored.</p>
          </Confirm>
        )}
      </Card>
    </div>
  )
}

function Race({ shown: { now: current }, now }: { shown: NonNullable<VariableShown['race']>; now: number }) {
  if (current === undefined)
    return (
      <Notice kind="fail">
        <p>
          Someone deleted the variable while you looked at this page. Nothing was saved. What you typed is in
          the form; saving it creates the variable again.
        </p>
      </Notice>
    )
  return (
    <Notice kind="fail">
      <p>
        Someone changed the variable <Ago at={current.updatedAt} now={now} />, while you looked at this page.
        Nothing was saved. What you typed is in the form. This is the variable now:
      </p>
      <dl class="keyed">
        <dt>
          <KeyCell variable={current} />
        </dt>
        <dd>
          <ValueCell variable={current} />
        </dd>
      </dl>
    </Notice>
  )
}
