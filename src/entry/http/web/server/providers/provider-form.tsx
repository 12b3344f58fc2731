import type { ProviderKind } from '../../../../../access/index.ts'
import type { Faults } from '../../shell/faults.ts'
import { Field, describedBy } from '../../shell/form/field.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import type { View } from '../../shell/view.ts'
import { PROVIDER_FIELDS, type ProviderField, type ProviderInput } from './provider-fields.ts'

interface ProviderFormProps {
  readonly view: View
  readonly action: string
  readonly kind: ProviderKind
  /** Undefined: a new one. */
  readonly etag?: string
  readonly input: ProviderInput
  /** Secrets that are stored. */
  readonly kept?: readonly string[]
  readonly faults: Faults
}

export function ProviderForm({ view, action, kind, etag, input, kept = [], faults }: ProviderFormProps) {
  const isNew = etag === undefined
  const controls = (isMore: boolean) =>
    PROVIDER_FIELDS[kind]
      .filter((field) => (field.isMore === true) === isMore)
      .map((field) => (
        <Setting
          field={field}
          value={input[field.name] ?? ''}
          isKept={kept.includes(field.name)}
          faults={faults}
        />
      ))
  const isMoreWrong = PROVIDER_FIELDS[kind].some(
    ({ name, isMore }) => isMore === true && faults[name] !== undefined,
  )
  return (
    <Form view={view} action={action} class="form">
      {isNew ? (
        <>
          <input type="hidden" name="kind" value={kind} />
          <TextField
            id="id"
            label="Id"
            hint="Part of addresses and of groups, such as okta. It never changes: people are known by it."
            value={input['id'] ?? ''}
            faults={faults}
            isRequired
          />
        </>
      ) : (
        <input type="hidden" name="etag" value={etag} />
      )}
      <TextField
        id="label"
        label="Name"
        hint="As the sign-in page shows it."
        value={input['label'] ?? ''}
        faults={faults}
        isRequired
      />
      {controls(false)}
      <details class="more" open={isMoreWrong}>
        <summary>More settings</summary>
        <div class="form">{controls(true)}</div>
      </details>
      <div>
        <button class="button primary" type="submit">
          {isNew ? 'Add the provider' : 'Save'}
        </button>
      </div>
    </Form>
  )
}

interface SettingProps {
  readonly field: ProviderField
  readonly value: string
  /** True: a secret is stored, which an empty field keeps. */
  readonly isKept: boolean
  readonly faults: Faults
}

function Setting({ field: { name, label, hint, kind, choices }, value, isKept, faults }: SettingProps) {
  const common = { id: name, name, ...describedBy(name, faults) }
  const hinted = isKept ? `${hint} One is stored. Empty: it stays.` : hint
  return (
    <Field id={name} label={label} hint={hinted} error={faults[name]}>
      {choices !== undefined ? (
        <select {...common}>
          {choices.map((one) => (
            <option value={one} selected={one === value}>
              {one === '' ? 'default' : one}
            </option>
          ))}
        </select>
      ) : kind === 'boolean' ? (
        <input type="checkbox" {...common} value="yes" checked={value === 'yes'} />
      ) : kind === 'text' || kind === 'number' ? (
        <input type="text" {...common} value={value} autocomplete="off" />
      ) : kind === 'secret' ? (
        <input type="password" {...common} autocomplete="new-password" />
      ) : (
        <textarea
          {...common}
          class="mono"
          data-is-secret={kind === 'long-secret' ? '' : undefined}
          rows={kind === 'lines' || kind === 'pairs' || kind === 'lists' ? 2 : 4}
        >
          {kind === 'long-secret' ? '' : value}
        </textarea>
      )}
    </Field>
  )
}
