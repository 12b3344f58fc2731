import type { Role } from '../../../../../access/index.ts'
import type { Faults } from '../../shell/faults.ts'
import { Card, Field, describedBy } from '../../shell/parts.tsx'
import type { OrgView } from '../../shell/view.ts'
import { type RoleInput, type RuleInput, readRule } from './role-form.ts'

interface RoleEditorProps {
  readonly view: OrgView
  readonly role: Role | undefined
  readonly input: RoleInput
  readonly etag: string
  readonly faults: Faults
}

/** The words beside it change while somebody types; without JavaScript, on Preview. */
export function RoleEditor({ view, role, input, etag, faults }: RoleEditorProps) {
  const action = `${view.org.base}/people/roles`
  return (
    <form
      method="post"
      action={action}
      class="form rules"
      hx-post={action}
      hx-trigger="input delay:300ms"
      hx-target="#role-words"
      hx-swap="outerHTML"
    >
      <input type="hidden" name="csrf" value={view.csrf} />
      <input type="hidden" name="was" value={role?.name ?? ''} />
      <input type="hidden" name="etag" value={etag} />
      {/* Enter presses the first button. */}
      <button class="unseen" type="submit" name="do" value="preview" tabindex={-1}>
        Preview
      </button>
      <Card title="Role">
        <div class="form">
          <Field id="name" label="Name" hint="Lower-case letters, digits, - and _." error={faults['name']}>
            <input
              type="text"
              id="name"
              name="name"
              value={role?.name ?? input.name}
              readonly={role !== undefined}
              autocomplete="off"
              {...describedBy('name', faults)}
            />
          </Field>
          <Field id="description" label="Description" hint="Who it is for." error={faults['description']}>
            <input
              type="text"
              id="description"
              name="description"
              value={input.description}
              maxlength={500}
              {...describedBy('description', faults)}
            />
          </Field>
        </div>
      </Card>
      {input.rules.map((rule, at) => (
        <RuleFields rule={rule} at={at} isChecked={faults['rules'] !== undefined} />
      ))}
      {faults['rules'] !== undefined && <p class="error">{faults['rules']}</p>}
      <div class="bar">
        <button class="button primary" type="submit" name="do" value="save">
          Save the role
        </button>
        <button class="button" type="submit" name="do" value="preview">
          Preview
        </button>
        <button class="button end" type="submit" name="do" value="add">
          Add a rule
        </button>
      </div>
    </form>
  )
}

interface RuleFieldsProps {
  readonly rule: RuleInput
  readonly at: number
  /** True: what is wrong is said at the field. A rule that is still empty is not wrong yet. */
  readonly isChecked: boolean
}

function RuleFields({ rule, at, isChecked }: RuleFieldsProps) {
  const read = readRule(rule)
  const isEmpty = rule.actions.trim() === ''
  const own = isChecked || !isEmpty ? read.faults : {}
  const id = (name: string) => `${name}-${at + 1}`
  const faults = Object.fromEntries(Object.entries(own).map(([name, said]) => [id(name), said]))
  return (
    <fieldset class="card" id={`rule-${at + 1}`}>
      <legend>Rule {at + 1}</legend>
      <div class="form">
        <Field id={id('effect')} label="Effect">
          <select id={id('effect')} name="effect">
            {(['allow', 'deny'] as const).map((effect) => (
              <option value={effect} selected={effect === rule.effect}>
                {effect}
              </option>
            ))}
          </select>
        </Field>
        <Field
          id={id('actions')}
          label="Actions"
          hint="Such as state:read or state:*, separated by spaces."
          error={faults[id('actions')]}
        >
          <input
            type="text"
            id={id('actions')}
            name="actions"
            class="mono"
            value={rule.actions}
            autocomplete="off"
            {...describedBy(id('actions'), faults)}
          />
        </Field>
        <Field
          id={id('units')}
          label="Only on these units"
          hint="Patterns such as prod/**, separated by spaces. Empty: all units, and the organization itself."
          error={faults[id('units')]}
        >
          <input
            type="text"
            id={id('units')}
            name="units"
            class="mono"
            value={rule.units}
            autocomplete="off"
            {...describedBy(id('units'), faults)}
          />
        </Field>
        <Field
          id={id('labels')}
          label="Only on units with these labels"
          hint="One on each line: env=prod. A unit must have all of them."
          error={faults[id('labels')]}
        >
          <textarea
            id={id('labels')}
            name="labels"
            rows={2}
            class="mono"
            {...describedBy(id('labels'), faults)}
          >
            {rule.labels}
          </textarea>
        </Field>
        <div>
          <button
            class="button small"
            type="submit"
            name="do"
            value={`remove-${at}`}
            aria-label={`Remove rule ${at + 1}`}
          >
            Remove
          </button>
        </div>
      </div>
    </fieldset>
  )
}
