import type { Faults } from '../shell/faults.ts'
import { Field, describedBy } from '../shell/parts.tsx'
import type { TokenInput } from './token-form.ts'

interface TokenFieldsProps {
  readonly input: Partial<TokenInput>
  readonly faults: Faults
  /** The choices of how long it is valid, and what each is called. */
  readonly days: readonly (readonly [value: string, label: string])[]
  /** Whose rights the token has if it is not narrowed. */
  readonly whose: 'you' | 'it'
}

/** The fields that forms for tokens of all kinds have. */
export function TokenNameField({ input, faults }: Pick<TokenFieldsProps, 'input' | 'faults'>) {
  return (
    <Field
      id="name"
      label="Name"
      hint="What it is for, such as “laptop” or “deploy script”."
      error={faults['name']}
    >
      <input
        type="text"
        id="name"
        name="name"
        value={input.name ?? ''}
        maxlength={100}
        required
        {...describedBy('name', faults)}
      />
    </Field>
  )
}

export function TokenScopeFields({ input, faults, days, whose }: TokenFieldsProps) {
  return (
    <>
      <Field id="days" label="Expires after" error={faults['expiresAt']}>
        <select id="days" name="days">
          {days.map(([value, label]) => (
            <option value={value} selected={value === (input.days ?? '90')}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <Field
        id="units"
        label="Only these units"
        hint={`Patterns such as prod/**, separated by spaces. Empty: all units that ${whose} may use.`}
        error={faults['units']}
      >
        <input
          type="text"
          id="units"
          name="units"
          value={input.units ?? ''}
          {...describedBy('units', faults)}
        />
      </Field>
      <Field
        id="actions"
        label="Only these actions"
        hint={`Such as state:read or state:*, separated by spaces. Empty: everything that ${whose} may do.`}
        error={faults['actions']}
      >
        <input
          type="text"
          id="actions"
          name="actions"
          value={input.actions ?? ''}
          {...describedBy('actions', faults)}
        />
      </Field>
    </>
  )
}
