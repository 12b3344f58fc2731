import type { Child } from 'hono/jsx'
import { Form } from './layout.tsx'
import { Field } from './parts.tsx'
import type { View } from './view.ts'

interface ConfirmProps {
  readonly view: View
  readonly action: string
  /** Opens the question. */
  readonly summary: string
  /** What has to be typed. The route compares it again. */
  readonly name: string
  /** What that is: `the name of the unit`. */
  readonly what: string
  readonly button: string
  readonly error?: string | undefined
  readonly hidden?: Readonly<Record<string, string>>
  /** What it does, and further fields. */
  readonly children?: Child
}

/** Asks for the name of what is about to be deleted. The field is `confirm`. Works without JavaScript. */
export function ConfirmByName(props: ConfirmProps) {
  const { view, action, summary, name, what, button, error, hidden = {}, children } = props
  const id = `confirm-${summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  return (
    <details class="more" open={error !== undefined}>
      <summary class="danger">{summary}</summary>
      <Form view={view} action={action} class="form">
        {Object.entries(hidden).map(([of, value]) => (
          <input type="hidden" name={of} value={value} />
        ))}
        {children}
        <Field id={id} label={`Type ${what} to confirm`} hint={name} error={error}>
          <input
            type="text"
            id={id}
            name="confirm"
            class="mono"
            autocomplete="off"
            spellcheck={false}
            required
            aria-describedby={error === undefined ? `${id}-hint` : `${id}-hint ${id}-error`}
            {...(error === undefined ? {} : { 'aria-invalid': 'true' as const })}
          />
        </Field>
        <div>
          <button class="button danger" type="submit">
            {button}
          </button>
        </div>
      </Form>
    </details>
  )
}
