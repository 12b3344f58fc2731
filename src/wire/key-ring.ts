import { commandKeys } from '../access/secrets/adapters/command/command.ts'
import { environmentKeys } from '../access/secrets/adapters/environment/environment.ts'
import { fileKeys } from '../access/secrets/adapters/file/file.ts'
import { type KeyRing, type KeySource, keyRingFrom } from '../access/index.ts'
import { badRequest } from '../base/errors.ts'
import type { Log } from '../base/log.ts'

export interface KeyRingOptions {
  readonly secretKeyFile?: string | undefined
  readonly secretKeyCommand?: string | undefined
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * The keys of a server that keeps secrets. Without a key, its start fails. Whether they are those of the bucket is
 * checked when the bucket is open (`checkKeyRing`).
 */
export async function openKeyRing(
  options: KeyRingOptions,
  env: Env,
  log: Pick<Log, 'warn'>,
): Promise<KeyRing> {
  const sources = sourcesOf(options, env, log)
  const [source, another] = sources
  if (source === undefined)
    throw badRequest(
      'secretKey',
      'The secret key is missing. It protects the secrets that this server stores in the bucket.',
      'Create one with `taco secret-key new`, keep a copy in a safe place, and set TACO_SECRET_KEY, --secret-key-file or --secret-key-command.',
    )
  if (another !== undefined)
    throw badRequest(
      'secretKey',
      `The secret keys come from several places: ${sources.map(({ label }) => label).join(' and ')}.`,
      'Put all keys in one place, the current one first.',
    )
  return keyRingFrom(source)
}

/** Undefined: no key is configured. */
export async function openKeyRingIfAny(
  options: KeyRingOptions,
  env: Env,
  log: Pick<Log, 'warn'>,
): Promise<KeyRing | undefined> {
  return sourcesOf(options, env, log).length === 0 ? undefined : openKeyRing(options, env, log)
}

function sourcesOf(options: KeyRingOptions, env: Env, log: Pick<Log, 'warn'>): readonly KeySource[] {
  const { TACO_SECRET_KEY: value, TACO_ROOT_TOKEN: _, ...others } = env
  const { secretKeyFile: file, secretKeyCommand: command } = options
  return [
    ...(value ? [environmentKeys('TACO_SECRET_KEY', value)] : []),
    ...(file ? [fileKeys(file, log.warn)] : []),
    ...(command ? [commandKeys(command, { env: others })] : []),
  ]
}
