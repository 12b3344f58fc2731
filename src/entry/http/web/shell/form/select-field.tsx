import type { Faults } from '../faults.ts'
import { Field, describedBy } from './field.tsx'

/** What can be chosen, and what it is called. */
export type Options = readonly (readonly [value: string, label: string])[]

interface SelectFieldProps {
  readonly id: string
  /** In what is sent. Undefined: the id. */
  readonly name?: string
  readonly label: string
  readonly hint?: string
  /** The chosen one. */
  readonly value: string
  readonly options: Options
  readonly faults?: Faults
}

/** A choice with its label, hint and error. */
export function SelectField({ id, name = id, label, hint, value, options, faults = {} }: SelectFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={faults[id]}>
      <select id={id} name={name} {...describedBy(id, faults, hint !== undefined)}>
        {options.map(([option, words]) => (
          <option value={option} selected={option === value}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  )
}

/** Options that are called what they are. */
export function optionsOf(values: readonly string[]): Options {
  return values.map((value) => [value, value])
}
