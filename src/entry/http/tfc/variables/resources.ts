import type { VariableSet, VariableView } from '../../../../variables/index.ts'
import { type Relationship, type ResourceObject, many, one, time } from '../kit/json-api.ts'

/** Clients read `configurable` without looking whether it is there, and only as a workspace. */
export function variableOfWorkspace(variable: VariableView, workspace: string): ResourceObject {
  const path = `/api/v2/workspaces/${workspace}`
  const configurable: Relationship = {
    data: { type: 'workspaces', id: workspace },
    links: { related: path },
  }
  return variableResource(variable, `${path}/vars/${variable.id}`, { configurable })
}

export function variableOfSet(variable: VariableView, set: string): ResourceObject {
  const path = `/api/v2/varsets/${set}`
  const varset: Relationship = { data: { type: 'varsets', id: set }, links: { related: path } }
  return variableResource(variable, `${path}/relationships/vars/${variable.id}`, { varset })
}

function variableResource(
  { id, key, value, description, category, hcl, sensitive, versionId, createdAt }: VariableView,
  self: string,
  relationships: NonNullable<ResourceObject['relationships']>,
): ResourceObject {
  return {
    id,
    type: 'vars',
    attributes: {
      key,
      value,
      description,
      category,
      hcl,
      sensitive,
      'version-id': versionId,
      'created-at': time(createdAt),
    },
    relationships,
    links: { self },
  }
}

interface Named {
  readonly id: string
  readonly name: string
}

function idsOf(all: readonly { readonly id: string }[]): readonly string[] {
  return all.map(({ id: one }) => one)
}

/** A set with what the caller may see of its relations. */
export interface ShownSet {
  readonly set: VariableSet
  readonly orgName: string
  readonly workspaces: readonly Named[]
  readonly projects: readonly Named[]
  readonly variables: readonly VariableView[]
}

export function setResource({ set, orgName, workspaces, projects, variables }: ShownSet): ResourceObject {
  const { id, name, description, global, priority, parent, updatedAt } = set
  return {
    id,
    type: 'varsets',
    attributes: {
      name,
      description,
      global,
      priority,
      'updated-at': time(updatedAt),
      'var-count': variables.length,
      'workspace-count': workspaces.length,
      'project-count': projects.length,
    },
    relationships: {
      organization: one('organizations', orgName),
      parent: parent === undefined ? one('organizations', orgName) : one('projects', parent.project),
      workspaces: many('workspaces', idsOf(workspaces)),
      projects: many('projects', idsOf(projects)),
      stacks: many('stacks', []),
      vars: many('vars', idsOf(variables)),
    },
    links: { self: `/api/v2/varsets/${id}` },
  }
}
