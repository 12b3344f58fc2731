import type { Child } from 'hono/jsx'
import { sayRetention } from '../../../../../base/text/retention.ts'
import { unitPath } from '../../shell/addresses.ts'
import type { Faults } from '../../shell/faults.ts'
import { Check } from '../../shell/form/check.tsx'
import { SelectField } from '../../shell/form/select-field.tsx'
import { TextArea } from '../../shell/form/text-area.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { Card } from '../../shell/parts.tsx'
import type { InputForm } from './inputs.ts'
import { seenTag } from './seen.ts'
import type { SettingsPageProps } from './shown.ts'

interface FormCardProps {
  readonly of: SettingsPageProps
  readonly form: InputForm
  readonly title: string
  readonly button: string
  readonly isMain?: boolean
  readonly children?: Child
}

/** A card with one form of the settings. */
function FormCard({ of: { page }, form, title, button, isMain = false, children }: FormCardProps) {
  const { view, unit } = page
  const tab = form === 'about' ? 'settings' : `settings/${form}`
  return (
    <Card title={title}>
      <Form view={view} action={unitPath(view.org.base, unit.name, tab)} class="form">
        <input type="hidden" name="seen" value={seenTag(form, unit)} />
        {children}
        <div>
          <button class={isMain ? 'button primary' : 'button'} type="submit">
            {button}
          </button>
        </div>
      </Form>
    </Card>
  )
}

export function AboutForm(props: SettingsPageProps) {
  const { inputs, faults } = props
  return (
    <FormCard of={props} form="about" title="Description and labels" button="Save" isMain>
      <TextField
        id="description"
        label="Description"
        hint="What it is for, in a sentence."
        value={inputs.about.description}
        faults={faults}
      />
      <TextArea
        id="labels"
        label="Labels"
        hint="One on each line: name=value. Roles and filters can go by them."
        value={inputs.about.labels}
        rows={4}
        faults={faults}
        isMono
      />
    </FormCard>
  )
}

export function NameForm(props: SettingsPageProps) {
  return (
    <FormCard of={props} form="name" title="Name" button="Rename">
      <TextField
        id="name"
        label="New name"
        hint="The state, its history, variables and dependencies stay with the unit. Code with an http or cloud block must use the new name; engines that use the old one are refused, and nothing is created."
        value={props.inputs.name.name}
        faults={props.faults}
        isRequired
      />
    </FormCard>
  )
}

export function ProjectForm(props: SettingsPageProps) {
  const { page, projects, inputs, faults } = props
  const { view, unit } = page
  const { project } = inputs.project
  const offered = projects.filter(
    ({ id }) => id === project || view.may('unit:create', { ...unit, project: id }),
  )
  return (
    <FormCard of={props} form="project" title="Project" button="Move">
      <SelectField
        id="project"
        label="Belongs to"
        hint="Roles and variable sets of the project apply to the unit. Its name and its state stay."
        value={project}
        options={offered.map(({ id, name }) => [id, name])}
        faults={faults}
      />
    </FormCard>
  )
}

export function RetentionForm(props: SettingsPageProps) {
  const { inputs, faults, organization } = props
  const { rule, count, days } = inputs.retention
  const usual = organization === undefined ? '' : `: ${sayRetention(organization.retention)}`
  return (
    <FormCard of={props} form="retention" title="Versions that are kept" button="Save">
      <fieldset class="own-rule">
        <legend class="unseen">Rule</legend>
        <label class="check">
          <input type="radio" name="rule" value="organization" checked={rule === 'organization'} />
          <span>As the organization says{usual}</span>
        </label>
        <label class="check">
          <input type="radio" name="rule" value="own" checked={rule === 'own'} />
          <span>A rule of its own</span>
        </label>
        <p class="words">
          Keep at least <NumberField id="count" label="Versions" value={count} faults={faults} /> versions,
          and all of the last <NumberField id="days" label="Days" value={days} faults={faults} /> days.
        </p>
        <p class="hint">
          A version stays if one of the two keeps it. Without both numbers, every version stays. The current
          state is never removed.
        </p>
      </fieldset>
    </FormCard>
  )
}

interface NumberFieldProps {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly faults: Faults
}

/** A number in the middle of a sentence. */
function NumberField({ id, label, value, faults }: NumberFieldProps) {
  const error = faults[id]
  return (
    <>
      <input
        type="text"
        id={id}
        name={id}
        value={value}
        inputmode="numeric"
        autocomplete="off"
        aria-label={label}
        {...(error === undefined
          ? {}
          : { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-error` })}
      />
      {error !== undefined && (
        <span class="error" id={`${id}-error`}>
          {' '}
          {error}
        </span>
      )}
    </>
  )
}

export function EncryptionForm(props: SettingsPageProps) {
  return (
    <FormCard of={props} form="encryption" title="Encrypted states" button="Save">
      <Check
        id="allowDecrypt"
        label="A plain state may replace an encrypted one"
        isOn={props.inputs.encryption.allowDecrypt}
      />
      <p class="hint">
        Otherwise the write is refused, so that a run without its encryption settings does not store secrets
        in the clear.
      </p>
    </FormCard>
  )
}

const MODES = [
  ['', 'As the project or the organization says'],
  ['local', 'Local'],
  ['remote', 'Remote'],
  ['agent', 'Agent'],
] as const

export function ExecutionForm(props: SettingsPageProps) {
  const { inputs, faults } = props
  const { executionMode, terraformVersion, workingDirectory, autoApply } = inputs.execution
  return (
    <FormCard of={props} form="execution" title="Execution" button="Save">
      <p class="muted">
        For clients of the Terraform Cloud API. Plans and applies run where the command is given: there are no
        remote runs yet, whatever the mode is.
      </p>
      <SelectField
        id="executionMode"
        label="Execution mode"
        value={executionMode}
        options={MODES}
        faults={faults}
      />
      <TextField
        id="terraformVersion"
        label="Engine version"
        hint="Such as 1.11.4 or ~> 1.10. A command line with a cloud block checks it. Empty: any."
        value={terraformVersion}
        faults={faults}
      />
      <TextField
        id="workingDirectory"
        label="Working directory"
        hint="Of the root module in its repository."
        value={workingDirectory}
        faults={faults}
      />
      <Check id="autoApply" label="Apply without asking" isOn={autoApply} />
    </FormCard>
  )
}
