import type { Child } from 'hono/jsx'
import { badRequest } from '../../../../base/errors.ts'
import type { Faults } from './faults.ts'
import { Field, describedBy } from './form/field.tsx'
import { Form } from './layout.tsx'
import type { View } from './view.ts'

interface ConfirmProps {
  readonly view: View
  /** Where the form goes. It has a field `confirm`. */
  readonly action: string
  /** What it does: the label of the button. */
  readonly label: string
  /** What has to be typed. */
  readonly word: string
  readonly faults?: Faults
  /** What follows from it, and hidden fields. */
  readonly children?: Child
}

/** A dangerous action behind a name that has to be typed. Works without JavaScript. */
export function Confirm({ view, action, label, word, faults = {}, children }: ConfirmProps) {
  return (
    <details class="more" open={faults['confirm'] !== undefined}>
      <summary>{label}</summary>
      <Form view={view} action={action} class="form">
        {children}
        <Field id="confirm" label={`Type ${word} to confirm`} error={faults['confirm']}>
          <input
            type="text"
            id="confirm"
            name="confirm"
            required
            autocomplete="off"
            {...describedBy('confirm', faults)}
          />
        </Field>
        <div>
          <button class="button primary danger" type="submit">
            {label}
          </button>
        </div>
      </Form>
    </details>
  )
}

interface ConfirmRowProps {
  readonly view: View
  readonly action: string
  /** One word, such as `Revoke`. */
  readonly label: string
  /** What the button does, such as `Revoke the token laptop`. */
  readonly button: string
  /** What follows from it, and hidden fields. */
  readonly children?: Child
}

/** In a row of a list: opened first, then carried out. Works without JavaScript. */
export function ConfirmRow({ view, action, label, button, children }: ConfirmRowProps) {
  return (
    <details class="more confirm-row">
      <summary aria-label={button}>{label}</summary>
      <Form view={view} action={action}>
        {children}
        <button class="button small danger" type="submit">
          {button}
        </button>
      </Form>
    </details>
  )
}

/** Refuses what was not confirmed. */
export function checkConfirmed(typed: string, word: string): void {
  if (typed.trim() !== word) throw badRequest('confirm', `This is not the name. Type ${word}.`)
}
