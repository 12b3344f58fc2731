import { type OrgPolicy, type People, saySubject, teamsIn } from '../../../../access/index.ts'
import { forEachLimit } from '../../../../base/for-each-limit.ts'

/** A role that somebody has, and how they got it. */
interface Held {
  readonly role: string
  /** Undefined: given to them by name. */
  readonly team: string | undefined
  readonly units: readonly string[] | undefined
}

/** Somebody who is named in the organization: with a role, in a team, or by an invitation. */
export interface Member {
  readonly subject: string
  readonly name: string
  readonly displayName: string | undefined
  readonly email: string | undefined
  /** Undefined: has not signed in yet. */
  readonly signedInAt: number | undefined
  readonly isSuspended: boolean
  readonly teams: readonly string[]
  readonly roles: readonly Held[]
}

type Known = Pick<Member, 'name' | 'displayName' | 'email' | 'signedInAt' | 'isSuspended'>

/** Whom a policy names, as subjects: `user:<id>` or `email:<address>`. Pure. */
export function subjectsIn(policy: OrgPolicy): readonly string[] {
  const { bindings, invitations = [] } = policy
  return [
    ...new Set([
      ...bindings.map(({ to }) => to).filter((to) => /^(user|email):/.test(to)),
      ...teamsIn(policy).flatMap(({ members }) => members.map((id) => `user:${id}`)),
      ...invitations.map(({ email }) => `email:${email}`),
    ]),
  ]
}

/** What one of them has. What groups of sign-in providers give is not here: only a sign-in tells. Pure. */
export function memberIn(policy: OrgPolicy, subject: string, known: Known): Member {
  const id = subject.replace(/^user:/, '')
  const emails = [subject.replace(/^email:/, ''), known.email]
  const invited = (policy.invitations ?? []).filter(({ email }) => emails.includes(email))
  const teams = teamsIn(policy).filter(
    (team) => team.members.includes(id) || invited.some((one) => one.teams.includes(team.id)),
  )
  const heldBy = (to: string, team?: string): Held[] =>
    policy.bindings.filter((one) => one.to === to).map(({ role, units }) => ({ role, team, units }))
  return {
    ...known,
    subject,
    teams: teams.map(({ name }) => name),
    roles: [...heldBy(subject), ...teams.flatMap((team) => heldBy(`team:${team.id}`, team.name))],
  }
}

/** By name. Somebody who was invited and has signed in since is one member. */
export async function readMembers(
  policy: OrgPolicy,
  people: Pick<People, 'fresh'> | undefined,
): Promise<readonly Member[]> {
  const members: Member[] = []
  await forEachLimit(subjectsIn(policy), 16, async (subject) => {
    members.push(memberIn(policy, subject, await known(subject, people)))
  })
  const addresses = new Set(members.flatMap(({ subject, email }) => (isUser(subject) ? [email] : [])))
  return members
    .filter(({ subject, email }) => isUser(subject) || !addresses.has(email))
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
}

const isUser = (subject: string) => subject.startsWith('user:')

async function known(subject: string, people: Pick<People, 'fresh'> | undefined): Promise<Known> {
  const id = subject.replace(/^(user|email):/, '')
  const person = isUser(subject) ? await people?.fresh(id) : undefined
  return {
    name: person?.login ?? id,
    displayName: person?.displayName,
    email: isUser(subject) ? person?.email : id,
    signedInAt: person?.signedInAt,
    isSuspended: person?.suspended !== undefined,
  }
}

/** A grant as a page shows it. */
export interface GrantRow {
  readonly role: string
  /** With the name as it is now. */
  readonly to: string
  /** As it is stored. */
  readonly subject: string
  readonly units: readonly string[] | undefined
  readonly project: string | undefined
}

export async function readGrants(
  policy: OrgPolicy,
  people: Pick<People, 'fresh'> | undefined,
): Promise<readonly GrantRow[]> {
  const rows = await Promise.all(
    policy.bindings.map(async ({ role, to, units, project }) => ({
      role,
      to: await saySubject(to, { policy, people }),
      subject: to,
      units,
      project,
    })),
  )
  return rows.toSorted((a, b) => (a.to < b.to ? -1 : Number(a.to > b.to)))
}

/** A team with its members by name. */
export interface TeamRow {
  readonly name: string
  readonly description: string | undefined
  readonly members: readonly string[]
  readonly groups: readonly string[]
  readonly roles: readonly string[]
}

export async function readTeams(
  policy: OrgPolicy,
  people: Pick<People, 'fresh'> | undefined,
): Promise<readonly TeamRow[]> {
  return Promise.all(
    teamsIn(policy).map(async ({ id, name, description, members, groups }) => ({
      name,
      description,
      members: await Promise.all(members.map(async (one) => (await people?.fresh(one))?.login ?? one)),
      groups,
      roles: policy.bindings.filter(({ to }) => to === `team:${id}`).map(({ role }) => role),
    })),
  )
}
