import { backendUrl, memoryEnv } from '../engines/index.ts'
import { backendEnv } from './backend-env.ts'
import type { Machine } from './host/machine.ts'
import type { StateBackend } from './needs.ts'

export interface StepEnv {
  /** The run token. */
  readonly token: string | undefined
  readonly org: string
  readonly unit: string
  /** The lock that the step holds; null: the engine takes its own. */
  readonly lock: string | null
  /** How many engines run at once. */
  readonly jobs: number
  /** Of the unit. Stronger than those of this machine. */
  readonly variables?: Readonly<Record<string, string>>
}

/**
 * The environment of a step's engine. Where the step holds the lock, the engine writes under that lock and takes none
 * of its own: a worker that lost its step can no longer write, and a lock never outlives its worker for long.
 */
export function stepEnv(
  machine: Machine,
  backend: Pick<StateBackend, 'url' | 'env'>,
  step: StepEnv,
): Record<string, string> {
  const url = backendUrl(backend.url, step.org, step.unit)
  const env: Record<string, string> = {
    ...backend.env,
    ...step.variables,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    ...memoryEnv(machine.env, { freeBytes: machine.freeMemory(), jobs: step.jobs }),
    // A restarting server is away for a while; an apply has more patience than a person.
    TF_HTTP_RETRY_MAX: machine.env['TF_HTTP_RETRY_MAX'] ?? '6',
    ...backendEnv(url, step.token),
  }
  if (step.lock === null) return env
  env['TF_HTTP_ADDRESS'] = `${url}?ID=${encodeURIComponent(step.lock)}`
  delete env['TF_HTTP_LOCK_ADDRESS']
  delete env['TF_HTTP_UNLOCK_ADDRESS']
  return env
}
