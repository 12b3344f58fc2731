import type { WorkloadRule } from './rule.ts'

export type Claims = Readonly<Record<string, unknown>>

/** The first rule that lets these claims in. The caller has verified them, and the issuer of each rule. */
export function matchingRule(rules: readonly WorkloadRule[], claims: Claims): WorkloadRule | undefined {
  return rules.find((rule) => unmetClaim(rule, claims) === undefined)
}

/** The first claim that keeps these claims out. Undefined: they are let in. */
export function unmetClaim({ issuer, claims: wanted }: WorkloadRule, claims: Claims): string | undefined {
  if (claims['iss'] !== issuer) return 'iss'
  return Object.entries(wanted).find(
    ([name, patterns]) => !valuesOf(claims, name).some((value) => matchesAny(patterns, value)),
  )?.[0]
}

/**
 * The texts that a claim holds. `kubernetes.io/serviceaccount/name` looks into nested claims; a claim whose own name
 * has slashes goes first. Numbers and booleans are compared as JSON writes them.
 */
function valuesOf(claims: Claims, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : nested(claims, name.split('/'))
  return (Array.isArray(value) ? value : [value]).flatMap((one: unknown) =>
    typeof one === 'string'
      ? [one]
      : typeof one === 'number' || typeof one === 'boolean'
        ? [String(one)]
        : [],
  )
}

function nested(claims: Claims, path: readonly string[]): unknown {
  let at: unknown = claims
  for (const part of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, part))
      return undefined
    at = (at as Claims)[part]
  }
  return at
}

function matchesAny(patterns: readonly string[], value: string): boolean {
  return patterns.some((pattern) => matches(pattern, value))
}

/**
 * `*` stands for any characters but a colon; at the end of a pattern, for anything. The parts of a subject such as
 * `repo:acme/infra:environment:prod` are separated by colons, and a job chooses some of them: with a `*` in the middle
 * that went over colons, an environment named `x:ref:refs/heads/main` would pass for a branch.
 */
function matches(pattern: string, value: string): boolean {
  const wanted = pattern.split(':')
  const given = value.split(':')
  if (pattern.endsWith('*') ? given.length < wanted.length : given.length !== wanted.length) return false
  return wanted.every((part, i) => matchesPart(part, given[i] ?? ''))
}

function matchesPart(pattern: string, value: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return pattern === value
  if (!value.startsWith(first)) return false
  let at = first.length
  for (const part of others) {
    const found = value.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return value.length - last.length >= at && value.endsWith(last)
}
