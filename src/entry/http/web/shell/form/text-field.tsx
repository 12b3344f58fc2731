import type { Faults } from '../faults.ts'
import { Field, describedBy } from './field.tsx'

interface TextFieldProps {
  readonly id: string
  /** In what is sent. Undefined: the id. */
  readonly name?: string
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly faults?: Faults
  readonly type?: 'text' | 'search' | 'password'
  /** Most characters. */
  readonly most?: number
  /** The id of a `<datalist>` with suggestions. */
  readonly suggestions?: string
  readonly isRequired?: boolean
  readonly isNumber?: boolean
  /** True: it holds names or code, not words. */
  readonly isMono?: boolean
  readonly isReadonly?: boolean
}

/** One line of text with its label, hint and error. */
export function TextField({ id, name = id, label, hint, value, faults = {}, ...rest }: TextFieldProps) {
  const { type = 'text', most, suggestions, isRequired, isNumber, isMono, isReadonly } = rest
  return (
    <Field id={id} label={label} hint={hint} error={faults[id]}>
      <input
        type={type}
        id={id}
        name={name}
        value={value}
        class={isMono === true ? 'mono' : undefined}
        autocomplete={type === 'password' ? 'new-password' : 'off'}
        spellcheck={isMono === true ? false : undefined}
        list={suggestions}
        maxlength={most}
        required={isRequired === true}
        readonly={isReadonly === true}
        inputmode={isNumber === true ? 'numeric' : undefined}
        {...describedBy(id, faults, hint !== undefined)}
      />
    </Field>
  )
}
