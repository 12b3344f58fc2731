import type { World } from './wiring.ts'

/** These hold the keys to the control plane, or say where they are. */
const STRONG = ['TACO_TOKEN', 'TACO_TOKEN_FILE', 'TACO_ROOT_TOKEN']

/**
 * The environment for a child process: it needs the backend, not the keys to the control plane. `token` is the caller's
 * own, which may also be there under another name.
 */
export function childEnv(env: World['env'], token?: string): Record<string, string> {
  const secrets = new Set([token, env['TACO_TOKEN'], env['TACO_ROOT_TOKEN']])
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    const isStrong = STRONG.includes(name) || (value !== '' && secrets.has(value))
    if (value !== undefined && !isStrong && !name.startsWith('TF_HTTP_')) kept[name] = value
  }
  return kept
}
