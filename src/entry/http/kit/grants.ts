import {
  type Binding,
  type Caller,
  type OrgAccess,
  type OrgPolicy,
  type People,
  bind,
  parseSubject,
  unbind,
} from '../../../access/index.ts'
import type { HttpDeps } from '../deps.ts'

/** What giving and taking roles needs. The services of every face have it. */
interface GrantServices extends Pick<HttpDeps, 'projects'> {
  readonly orgAccess: Pick<OrgAccess, 'get' | 'change'>
  readonly signIn?: { readonly people: Pick<People, 'get'> } | undefined
}

interface Grant {
  readonly role: string
  /** As a person writes it. */
  readonly to: string
  readonly units?: readonly string[] | undefined
  /** The name or id of a project. */
  readonly project?: string | undefined
}

/** Gives a role. The organization exists. */
export async function giveRole(
  { orgAccess, projects, signIn }: GrantServices,
  org: string,
  { role, to: text, units, project }: Grant,
  caller: Caller,
): Promise<{ readonly binding: Binding; readonly policy: OrgPolicy }> {
  const before = await orgAccess.get(org, caller)
  const to = await parseSubject(text, { policy: before, people: signIn?.people }, caller)
  const binding = {
    role,
    to,
    ...(units === undefined ? {} : { units: [...units] }),
    ...(project === undefined ? {} : { project: (await projects.get(before.org, project)).id }),
  }
  const change = {
    type: 'role.granted' as const,
    data: { ...binding },
    transition: <T extends OrgPolicy>(policy: T) => bind(policy, binding),
  }
  return { binding, policy: await orgAccess.change(org, change, caller) }
}

/**
 * Takes a role away. `to`: as it is stored, or as a person writes it. `isExact`: only the grant with exactly these
 * units and this project; otherwise, without both, every grant of the role to this subject.
 */
export async function takeRole(
  { orgAccess, projects, signIn }: GrantServices,
  org: string,
  { role, to: text, units, project, isExact = false }: Grant & { readonly isExact?: boolean },
  caller: Caller,
): Promise<void> {
  const before = await orgAccess.get(org, caller)
  const isStored = before.bindings.some(({ to }) => to === text)
  const to = isStored ? text : await parseSubject(text, { policy: before, people: signIn?.people }, caller)
  // A project that is gone is known by its id alone.
  const isKnown = project === undefined || before.bindings.some((one) => one.project === project)
  const of = isKnown ? project : (await projects.get(before.org, project)).id
  const binding = {
    role,
    to,
    ...(units === undefined ? {} : { units: [...units] }),
    ...(of === undefined ? {} : { project: of }),
  }
  const change = {
    type: 'role.revoked' as const,
    data: { ...binding },
    transition: <T extends OrgPolicy>(policy: T) => unbind(policy, binding, isExact),
  }
  await orgAccess.change(org, change, caller)
}
