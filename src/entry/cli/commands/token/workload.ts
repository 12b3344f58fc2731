import { check, fields, list as listOf, maybe, number, record, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { duration, parseDuration } from '../../terminal/format.ts'

const ruleAnswer = fields({
  name: text,
  issuer: text,
  audience: maybe(text),
  claims: record(listOf(text)),
  roles: listOf(text),
  scope: maybe(fields({ actions: maybe(listOf(text)), units: maybe(listOf(text)) })),
  ttlMs: number,
})

/** Issuers that people know by another name. */
const ISSUERS: Readonly<Record<string, string>> = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
}

interface RuleFlags {
  readonly issuer?: string
  readonly audience?: string
  readonly claim?: readonly string[]
  readonly role?: readonly string[]
  readonly action?: readonly string[]
  readonly unit?: readonly string[]
  readonly ttl?: string
}

export async function list(session: Session): Promise<void> {
  const answer = await (await session.client()).json('GET', pathIn(session), { query: ofWholeServer })
  if (session.output.asJson) return session.output.json(answer)
  session.output.table(
    ['RULE', 'ISSUER', 'CLAIMS', 'ROLES', 'UNITS', 'FOR'],
    check(fields({ items: listOf(ruleAnswer) }), answer).items.map((rule) => [
      rule.name,
      rule.issuer,
      Object.entries(rule.claims)
        .map(([name, patterns]) => `${name}=${patterns.join('|')}`)
        .join(' '),
      rule.roles.join(', '),
      rule.scope?.units?.join(', ') ?? 'all',
      duration(rule.ttlMs / 1000),
    ]),
  )
}

export async function set(
  session: Session,
  [name = '']: readonly string[],
  { issuer, audience, claim = [], role, action, unit, ttl }: RuleFlags,
): Promise<void> {
  if (issuer === undefined || role === undefined)
    throw usageError(
      `The rule has no ${issuer === undefined ? 'issuer' : 'role'}.`,
      'Give --issuer, at least one --claim, and --role.',
    )
  const ttlMs = ttl === undefined ? undefined : parseDuration(ttl)
  if (ttl !== undefined && ttlMs === undefined)
    throw usageError(`--ttl ${ttl} is not a duration.`, 'Write it as 15m or 1h.')
  const json = {
    issuer: ISSUERS[issuer] ?? issuer,
    claims: claimsOf(claim),
    roles: role,
    ...(audience === undefined ? {} : { audience }),
    ...(action === undefined && unit === undefined ? {} : { scope: { actions: action, units: unit } }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  }
  const path = `${pathIn(session)}/${encodeURIComponent(name)}`
  const answer = await (await session.client()).json('PUT', path, { query: ofWholeServer, json })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`stored ${check(ruleAnswer, answer).name}`)
  session.output.note('next: in a job, run `taco login --workload`')
}

export async function remove(session: Session, [name = '']: readonly string[]): Promise<void> {
  const path = `${pathIn(session)}/${encodeURIComponent(name)}`
  await (await session.client()).json('DELETE', path, { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ name })
  session.output.say(`deleted ${name}; tokens that it gave end within an hour`)
}

/** `sub=repo:acme/*`; a claim that is given twice may be either. */
function claimsOf(pairs: readonly string[]): Record<string, string[]> {
  const claims: Record<string, string[]> = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1 || at === pair.length - 1)
      throw usageError(`The claim ${JSON.stringify(pair)} has no value.`, 'Write claims as name=pattern.')
    ;(claims[pair.slice(0, at)] ??= []).push(pair.slice(at + 1))
  }
  return claims
}

function pathIn(session: Session): string {
  return `/v1/orgs/${encodeURIComponent(session.org())}/workloads`
}
