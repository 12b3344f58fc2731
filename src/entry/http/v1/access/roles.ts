import { z } from 'zod'
import {
  BUILT_IN_ROLES,
  type Binding,
  type OrgPolicy,
  type Role,
  Rule,
  roleInWords,
  saySubject,
} from '../../../../access/index.ts'
import { deleteRole, storeRole } from '../../kit/access/roles.ts'
import { giveRole, takeRole } from '../../kit/grants.ts'
import { NoQuery, Repeated, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { type V1Services, route } from '../define.ts'
import { OrgParams, ofNamedOrg, policyOf } from './shared.ts'

const tags = ['roles']
const RoleParams = OrgParams.extend({ role: z.string() })
const Rules = z.array(Rule.strict()).max(500)

const RoleView = z.object({
  name: z.string(),
  description: z.string().nullable(),
  isBuiltIn: z.boolean(),
  rules: z.array(Rule),
  words: z.array(z.string()).meta({ description: 'Each rule in a sentence.' }),
})

function viewRole(role: Role, isBuiltIn: boolean): z.input<typeof RoleView> {
  const { name, description = null, rules } = role
  return { name, description, isBuiltIn, rules: [...rules], words: [...roleInWords(role)] }
}

const BindingView = z.object({
  role: z.string(),
  to: z.string().meta({ example: 'team:ops', description: 'With the name as it is now.' }),
  subject: z.string().meta({ example: 'team:team-Gx4vUkP2sWq7ZrTn', description: 'With the id.' }),
  units: z.array(z.string()).nullable().meta({ description: 'Null: as far as the role goes.' }),
  project: z.string().nullable().meta({ description: 'The id of the project that the role is narrowed to.' }),
})

async function viewBinding(
  { role, to, units, project }: Binding,
  policy: OrgPolicy,
  { signIn }: V1Services,
): Promise<z.input<typeof BindingView>> {
  const said = await saySubject(to, { policy, people: signIn?.people })
  return {
    role,
    to: said,
    subject: to,
    units: units === undefined ? null : [...units],
    project: project ?? null,
  }
}

const Units = z.array(z.string()).min(1)
const BindingInput = z.strictObject({
  role: z.string(),
  to: z.string().meta({
    description: 'user:<login>, team:<name>, group:<provider>/<group>, email:<address>, or everyone.',
  }),
  units: Units.optional().meta({ description: 'Narrows the role to these units, such as prod/**.' }),
  project: z.string().min(1).optional().meta({
    description: 'Name or id of a project: narrows the role to its units, whichever they are.',
  }),
})

export const roleRoutes = [
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/roles',
    id: 'listRoles',
    action: 'access:read',
    tags,
    summary: 'List the roles of an organization, built-in ones included',
    params: OrgParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(z.object({ items: z.array(RoleView) }), 'All roles') },
    async handle({ target: { org }, caller }, services) {
      const { roles } = await policyOf(services, org, caller)
      const builtIn = Object.values(BUILT_IN_ROLES).map((role) => viewRole(role, true))
      return { status: 200, json: { items: [...builtIn, ...roles.map((role) => viewRole(role, false))] } }
    },
  }),
  route({
    method: 'PUT',
    path: '/v1/orgs/{org}/roles/{role}',
    id: 'putRole',
    action: 'role:manage',
    tags,
    summary: 'Create a role, or replace its rules',
    params: RoleParams,
    query: NoQuery,
    body: jsonBody(z.strictObject({ description: z.string().max(500).optional(), rules: Rules })),
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(RoleView, 'The role') },
    async handle({ target: { org }, params, body, caller }, services) {
      await policyOf(services, org, caller)
      const role = { name: params.role, ...body }
      await storeRole(services, org, role, caller)
      return { status: 200, json: viewRole(role, false) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/orgs/{org}/roles/{role}',
    id: 'deleteRole',
    action: 'role:manage',
    tags,
    summary: 'Delete a role that is not in use',
    params: RoleParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 204: { description: 'Deleted' } },
    async handle({ target: { org }, params, caller }, services) {
      await policyOf(services, org, caller)
      await deleteRole(services, org, params.role, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/bindings',
    id: 'listBindings',
    action: 'access:read',
    tags,
    summary: 'List who has which role',
    params: OrgParams,
    query: NoQuery,
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(z.object({ items: z.array(BindingView) }), 'All of them') },
    async handle({ target: { org }, caller }, services) {
      const policy = await policyOf(services, org, caller)
      const items = await Promise.all(policy.bindings.map((one) => viewBinding(one, policy, services)))
      return { status: 200, json: { items } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/orgs/{org}/bindings',
    id: 'createBinding',
    action: 'role:manage',
    tags,
    summary: 'Give a role to a person, a team, a group or everyone',
    params: OrgParams,
    query: NoQuery,
    body: jsonBody(BindingInput),
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(BindingView, 'Given') },
    async handle({ target: { org }, body, caller }, services) {
      await services.control.orgs.get(org, caller)
      const { binding, policy } = await giveRole(services, org, body, caller)
      return { status: 200, json: await viewBinding(binding, policy, services) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/orgs/{org}/bindings',
    id: 'deleteBinding',
    action: 'role:manage',
    tags,
    summary: 'Take a role away',
    params: OrgParams,
    query: z.strictObject({
      role: z.string(),
      to: z.string().meta({ description: 'As it was given, or the subject of the listing.' }),
      units: Repeated.meta({ description: 'Only what was narrowed to exactly these units.' }),
      project: z.string().optional().meta({ description: 'Only what was narrowed to this project.' }),
    }),
    target: ofNamedOrg,
    answers: { 204: { description: 'Taken away' } },
    async handle({ target: { org }, query, caller }, services) {
      await services.control.orgs.get(org, caller)
      await takeRole(services, org, query, caller)
      return { status: 204 }
    },
  }),
]
