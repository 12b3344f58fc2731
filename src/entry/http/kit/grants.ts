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
import { badRequest } from '../../../base/errors.ts'
import type { HttpDeps } from '../deps.ts'

/** What giving and taking roles needs. The services of every face have it. */
interface GrantServices {
  readonly orgAccess: Pick<OrgAccess, 'get' | 'change'>
  readonly signIn?: { readonly people: Pick<People, 'get'> } | undefined
}

interface Grant {
  readonly role: string
  /** As a person writes it. */
  readonly to: string
  readonly units?: readonly string[] | undefined
  /** The id of a project. */
  readonly project?: string | undefined
}

/** Gives a role. The organization exists. */
export async function giveRole(
  { orgAccess, projects, signIn }: GrantServices & Pick<HttpDeps, 'projects'>,
  org: string,
  { role, to: text, units, project }: Grant,
  caller: Caller,
): Promise<{ readonly binding: Binding; readonly policy: OrgPolicy }> {
  const before = await orgAccess.get(org, caller)
  const to = await parseSubject(text, { policy: before, people: signIn?.people }, caller)
  if (project !== undefined && (await projects.find(before.org, project)) === undefined)
    throw badRequest(
      'project',
      `There is no project ${project}.`,
      'Give the id of a project of the organization.',
    )
  const binding = {
    role,
    to,
    ...(units === undefined ? {} : { units: [...units] }),
    ...(project === undefined ? {} : { project }),
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
  { orgAccess, signIn }: GrantServices,
  org: string,
  { role, to: text, units, project, isExact = false }: Grant & { readonly isExact?: boolean },
  caller: Caller,
): Promise<void> {
  const before = await orgAccess.get(org, caller)
  const isStored = before.bindings.some(({ to }) => to === text)
  const to = isStored ? text : await parseSubject(text, { policy: before, people: signIn?.people }, caller)
  const binding = {
    role,
    to,
    ...(units === undefined ? {} : { units: [...units] }),
    ...(project === undefined ? {} : { project }),
  }
  const change = {
    type: 'role.revoked' as const,
    data: { ...binding },
    transition: <T extends OrgPolicy>(policy: T) => unbind(policy, binding, isExact),
  }
  await orgAccess.change(org, change, caller)
}
