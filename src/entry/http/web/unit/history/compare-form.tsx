import type { Child } from 'hono/jsx'
import { unitPath } from '../../shell/addresses.ts'
import type { Faults } from '../../shell/faults.ts'
import { TextField } from '../../shell/form/text-field.tsx'
import type { UnitPage } from '../frame.tsx'

interface CompareFormProps {
  readonly page: UnitPage
  readonly from: string
  readonly to: string
  readonly faults?: Faults
  readonly children?: Child
}

const ENDS = [
  ['from', 'From version'],
  ['to', 'To version'],
] as const

/** For any two versions, on whichever page of the history they are. */
export function CompareForm({ page: { view, unit }, faults = {}, children, ...ends }: CompareFormProps) {
  return (
    <form class="bar filters" action={unitPath(view.org.base, unit.name, 'diff')}>
      {ENDS.map(([name, label]) => (
        <TextField
          id={name}
          label={label}
          hint="Number, id, current or previous"
          value={ends[name]}
          faults={faults}
        />
      ))}
      <button class="button" type="submit">
        Compare
      </button>
      {children}
    </form>
  )
}
