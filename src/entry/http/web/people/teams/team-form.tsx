import type { Team } from '../../../../../access/index.ts'
import type { Faults } from '../../shell/faults.ts'
import { Form } from '../../shell/layout.tsx'
import { Field, describedBy } from '../../shell/parts.tsx'
import type { OrgView } from '../../shell/view.ts'

/** The form of a team as it was filled in. */
export interface TeamInput {
  readonly name: string
  readonly description: string
  /** One on each line: names of groups may have spaces. */
  readonly groups: string
}

export const NEW_TEAM: TeamInput = { name: '', description: '', groups: '' }

export function teamInputOf({ name, description = '', groups }: Team): TeamInput {
  return { name, description, groups: groups.join('\n') }
}

/** Pure. */
export function groupsIn({ groups }: Pick<TeamInput, 'groups'>): readonly string[] {
  return groups
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

interface TeamFormProps {
  readonly view: OrgView
  readonly action: string
  readonly input: TeamInput
  readonly faults: Faults
  /** Of the team that is changed. Undefined: a new team. */
  readonly etag?: string
  /** True: every organization has it, so its name stays. */
  readonly isNameFixed?: boolean
  readonly button: string
}

export function TeamForm({ view, action, input, faults, etag, isNameFixed, button }: TeamFormProps) {
  return (
    <Form view={view} action={action} class="form">
      {etag !== undefined && <input type="hidden" name="etag" value={etag} />}
      <Field
        id="name"
        label="Name"
        hint="Letters, digits, - and _. Roles stay with the team when its name changes."
        error={faults['name']}
      >
        <input
          type="text"
          id="name"
          name="name"
          value={input.name}
          required
          readonly={isNameFixed === true}
          autocomplete="off"
          {...describedBy('name', faults)}
        />
      </Field>
      <Field id="description" label="Description" hint="What it is for." error={faults['description']}>
        <input
          type="text"
          id="description"
          name="description"
          value={input.description}
          maxlength={500}
          {...describedBy('description', faults)}
        />
      </Field>
      <Field
        id="groups"
        label="Groups of sign-in providers"
        hint="One on each line, such as okta/platform. Members of the groups are in the team."
        error={faults['groups']}
      >
        <textarea id="groups" name="groups" rows={3} class="mono" {...describedBy('groups', faults)}>
          {input.groups}
        </textarea>
      </Field>
      <div>
        <button class="button primary" type="submit">
          {button}
        </button>
      </div>
    </Form>
  )
}
