import type { Team } from '../../../../../access/index.ts'
import type { Faults } from '../../shell/faults.ts'
import { TextArea } from '../../shell/form/text-area.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
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
      <TextField
        id="name"
        label="Name"
        hint="Letters, digits, - and _. Roles stay with the team when its name changes."
        value={input.name}
        faults={faults}
        isRequired
        isReadonly={isNameFixed === true}
      />
      <TextField
        id="description"
        label="Description"
        hint="What it is for."
        value={input.description}
        faults={faults}
        most={500}
      />
      <TextArea
        id="groups"
        label="Groups of sign-in providers"
        hint="One on each line, such as okta/platform. Members of the groups are in the team."
        value={input.groups}
        faults={faults}
        isMono
      />
      <div>
        <button class="button primary" type="submit">
          {button}
        </button>
      </div>
    </Form>
  )
}
