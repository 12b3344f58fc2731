import type { Child } from 'hono/jsx'
import type { Faults } from '../shell/faults.ts'
import { Field, describedBy } from '../shell/form/field.tsx'
import { Form } from '../shell/layout.tsx'
import type { OrgView } from '../shell/view.ts'

interface ConfirmDeleteProps {
  readonly view: OrgView
  readonly action: string
  /** What is deleted: `the module network/aws`. */
  readonly what: string
  /** What must be typed. */
  readonly name: string
  /** What happens then. */
  readonly children?: Child
  /** Given: the form was sent with another name. */
  readonly faults?: Faults | undefined
}

/** Deletes something after its name was typed. It opens without JavaScript. */
export function ConfirmDelete({ view, action, what, name, children, faults = {} }: ConfirmDeleteProps) {
  const id = `confirm-${name.replaceAll(/[^\w-]/g, '-')}`
  const fault = faults[confirmKey(name)]
  return (
    <details class="more" open={fault !== undefined}>
      <summary>Delete {what}</summary>
      <Form view={view} action={action} class="form">
        {children}
        <Field id={id} label="Name" hint={`Type ${name} to confirm.`} error={fault}>
          <input
            id={id}
            type="text"
            name="confirm"
            class="mono"
            autocomplete="off"
            required
            {...describedBy(id, fault === undefined ? {} : { [id]: fault })}
          />
        </Field>
        <div>
          <button class="button primary danger" type="submit">
            Delete {what}
          </button>
        </div>
      </Form>
    </details>
  )
}

const confirmKey = (name: string) => `confirm:${name}`

/** What is wrong with what was typed. Undefined: it is the name. Pure. */
export function confirmFaults(typed: string, name: string): Faults | undefined {
  if (typed.trim() === name) return undefined
  return { [confirmKey(name)]: `This is not the name. Nothing was deleted.` }
}
