import { expect, test } from 'vitest'
import { faultsIn } from '../../base/text/validation-messages.ts'
import { matchingRule, unmetClaim } from './match.ts'
import { WorkloadRuleInput } from './rule.ts'

const github = 'https://token.actions.githubusercontent.com'

function rule(claims: Record<string, string | string[]>, issuer = github) {
  return WorkloadRuleInput.parse({ name: 'ci', issuer, claims, roles: ['operator'] })
}

const claims = {
  iss: github,
  sub: 'repo:acme/infra:ref:refs/heads/feature/x',
  repository: 'acme/infra',
  run_attempt: 1,
  groups: ['a', 'b'],
  'kubernetes.io': { namespace: 'ci', serviceaccount: { name: 'deployer' } },
  'https://example.com/team': 'ops',
}

test.each([
  ['an exact value', { repository: 'acme/infra' }],
  ['the beginning', { sub: 'repo:acme/infra:*' }],
  ['a part', { sub: 'repo:acme/*:ref:*' }],
  ['two stars in a part', { sub: 'repo:a*/i*a:ref:*' }],
  ['one of several patterns', { repository: ['acme/app', 'acme/inf*'] }],
  ['one of several values', { groups: 'b' }],
  ['a number', { run_attempt: '1' }],
  ['a nested claim', { 'kubernetes.io/serviceaccount/name': 'deploy*' }],
  ['a claim with slashes in its name', { 'https://example.com/team': 'ops' }],
  ['several claims', { repository: 'acme/infra', sub: 'repo:*' }],
])('%s matches', (_, wanted) => {
  expect(unmetClaim(rule(wanted), claims)).toBeUndefined()
})

test.each([
  ['another value', { repository: 'acme/infra2' }],
  ['a value that only begins so', { repository: 'acme/inf' }],
  ['another case', { repository: 'Acme/infra' }],
  ['a claim that is missing', { environment: '*', repository: 'acme/infra' }],
  ['a claim that every object has', { 'constructor/name': 'O*', repository: 'acme/infra' }],
  ['an object', { 'kubernetes.io': 'ci' }],
  ['a dot instead of any character', { repository: 'acme.infra' }],
  ['a star that would have to go over a colon', { sub: 'repo:acme/*:refs/heads/feature/x' }],
  ['overlapping ends', { repository: 'acme/infr*fra' }],
])('%s does not match', (_, wanted) => {
  expect(unmetClaim(rule(wanted), claims)).toBeDefined()
})

test('an environment cannot pass for a branch', () => {
  const main = rule({ sub: 'repo:acme/*:ref:refs/heads/main' })
  const sub = 'repo:acme/x:environment:y:ref:refs/heads/main'

  expect(unmetClaim(main, { ...claims, sub })).toBe('sub')
  expect(unmetClaim(main, { ...claims, sub: 'repo:acme/x:ref:refs/heads/main' })).toBeUndefined()
})

test('the first rule of the issuer that matches is taken', () => {
  const rules = [
    { ...rule({ repository: 'acme/infra' }, 'https://gitlab.example.com'), name: 'other issuer' },
    { ...rule({ repository: 'acme/app' }), name: 'other repository' },
    { ...rule({ repository: 'acme/*' }), name: 'all of acme' },
    { ...rule({ repository: 'acme/infra' }), name: 'later' },
  ]

  expect(matchingRule(rules, claims)?.name).toBe('all of acme')
  expect(matchingRule(rules, { ...claims, iss: 'https://evil.example.com' })).toBeUndefined()
})

test.each([
  ['no claims', { claims: {} }, 'claims'],
  ['only stars', { claims: { sub: '*' } }, 'claims'],
  ['one pattern of stars among others', { claims: { sub: ['repo:acme/*', '*'] } }, 'claims'],
  ['a plain issuer', { issuer: 'http://issuer.example.com' }, 'issuer'],
  ['an issuer with a password', { issuer: 'https://a:b@issuer.example.com' }, 'issuer'],
  ['no roles', { roles: [] }, 'roles'],
  ['a day', { ttlMs: 86_400_000 }, 'ttlMs'],
  ['an unknown field', { role: 'owner' }, 'role'],
])('a rule with %s is refused', (_, change, field) => {
  const whole = {
    name: 'ci',
    issuer: github,
    claims: { repository: 'acme/infra' },
    roles: ['operator'],
    ...change,
  }
  const parsed = WorkloadRuleInput.safeParse(whole)

  expect(parsed.success ? undefined : faultsIn(parsed.error)[0]?.field).toBe(field)
})

test('http is good enough for an issuer on this machine', () => {
  expect(rule({ sub: 'x' }, 'http://127.0.0.1:8080/issuer').issuer).toBe('http://127.0.0.1:8080/issuer')
})
