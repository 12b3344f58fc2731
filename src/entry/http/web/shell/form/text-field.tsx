import type { Faults } from '../faults.ts'
import { Field, describedBy } from '../parts.tsx'

interface TextFieldProps {
  readonly id: string
  /** In what is sent. Undefined: the id. */
  readonly name?: string
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly faults: Faults
  readonly isRequired?: boolean
  readonly isNumber?: boolean
}

/** One line of text with its label, hint and error. */
export function TextField({ id, name = id, label, hint, value, faults, ...is }: TextFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={faults[id]}>
      <input
        type="text"
        id={id}
        name={name}
        value={value}
        autocomplete="off"
        required={is.isRequired === true}
        inputmode={is.isNumber === true ? 'numeric' : undefined}
        {...describedBy(id, faults)}
      />
    </Field>
  )
}
