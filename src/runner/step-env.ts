import { memoryEnv } from '../engines/index.ts'
import { backendEnv, backendUrl } from '../entry/cli/commands/state/backend-block.ts'
import { tfvars } from '../entry/cli/commands/project/inputs.ts'
import type { RunBackend } from '../entry/cli/api/run-backend.ts'
import type { World } from '../entry/cli/world.ts'

export interface StepEnv {
  /** The run token. */
  readonly token: string | undefined
  readonly org: string
  readonly unit: string
  /** The lock that the step holds; null: the engine takes its own. */
  readonly lock: string | null
  /** How many engines run at once. */
  readonly jobs: number
}

/**
 * What the engine of a step finds in its environment. Where the step holds the lock, the engine writes under that and
 * takes none: so a worker that was given up cannot write any more, and a lock never outlives its worker for long.
 */
export function stepEnv(
  world: World,
  backend: Pick<RunBackend, 'url' | 'env'>,
  step: StepEnv,
): Record<string, string> {
  const url = backendUrl(backend.url, step.org, step.unit)
  const env: Record<string, string> = {
    ...backend.env,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    ...memoryEnv(world.env, { freeBytes: world.freeMemory(), jobs: step.jobs }),
    // A server that is started anew is away for a while; an apply has more patience than a person.
    TF_HTTP_RETRY_MAX: world.env['TF_HTTP_RETRY_MAX'] ?? '6',
    ...backendEnv(url, step.token),
  }
  if (step.lock === null) return env
  env['TF_HTTP_ADDRESS'] = `${url}?ID=${encodeURIComponent(step.lock)}`
  delete env['TF_HTTP_LOCK_ADDRESS']
  delete env['TF_HTTP_UNLOCK_ADDRESS']
  return env
}

/**
 * Variables of taco.yaml and inputs (JSON text) as a variable file, which is given last: it is stronger than any other
 * file and than the environment, and values keep their types whatever the code says of the variable.
 */
export function variablesText(
  variables: Readonly<Record<string, unknown>>,
  inputs: Readonly<Record<string, string>>,
): string | undefined {
  const own = Object.entries(variables).map(([name, value]) => [name, JSON.stringify(value)] as const)
  const all = { ...Object.fromEntries(own), ...inputs }
  return Object.keys(all).length === 0 ? undefined : tfvars(all)
}

/** Variables that come with the environment count as much as those in files. */
export function variablesIn(env: World['env']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^TF_(VAR_|CLI_ARGS|WORKSPACE$)/.test(name)),
  )
}
