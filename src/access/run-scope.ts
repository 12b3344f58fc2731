/** The unit that a run token is for. */
export interface RunScope {
  readonly org: string
  readonly unit: {
    /** Null: the unit did not exist when the token was issued. The run creates it. */
    readonly id: string | null
    readonly name: string
  }
}

/** Longer than any pause between two renewals; an upper bound for what is left after a crash. */
export const MAX_TTL_MS = 24 * 3_600_000

/** Whether a name or an id means the unit of the token. */
export function isOwn({ unit }: RunScope, nameOrId: string): boolean {
  return nameOrId === unit.name || nameOrId === unit.id
}

/**
 * `taco_run_<organization>.<id>.<secret>`: recognisable for secret scanners. The id names the record, so that a server
 * finds it with one read; only the secret is secret.
 */
const FORM = /^taco_run_([a-z0-9_-]{1,40})\.([0-9A-Za-z]{16})\.([\w-]{43})$/

export function isRunToken(text: string): boolean {
  return FORM.test(text)
}

export function runTokenText(org: string, id: string, secret: string): string {
  return `taco_run_${org}.${id}.${secret}`
}

export interface RunTokenParts {
  readonly org: string
  readonly id: string
  readonly secret: string
}

export function readRunToken(text: string): RunTokenParts | undefined {
  const match = FORM.exec(text)
  if (match === null) return undefined
  return { org: String(match[1]), id: String(match[2]), secret: String(match[3]) }
}
