import type { Faults } from '../shell/faults.ts'
import { SelectField } from '../shell/form/select-field.tsx'
import { TextField } from '../shell/form/text-field.tsx'
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
    <TextField
      id="name"
      label="Name"
      hint="What it is for, such as “laptop” or “deploy script”."
      value={input.name ?? ''}
      faults={faults}
      most={100}
      isRequired
    />
  )
}

export function TokenScopeFields({ input, faults, days, whose }: TokenFieldsProps) {
  const { expiresAt } = faults
  return (
    <>
      <SelectField
        id="days"
        label="Expires after"
        value={input.days ?? '90'}
        options={days}
        {...(expiresAt === undefined ? {} : { faults: { days: expiresAt } })}
      />
      <TextField
        id="units"
        label="Only these units"
        hint={`Patterns such as prod/**, separated by spaces. Empty: all units that ${whose} may use.`}
        value={input.units ?? ''}
        faults={faults}
      />
      <TextField
        id="actions"
        label="Only these actions"
        hint={`Such as state:read or state:*, separated by spaces. Empty: everything that ${whose} may do.`}
        value={input.actions ?? ''}
        faults={faults}
      />
    </>
  )
}
