import type { Child } from 'hono/jsx'
import { WithCode } from '../parts.tsx'
import type { Faults } from '../faults.ts'

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly children?: Child
}

/** A label, its control, and what belongs to it. The control refers to them by `describedBy`. */
export function Field({ id, label, hint, error, children }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {error !== undefined && (
        <span class="error" id={`${id}-error`}>
          <WithCode>{error}</WithCode>
        </span>
      )}
    </div>
  )
}

/**
 * Ties a control to its hint and its error, for those who cannot see that they belong together. The first control with
 * an error has the focus.
 */
export function describedBy(id: string, faults: Faults, hasHint = true) {
  const isWrong = faults[id] !== undefined
  const ids = [...(hasHint ? [`${id}-hint`] : []), ...(isWrong ? [`${id}-error`] : [])]
  return {
    'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
    ...(isWrong ? { 'aria-invalid': 'true' as const, autofocus: true } : {}),
  }
}
