import type { Faults } from '../shell/faults.ts'
import { Field, describedBy } from '../shell/parts.tsx'
import type { SetInput } from './set-form.ts'

/** The fields of a variable set, for a new one and for one that is changed. */
export function SetFields({ input, faults }: { readonly input: SetInput; readonly faults: Faults }) {
  return (
    <>
      <Field id="name" label="Name" hint="Such as aws or defaults." error={faults['name']}>
        <input
          type="text"
          id="name"
          name="name"
          value={input.name}
          maxlength={90}
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
      <Field id="units" label="Units" hint="Names, separated by spaces or lines." error={faults['units']}>
        <textarea id="units" name="units" rows={2} {...describedBy('units', faults)}>
          {`\n${input.units}`}
        </textarea>
      </Field>
      <Field id="projects" label="Projects" hint="One in each line." error={faults['projects']}>
        <textarea id="projects" name="projects" rows={2} {...describedBy('projects', faults)}>
          {`\n${input.projects}`}
        </textarea>
      </Field>
      <Check id="global" label="For every unit" isOn={input.global} />
      <Check id="priority" label="Overrides everything, variables of units included" isOn={input.priority} />
    </>
  )
}

export function Check({ id, label, isOn }: { id: string; label: string; isOn: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" id={id} name={id} value="on" checked={isOn} /> {label}
    </label>
  )
}
