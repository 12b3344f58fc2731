import { z } from 'zod'
import { badRequest } from '../../../../../base/errors.ts'
import type { Project } from '../../../../../projects/index.ts'

/** As it was typed. */
export interface ProjectInput {
  readonly name: string
  readonly description: string
  /** One `name=value` or `name` on each line. */
  readonly labels: string
}

export const PROJECT_FIELDS = ['name', 'description', 'labels'] as const
export const NEW_PROJECT: ProjectInput = { name: '', description: '', labels: '' }

const typed = z.string().trim().default('')
export const projectFields = { name: typed, description: typed, labels: typed }

export function inputOf({ name, description, labels }: Project): ProjectInput {
  return { name, description, labels: sayLabels(labels, '\n') }
}

/** Throws BAD_REQUEST with the field. Pure. */
export function projectIn({
  name,
  description,
  labels,
}: ProjectInput): Pick<Project, 'name' | 'description' | 'labels'> {
  if (description.length > 2000)
    throw badRequest('description', 'The description is longer than 2,000 characters.', 'Shorten it.')
  return { name, description, labels: labelsIn(labels) }
}

/** Unlike labels of units, those of projects may have no value. */
function labelsIn(text: string): Readonly<Record<string, string>> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [label = '', ...value] = line.split('=')
      if (label.trim() === '')
        throw badRequest('labels', `"${line}" does not have the form name=value.`, 'Write team=network.')
      return [label.trim(), value.join('=').trim()]
    }),
  )
}

export function sayLabels(labels: Readonly<Record<string, string>>, between = ' '): string {
  return Object.entries(labels)
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
    .join(between)
}
