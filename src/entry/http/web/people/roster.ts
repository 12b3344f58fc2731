import {
  type Binding,
  type OrgPolicy,
  type People,
  type PersonDocument,
  saySubject,
  teamsIn,
} from '../../../../access/index.ts'
import type { Project } from '../../../../projects/index.ts'

/** A role that someone has, and how they got it. */
interface Held {
  readonly role: string
  /** Undefined: given to them by name. */
  readonly team: string | undefined
  readonly units: readonly string[] | undefined
}

/** Someone who is named in the organization: with a role, in a team, or by an invitation. */
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

/** What each of them has. What groups of sign-in providers give is not here: only a sign-in tells. Pure. */
function memberOf(policy: OrgPolicy): (subject: string, known: Known) => Member {
  const { bindings, invitations = [] } = policy
  const bound = groupedBy(bindings, ({ to }) => [to])
  const invited = groupedBy(invitations, ({ email }) => [email])
  const all = teamsIn(policy)
  const byMember = groupedBy(all, ({ members }) => members)
  const heldBy = (to: string, team?: string): Held[] =>
    (bound.get(to) ?? []).map(({ role, units }) => ({ role, team, units }))
  return (subject, known) => {
    const emails = new Set([subject.replace(/^email:/, ''), known.email ?? ''])
    const asInvited = new Set(
      [...emails].flatMap((email) => (invited.get(email) ?? []).flatMap((one) => one.teams)),
    )
    const own = new Set(byMember.get(subject.replace(/^user:/, '')))
    const teams =
      own.size + asInvited.size === 0 ? [] : all.filter((one) => own.has(one) || asInvited.has(one.id))
    return {
      ...known,
      subject,
      teams: teams.map(({ name }) => name),
      roles: [...heldBy(subject), ...teams.flatMap((team) => heldBy(`team:${team.id}`, team.name))],
    }
  }
}

function groupedBy<T>(
  items: readonly T[],
  keysOf: (item: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items)
    for (const key of keysOf(item)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
  return groups
}

/** What pages know of people by their ids. */
export type Directory = ReadonlyMap<string, PersonDocument>

export async function directoryOf(
  ids: readonly string[],
  people: Pick<People, 'among'> | undefined,
): Promise<Directory> {
  return people === undefined ? new Map() : people.among(ids)
}

/** Everyone whom the policy names by id. */
export function peopleIn(policy: OrgPolicy): readonly string[] {
  return subjectsIn(policy).flatMap((subject) => (isUser(subject) ? [subject.slice('user:'.length)] : []))
}

/** By name. Someone who was invited and has signed in since is one member. Pure. */
export function membersIn(policy: OrgPolicy, known: Directory): readonly Member[] {
  const memberFor = memberOf(policy)
  const members = subjectsIn(policy).map((subject) => memberFor(subject, knownOf(subject, known)))
  const addresses = new Set(members.flatMap(({ subject, email }) => (isUser(subject) ? [email] : [])))
  return members
    .filter(({ subject, email }) => isUser(subject) || !addresses.has(email))
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
}

const isUser = (subject: string) => subject.startsWith('user:')

function knownOf(subject: string, directory: Directory): Known {
  const id = subject.replace(/^(user|email):/, '')
  const person = isUser(subject) ? directory.get(id) : undefined
  return {
    name: person?.login ?? id,
    displayName: person?.displayName,
    email: isUser(subject) ? person?.email : id,
    signedInAt: person?.signedInAt,
    isSuspended: person?.suspended !== undefined,
  }
}

/** A grant as a page shows it. */
export interface GrantRow extends Binding {
  /** With the name as it is now. */
  readonly named: string
  /** In words. */
  readonly where: string
}

type ProjectNames = readonly Pick<Project, 'id' | 'name'>[]

export async function grantsIn(
  policy: OrgPolicy,
  known: Directory,
  projects: ProjectNames,
): Promise<readonly GrantRow[]> {
  const people = { fresh: (id: string) => known.get(id) }
  const rows = await Promise.all(
    policy.bindings.map(async (binding) => ({
      ...binding,
      named: await saySubject(binding.to, { policy, people }),
      where: whereGranted(binding, projects),
    })),
  )
  return rows.toSorted((a, b) => (a.named < b.named ? -1 : Number(a.named > b.named)))
}

/** Where a role counts, in words: `on prod/** in the project shop`. Pure. */
export function whereGranted(
  { units, project }: Pick<Binding, 'units' | 'project'>,
  projects: ProjectNames,
): string {
  const named = projects.find(({ id }) => id === project)?.name ?? project
  const parts = [
    ...(units === undefined ? [] : [`on ${units.join(', ')}`]),
    ...(named === undefined ? [] : [`in the project ${named}`]),
  ]
  return parts.length === 0 ? 'everywhere' : parts.join(' ')
}

/** A team with its members by name. */
export interface TeamRow {
  readonly name: string
  readonly description: string | undefined
  readonly members: readonly string[]
  readonly groups: readonly string[]
  readonly roles: readonly string[]
}

/** Pure. */
export function teamRowsIn(policy: OrgPolicy, known: Directory): readonly TeamRow[] {
  return teamsIn(policy).map(({ id, name, description, members, groups }) => ({
    name,
    description,
    members: members.map((one) => known.get(one)?.login ?? one),
    groups,
    roles: policy.bindings.filter(({ to }) => to === `team:${id}`).map(({ role }) => role),
  }))
}
