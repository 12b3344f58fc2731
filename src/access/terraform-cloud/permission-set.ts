/**
 * The names of single permissions, each with its values from the least to the most, or `flag` for yes and no. What
 * Terraform Cloud lets people compose is a set of these.
 */
export type PermissionSpec = Readonly<Record<string, readonly [string, ...string[]] | 'flag'>>

export type PermissionsOf<S extends PermissionSpec> = {
  readonly [K in keyof S]: S[K] extends readonly string[] ? S[K][number] : boolean
}

type Loose = Readonly<Record<string, string | boolean>>

/** Nothing that can be left out. */
export function leastOf<S extends PermissionSpec>(spec: S): PermissionsOf<S> {
  const least = Object.entries(spec).map(([key, values]) => [key, values === 'flag' ? false : values[0]])
  return Object.fromEntries(least) as PermissionsOf<S>
}

/** One text for each set: `workspace:runs=plan,variables=read,run-tasks`. What has its least value is left out. */
export function textOf<S extends PermissionSpec>(
  word: string,
  spec: S,
  permissions: PermissionsOf<S>,
): string {
  const least: Loose = leastOf(spec)
  const parts = Object.keys(spec).flatMap((key) => {
    const value = (permissions as Loose)[key] ?? false
    if (value === least[key]) return []
    return [value === true ? key : `${key}=${value}`]
  })
  return `${word}:${parts.length === 0 ? NONE : parts.join(',')}`
}

const NONE = 'none'

/** The set that a text stands for. Undefined: it stands for none that this server knows. */
export function readText<S extends PermissionSpec>(
  word: string,
  spec: S,
  text: string,
): PermissionsOf<S> | undefined {
  if (!text.startsWith(`${word}:`)) return undefined
  const found: Record<string, string | boolean> = { ...leastOf(spec) }
  const said = text.slice(word.length + 1)
  for (const part of said === NONE ? [] : said.split(',')) {
    const [key = '', value = true] = part.split('=', 2)
    const values = Object.hasOwn(spec, key) ? spec[key] : undefined
    const isKnown = values === 'flag' ? value === true : values?.includes(String(value)) === true
    if (!isKnown) return undefined
    found[key] = value
  }
  // Another spelling of the same set is not one of ours.
  const permissions = found as PermissionsOf<S>
  return textOf(word, spec, permissions) === text ? permissions : undefined
}
