/** These hold the keys to the control plane, or say where they are. */
const STRONG = [
  'TACO_TOKEN',
  'TACO_TOKEN_FILE',
  'TACO_ROOT_TOKEN',
  'TACO_SECRET_KEY',
  'TACO_SECRET_KEY_FILE',
  'TACO_SECRET_KEY_COMMAND',
]

/** Of a secret key (`<id>:<key>`); the key itself is longer. */
const MAX_ID = 32

/**
 * The environment for a child process: it needs the backend, not the keys to the control plane. `token` is the caller's
 * own, which may also be there under another name.
 */
export function childEnv(
  env: Readonly<Record<string, string | undefined>>,
  token?: string,
): Record<string, string> {
  const keys = env['TACO_SECRET_KEY']?.split(/[\s,:]+/).filter((part) => part.length > MAX_ID) ?? []
  const secrets = [token, env['TACO_TOKEN'], env['TACO_ROOT_TOKEN'], ...keys].filter(
    (secret) => secret !== undefined,
  )
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || name.startsWith('TF_HTTP_') || STRONG.includes(name)) continue
    if (!secrets.some((secret) => holds(value, secret.trim()))) kept[name] = value
  }
  return kept
}

/** A shorter one may be part of anything. Secrets that cannot be guessed are longer. */
const MIN_PART = 16

/** Alone, within a header, a URL or an argument, or in the base64 of HTTP Basic. */
function holds(value: string, secret: string): boolean {
  if (secret.length < MIN_PART) return secret !== '' && value.trim() === secret
  if (value.includes(secret) || value.includes(encodeURIComponent(secret))) return true
  const words = value.match(/[A-Za-z0-9+/_-]{16,}/g) ?? []
  return words.some((word) => Buffer.from(word, 'base64').includes(secret))
}
