import type { Project } from '../../../../projects/index.ts'
import type { Faults } from '../shell/faults.ts'
import { Field, describedBy } from '../shell/parts.tsx'
import type { SetInput } from './set-form.ts'
import { Check } from './variable-form.tsx'

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
      <Field id="name" label="Name" hint="Such as aws or defaults." error={faults['name']}>
        <input
          type="text"
          id="name"
          name="name"
          value={input.name}
          maxlength={90}
          autocomplete="off"
          required
          {...describedBy('name', faults)}
        />
      </Field>
      <Field id="description" label="Description" hint="What it is for." error={faults['description']}>
        <input
          type="text"
          id="description"
          name="description"
          value={input.description}
          {...describedBy('description', faults)}
        />
      </Field>
      {isNew && (projects.length > 1 || faults['owner'] !== undefined) && (
        <Field
          id="owner"
          label="Owner"
          hint="The set of a project is only for its units, and ends with it."
          error={faults['owner']}
        >
          <select id="owner" name="owner" {...describedBy('owner', faults)}>
            <option value="">The organization</option>
            {projects.map(({ id, name }) => (
              <option value={id} selected={id === input.owner}>
                Project {name}
              </option>
            ))}
          </select>
        </Field>
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
        <Field id="units" label="Units" hint="Names, separated by spaces or lines." error={faults['units']}>
          <textarea id="units" name="units" class="mono" rows={3} {...describedBy('units', faults)}>
            {`\n${input.units}`}
          </textarea>
        </Field>
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
