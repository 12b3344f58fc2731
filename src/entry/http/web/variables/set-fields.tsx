import type { Project } from '../../../../projects/index.ts'
import type { Faults } from '../shell/faults.ts'
import { Check } from '../shell/form/check.tsx'
import { SelectField } from '../shell/form/select-field.tsx'
import { TextArea } from '../shell/form/text-area.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import type { SetInput } from './set-form.ts'

interface SetFieldsProps {
  readonly input: SetInput
  readonly faults: Faults
  readonly projects: readonly Project[]
  /** An existing set keeps its owner. */
  readonly isNew: boolean
}

/** The fields of a variable set, for a new one and for one that is changed. */
export function SetFields({ input, faults, projects, isNew }: SetFieldsProps) {
  return (
    <>
      {!isNew && <input type="hidden" name="tag" value={input.tag} />}
      <TextField
        id="name"
        label="Name"
        hint="Such as aws or defaults."
        value={input.name}
        faults={faults}
        most={90}
        isRequired
      />
      <TextField
        id="description"
        label="Description"
        hint="What it is for."
        value={input.description}
        faults={faults}
      />
      {isNew && (projects.length > 1 || faults['owner'] !== undefined) && (
        <SelectField
          id="owner"
          label="Owner"
          hint="The set of a project is only for its units, and ends with it."
          value={input.owner}
          options={[
            ['', 'The organization'],
            ...projects.map(({ id, name }) => [id, `Project ${name}`] as const),
          ]}
          faults={faults}
        />
      )}
      <Check
        id="global"
        label={isNew || input.owner === '' ? 'For every unit' : 'For every unit of its project'}
        isOn={input.global}
      />
      <ProjectChoice input={input} faults={faults} projects={projects} isNew={isNew} />
      {input.units === undefined ? (
        <p class="hint">
          Many units are attached to it by name. Change them with <code>taco varset attach</code> and{' '}
          <code>taco varset detach</code>.
        </p>
      ) : (
        <TextArea
          id="units"
          label="Units"
          hint="Names, separated by spaces or lines."
          value={input.units}
          faults={faults}
          isMono
        />
      )}
      <Check id="priority" label="Overrides everything, variables of units included" isOn={input.priority} />
    </>
  )
}

/** A set of a project has no others to choose. */
function ProjectChoice({ input, faults, projects, isNew }: SetFieldsProps) {
  const error = faults['projects']
  const offered = isNew || input.owner === '' ? projects : projects.filter(({ id }) => id === input.owner)
  return (
    <fieldset {...(error === undefined ? {} : { 'aria-describedby': 'projects-error' })}>
      <legend>Projects</legend>
      <div class="choices">
        {offered.map(({ id, name }) => (
          <label>
            <input type="checkbox" name="projects" value={id} checked={input.projects.includes(id)} /> {name}
          </label>
        ))}
      </div>
      {error !== undefined && (
        <span class="error" id="projects-error">
          {error}
        </span>
      )}
    </fieldset>
  )
}
