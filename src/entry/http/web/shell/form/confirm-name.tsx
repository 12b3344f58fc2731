import { badRequest } from '../../../../../base/errors.ts'
import type { Faults } from '../faults.ts'
import { TextField } from './text-field.tsx'

interface ConfirmNameProps {
  readonly name: string
  /** What was typed. */
  readonly typed?: string
  readonly faults: Faults
}

/** What cannot be taken back is confirmed by typing the name of what it is about. */
export function ConfirmName({ name, typed = '', faults }: ConfirmNameProps) {
  return (
    <TextField
      id="confirm"
      label="Name, to confirm"
      hint={`Type ${name}.`}
      value={typed}
      faults={faults}
      isRequired
    />
  )
}

export function checkTyped(typed: string, name: string): void {
  if (typed !== name) throw badRequest('confirm', `That is not the name. Type ${name} to confirm.`)
}
