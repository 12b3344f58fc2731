import { z } from 'zod'
import type { WorkspaceSettings } from '../../../../projects/index.ts'
import { toOne } from '../kit/body.ts'
import { camelKeys } from '../kit/case.ts'

const Text = z.string().max(2_000).nullish()
const Flag = z.boolean().nullish()
const Texts = z.array(z.string().max(2_000)).max(500).nullish()

const VcsRepo = z.object({
  identifier: z.string().min(1).max(500),
  branch: Text,
  'ingress-submodules': Flag,
  'oauth-token-id': Text,
  'github-app-installation-id': Text,
  'tags-regex': Text,
})

/** Settings of a workspace in a request. What is left out stays as it is; null goes back to the default. */
export const settingAttributes = {
  'execution-mode': z.enum(['remote', 'local', 'agent']).nullish(),
  /** What the execution mode was called before. */
  operations: Flag,
  'agent-pool-id': Text,
  'terraform-version': Text,
  'working-directory': Text,
  'auto-apply': Flag,
  'auto-apply-run-trigger': Flag,
  'allow-destroy-plan': Flag,
  'assessments-enabled': Flag,
  'auto-destroy-at': z.iso.datetime({ offset: true }).nullish(),
  'auto-destroy-activity-duration': z
    .string()
    .regex(/^\d{1,4}[dh]$/, 'must be a number of days or hours, such as 14d')
    .nullish(),
  'inherits-project-auto-destroy': Flag,
  'file-triggers-enabled': Flag,
  'global-remote-state': Flag,
  'project-remote-state': Flag,
  'queue-all-runs': Flag,
  'speculative-enabled': Flag,
  'structured-run-output-enabled': Flag,
  'trigger-prefixes': Texts,
  'trigger-patterns': Texts,
  'vcs-repo': VcsRepo.nullish(),
  'source-name': Text,
  'source-url': Text,
  'setting-overwrites': z.object({ 'execution-mode': Flag, 'agent-pool': Flag }).nullish(),
}
type SettingAttributes = z.infer<z.ZodObject<typeof settingAttributes>>

const Tag = z.object({ attributes: z.object({ name: z.string().min(1) }) })
const Binding = z.object({
  attributes: z.object({ key: z.string().min(1), value: z.string().nullish() }),
})
/** Labels by tags without a value, as requests list them. */
export const Tags = z
  .object({ data: z.array(Tag).max(100) })
  .transform(({ data }) => Object.fromEntries(data.map(({ attributes }) => [attributes.name, ''])))
/** Labels, as requests list them. */
export const TagBindings = z
  .object({ data: z.array(Binding).max(100) })
  .transform(({ data }) =>
    Object.fromEntries(data.map(({ attributes: { key, value } }) => [key, value ?? ''])),
  )

export const settingRelationships = { project: toOne('projects'), tags: Tags, 'tag-bindings': TagBindings }

/** What a request makes of the settings. `project`: undefined stays as it is. Pure. */
export function changedSettings(
  current: WorkspaceSettings,
  attributes: SettingAttributes,
  project: string | undefined,
): WorkspaceSettings {
  const {
    'execution-mode': mode,
    operations,
    'agent-pool-id': pool,
    'vcs-repo': repo,
    'setting-overwrites': overwrites,
    ...others
  } = attributes
  const wantedMode = mode ?? (operations == null ? undefined : operations ? 'remote' : 'local')
  const executionMode =
    overwrites?.['execution-mode'] === false || mode === null
      ? undefined
      : (wantedMode ?? current.executionMode)
  const isPoolTaken = overwrites?.['agent-pool'] === false || pool === null || pool === ''
  return {
    ...current,
    ...without(current, camelKeys(others)),
    executionMode,
    agentPool: isPoolTaken ? undefined : (pool ?? current.agentPool),
    ...(repo === undefined ? {} : { vcsRepo: repo === null ? undefined : withoutNulls(camelKeys(repo)) }),
    ...(project === undefined ? {} : { project }),
  } as WorkspaceSettings
}

/** What is left out stays as it is, null takes it away. */
function without(current: WorkspaceSettings, given: Readonly<Record<string, unknown>>): WorkspaceSettings {
  const all = Object.entries(given).filter(([, value]) => value !== undefined)
  return {
    ...current,
    ...Object.fromEntries(all.map(([name, value]) => [name, value === null ? undefined : value])),
  }
}

function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}
