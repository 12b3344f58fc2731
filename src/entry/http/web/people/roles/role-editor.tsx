import type { Role } from '../../../../../access/index.ts'
import type { Faults } from '../../shell/faults.ts'
import { SelectField, optionsOf } from '../../shell/form/select-field.tsx'
import { TextArea } from '../../shell/form/text-area.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Card } from '../../shell/parts.tsx'
import type { OrgView } from '../../shell/view.ts'
import { type RoleInput, type RuleInput, readRule } from './role-form.ts'

interface RoleEditorProps {
  readonly view: OrgView
  readonly role: Role | undefined
  readonly input: RoleInput
  readonly etag: string
  readonly faults: Faults
}

/** The words under each rule change while someone types; without JavaScript, on Preview. */
export function RoleEditor({ view, role, input, etag, faults }: RoleEditorProps) {
  const action = `${view.org.base}/people/roles`
  return (
    <form
      method="post"
      action={action}
      class="role-editor"
      hx-post={action}
      hx-trigger="input delay:300ms"
      hx-swap="none"
    >
      <input type="hidden" name="csrf" value={view.csrf} />
      <input type="hidden" name="was" value={role?.name ?? ''} />
      <input type="hidden" name="etag" value={etag} />
      {/* Enter presses the first button. */}
      <button class="unseen" type="submit" name="do" value="preview" tabindex={-1}>
        Preview
      </button>
      <Card title="Role">
        <div class="pair">
          <TextField
            id="name"
            label="Name"
            hint="Lower-case letters, digits, - and _."
            value={role?.name ?? input.name}
            faults={faults}
            isReadonly={role !== undefined}
          />
          <TextField
            id="description"
            label="Description"
            hint="Who it is for."
            value={input.description}
            faults={faults}
          />
        </div>
      </Card>
      {input.rules.map((rule, at) => (
        <RuleFields rule={rule} at={at} isChecked={faults['rules'] !== undefined} />
      ))}
      {input.rules.length === 0 && <p class="muted">The role has no rules, so it allows nothing.</p>}
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
  /** From 0. */
  readonly at: number
  /** True: what is wrong is said at the field. A rule that is still empty is not wrong yet. */
  readonly isChecked: boolean
}

function RuleFields({ rule, at, isChecked }: RuleFieldsProps) {
  const { faults: found } = readRule(rule)
  const isNew = rule.actions.trim() === '' && !isChecked
  const id = (name: string) => `${name}-${at + 1}`
  const faults = Object.fromEntries(
    Object.entries(isNew ? {} : found).map(([name, said]) => [id(name), said]),
  )
  return (
    <fieldset class="card rule" id={`rule-${at + 1}`}>
      <legend>Rule {at + 1}</legend>
      <RuleWords rule={rule} at={at} />
      <div class="rule-what">
        <SelectField
          id={id('effect')}
          name="effect"
          label="Effect"
          value={rule.effect}
          options={optionsOf(['allow', 'deny'])}
        />
        <TextField
          id={id('actions')}
          name="actions"
          label="Actions"
          hint="Such as state:read or state:*, separated by spaces."
          value={rule.actions}
          faults={faults}
        />
      </div>
      <div class="pair">
        <TextField
          id={id('units')}
          name="units"
          label="Only on these units"
          hint="Patterns such as prod/**. Empty: all units, and the organization itself."
          value={rule.units}
          faults={faults}
        />
        <TextArea
          id={id('labels')}
          name="labels"
          label="Only with these labels"
          hint="One on each line: env=prod. A unit must have all."
          value={rule.labels}
          rows={Math.max(1, rule.labels.split('\n').length)}
          faults={faults}
          isMono
        />
      </div>
      <button
        class="button small"
        type="submit"
        name="do"
        value={`remove-${at}`}
        aria-label={`Remove rule ${at + 1}`}
      >
        Remove
      </button>
    </fieldset>
  )
}

interface RuleWordsProps {
  readonly rule: RuleInput
  readonly at: number
  /** True: to be put into its place on a page that is there already. */
  readonly isPart?: boolean
}

/** What a rule says, in words. Also by itself, while someone types. */
export function RuleWords({ rule, at, isPart }: RuleWordsProps) {
  const { words, faults } = readRule(rule)
  const isNew = rule.actions.trim() === ''
  return (
    <p
      class={words !== undefined || isNew ? 'rule-words' : 'rule-words error'}
      id={`words-${at + 1}`}
      aria-live="polite"
      hx-swap-oob={isPart === true ? 'true' : undefined}
    >
      {words ?? (isNew ? 'Says nothing yet: name an action.' : Object.values(faults).join(' '))}
    </p>
  )
}
