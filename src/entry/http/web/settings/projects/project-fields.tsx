import type { Faults } from '../../shell/faults.ts'
import { TextArea } from '../../shell/form/text-area.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import type { ProjectInput } from './project-form.ts'

/** For a new project and for one that is changed. */
export function ProjectFields({ input, faults }: { readonly input: ProjectInput; readonly faults: Faults }) {
  return (
    <>
      <TextField
        id="name"
        label="Name"
        hint="1 to 40 letters, digits, spaces, - and _."
        value={input.name}
        faults={faults}
        isRequired
      />
      <TextField
        id="description"
        label="Description"
        hint="What it is for."
        value={input.description}
        faults={faults}
      />
      <TextArea
        id="labels"
        label="Labels"
        hint="One on each line: name=value. Workspaces of the project have these tags as well."
        value={input.labels}
        faults={faults}
        isMono
      />
    </>
  )
}
