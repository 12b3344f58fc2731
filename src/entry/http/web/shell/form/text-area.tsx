import type { Faults } from '../faults.ts'
import { Field, describedBy } from './field.tsx'

interface TextAreaProps {
  readonly id: string
  /** In what is sent. Undefined: the id. */
  readonly name?: string
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly faults?: Faults
  readonly rows?: number
  readonly placeholder?: string
  readonly isRequired?: boolean
  /** True: it holds names or code, not words. */
  readonly isMono?: boolean
}

/** Several lines of text with their label, hint and error. */
export function TextArea({
  id,
  name = id,
  label,
  hint,
  value,
  faults = {},
  rows = 3,
  ...rest
}: TextAreaProps) {
  const { placeholder, isRequired, isMono } = rest
  return (
    <Field id={id} label={label} hint={hint} error={faults[id]}>
      <textarea
        id={id}
        name={name}
        rows={rows}
        class={isMono === true ? 'mono' : undefined}
        spellcheck={isMono === true ? false : undefined}
        placeholder={placeholder}
        required={isRequired === true}
        {...describedBy(id, faults, hint !== undefined)}
      >
        {/* Browsers drop a line break at the beginning. */}
        {`\n${value}`}
      </textarea>
    </Field>
  )
}
