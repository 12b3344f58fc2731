import type { Child } from 'hono/jsx'
import { badRequest } from '../../../../base/errors.ts'
import type { Faults } from './faults.ts'
import { TextField } from './form/text-field.tsx'
import { Form } from './layout.tsx'
import type { View } from './view.ts'

interface ConfirmFieldProps {
  /** What has to be typed. */
  readonly word: string
  /** What was typed. */
  readonly typed?: string
  readonly faults?: Faults | undefined
  /** Where a page has several: `confirmId(word)`. */
  readonly id?: string
}

/** What cannot be taken back is confirmed by typing the name of what it is about. */
export function ConfirmField({ word, typed = '', faults = {}, id = 'confirm' }: ConfirmFieldProps) {
  return (
    <TextField
      id={id}
      name="confirm"
      label={`Type ${word} to confirm`}
      value={typed}
      faults={faults}
      isRequired
      isMono
    />
  )
}

interface ConfirmProps extends ConfirmFieldProps {
  readonly view: View
  /** Where the form goes. It has a field `confirm`. */
  readonly action: string
  /** What it does. */
  readonly label: string
  /** Default: the label. */
  readonly button?: string
  /** What follows from it, and further fields. */
  readonly children?: Child
}

/** A dangerous action behind a name that has to be typed. Works without JavaScript. */
export function Confirm({ view, action, label, button = label, children, ...field }: ConfirmProps) {
  const { id = 'confirm', faults = {} } = field
  return (
    <details class="more" open={faults[id] !== undefined}>
      <summary>{label}</summary>
      <Form view={view} action={action} class="form">
        {children}
        <ConfirmField {...field} />
        <div>
          <button class="button primary danger" type="submit">
            {button}
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

/** The field for one of several things on a page. */
export function confirmId(word: string): string {
  return `confirm-${word.replaceAll(/[^\w-]/g, '-')}`
}

/** Refuses what was not confirmed, at the field with this id. */
export function checkConfirmed(typed: string, word: string, id = 'confirm'): void {
  if (typed.trim() !== word) throw badRequest(id, `This does not match. Type ${word} to confirm.`)
}
