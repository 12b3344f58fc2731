import { z } from 'zod'
import { badRequest } from '../../../../../base/errors.ts'
import { type WorkspaceSettings, projectIdOf, settingsOf } from '../../../../../projects/index.ts'
import type { UnitView } from '../../../../../state/index.ts'
import { countIn } from '../../settings/limits-form.ts'
import { checked } from '../../variables/save-variable.ts'

const text = z.string().trim().default('')

/** What each form of the settings sends. */
export const settingsFields = {
  about: {
    description: text,
    /** One `name=value` on each line. */
    labels: z.string().default(''),
  },
  name: { name: text },
  project: { project: text },
  retention: { rule: z.enum(['organization', 'own']).catch('organization'), count: text, days: text },
  encryption: { allowDecrypt: checked },
  execution: {
    executionMode: z.enum(['', 'local', 'remote', 'agent']).catch(''),
    terraformVersion: text,
    workingDirectory: text,
    autoApply: checked,
  },
} as const

type Fields = typeof settingsFields
export type InputForm = keyof Fields
export type Inputs = { readonly [F in InputForm]: z.output<z.ZodObject<Fields[F]>> }

export function inputsOf(unit: UnitView): Inputs {
  const { description, labels, name, retention, allowDecrypt } = unit
  const { executionMode = '', terraformVersion = '', workingDirectory = '', autoApply } = settingsOf(unit)
  const mode = settingsFields.execution.executionMode.parse(executionMode)
  return {
    about: { description, labels: labelLines(labels).join('\n') },
    name: { name },
    project: { project: projectIdOf(unit) },
    retention: {
      rule: retention === null ? 'organization' : 'own',
      count: String(retention?.count ?? ''),
      days: String(retention?.days ?? ''),
    },
    encryption: { allowDecrypt },
    execution: { executionMode: mode, terraformVersion, workingDirectory, autoApply: autoApply === true },
  }
}

export function labelLines(labels: UnitView['labels']): readonly string[] {
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`)
}

/** Throws BAD_REQUEST for a line without `=`. Pure. */
export function labelsIn(given: string): Readonly<Record<string, string>> {
  const lines = given
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      if (at < 1)
        throw badRequest('labels', `"${line}" does not have the form name=value.`, 'Write team=network.')
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

/** Null: to be removed. Pure. */
export function changeOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...after }
}

/** Null: as the organization says. Without both numbers, everything stays. Pure. */
export function retentionIn({ rule, count, days }: Inputs['retention']): UnitView['retention'] {
  if (rule === 'organization') return null
  const [versions, age] = [countIn('count', count, 1), countIn('days', days, 1)]
  return { ...(versions === null ? {} : { count: versions }), ...(age === null ? {} : { days: age }) }
}

/** What is left empty goes back to the default. Pure. */
export function executionIn(before: WorkspaceSettings, given: Inputs['execution']): WorkspaceSettings {
  const { executionMode, terraformVersion, workingDirectory, autoApply } = given
  for (const [field, value] of Object.entries({ terraformVersion, workingDirectory }))
    if (value.length > 2_000) throw badRequest(field, 'It is longer than 2,000 characters.')
  return {
    ...before,
    executionMode: executionMode === '' ? undefined : executionMode,
    terraformVersion: terraformVersion === '' ? undefined : terraformVersion,
    workingDirectory: workingDirectory === '' ? undefined : workingDirectory,
    autoApply: autoApply ? true : undefined,
  }
}
