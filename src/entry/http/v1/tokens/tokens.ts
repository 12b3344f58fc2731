import { z } from 'zod'
import { type NewToken, findTeam } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import type { Caller } from '../../../../state/index.ts'
import { createOrgToken } from '../../kit/access/org-tokens.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { OrgParams, ofNamedOrg, policyOf } from '../access/shared.ts'
import { signInOf } from '../../auth/sign-in-of.ts'
import { ofServer, route } from '../define.ts'

const tags = ['tokens']
const query = NoQuery
const IdParams = z.object({ id: z.string() })
const OrgIdParams = OrgParams.extend(IdParams.shape)

const Token = z.object({
  id: z.string().meta({ example: 'at-Gx4vUkP2sWq7ZrTn' }),
  name: z.string(),
  kind: z.enum(['personal', 'team', 'organization', 'agent', 'workload']),
  org: z.string().nullable().meta({ description: 'Null for personal tokens.' }),
  user: z.string().nullable().meta({ description: 'The id of the person.' }),
  team: z.string().nullable().meta({ description: 'The id of the team.' }),
  pool: z.string().nullable().meta({ description: 'The id of the agent pool.' }),
  slot: z.string().nullable().meta({
    description: 'Set: of the tokens with the same owner and slot, only the newest is valid.',
  }),
  roles: z.array(z.string()),
  actions: z.array(z.string()).nullable().meta({ description: 'Null: not narrowed.' }),
  units: z.array(z.string()).nullable().meta({ description: 'Null: not narrowed.' }),
  status: z.enum(['active', 'expired', 'revoked']),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  createdWho: z.string().nullable(),
  expiresAt: z.iso.datetime().nullable().meta({ description: 'Null: never.' }),
  lastUsedAt: z.iso.datetime().nullable().meta({ description: 'At most an hour behind.' }),
  revokedAt: z.iso.datetime().nullable(),
  revokedBy: z.string().nullable(),
})
const NewTokenAnswer = Token.extend({
  token: z.string().meta({ description: 'taco_…; shown only once.' }),
})

const S3Keys = z.object({
  accessKeyId: z.string().meta({ example: 'at-Gx4vUkP2sWq7ZrTn.k1' }),
  secretAccessKey: z.string(),
})

const Patterns = z.array(z.string()).min(1).optional()
const TokenInput = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^\P{C}*$/u, 'must not have control characters'),
  actions: Patterns.meta({
    description: 'Narrows the token to these actions, such as state:read or state:*.',
  }),
  units: Patterns.meta({ description: 'Narrows the token to these units, such as prod/**.' }),
  expiresAt: z.iso.datetime({ offset: true }).nullable().optional().meta({
    description: 'Null: never, which personal tokens cannot. Left out: after 90 days.',
  }),
})

function wantedOf({ name, actions, units, expiresAt }: z.output<typeof TokenInput>): Omit<NewToken, 'owner'> {
  const scope = actions === undefined && units === undefined ? undefined : { actions, units }
  return { name, scope, expiresAt: typeof expiresAt === 'string' ? Date.parse(expiresAt) : expiresAt }
}

function ownOf({ principal }: Caller): { readonly user: string } {
  if (principal.kind === 'user') return { user: principal.id }
  throw new TacoError('FORBIDDEN', 'Only people have personal tokens.', {
    hint: 'Sign in with `taco login`, or manage tokens of an organization.',
  })
}

export const tokenRoutes = [
  route({
    method: 'GET',
    path: '/v1/tokens',
    id: 'listTokens',
    action: 'account:manage',
    tags,
    summary: 'List your personal tokens',
    query,
    target: ofServer,
    answers: { 200: jsonAnswer(z.object({ items: z.array(Token) }), 'Newest first, revoked ones included') },
    async handle({ caller }, services) {
      return {
        status: 200,
        json: { items: [...(await signInOf(services).tokens.list(ownOf(caller), caller))] },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/tokens',
    id: 'createToken',
    action: 'account:manage',
    tags,
    summary: 'Create a personal token',
    isSecret: true,
    query,
    body: jsonBody(TokenInput),
    target: ofServer,
    answers: { 201: jsonAnswer(NewTokenAnswer, 'Created') },
    async handle({ body, caller }, services) {
      const owner = { kind: 'personal', ...ownOf(caller) } as const
      const { token, text } = await signInOf(services).tokens.create({ ...wantedOf(body), owner }, caller)
      return { status: 201, json: { ...token, token: text } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/tokens/{id}',
    id: 'getToken',
    action: 'account:manage',
    tags,
    summary: 'Show a personal token',
    params: IdParams,
    query,
    target: ofServer,
    answers: { 200: jsonAnswer(Token, 'The token, without its secret') },
    async handle({ params: { id }, caller }, services) {
      return { status: 200, json: await signInOf(services).tokens.get(id, ownOf(caller), caller) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/tokens/{id}',
    id: 'revokeToken',
    action: 'account:manage',
    tags,
    summary: 'Revoke a personal token on every server',
    params: IdParams,
    query,
    target: ofServer,
    answers: { 204: { description: 'Revoked' } },
    async handle({ params: { id }, caller }, services) {
      await signInOf(services).tokens.revoke(id, ownOf(caller), caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/s3-keys',
    id: 'getS3Keys',
    action: 'server:read',
    tags,
    summary: 'Get the S3 keys of the token that the request carries',
    description:
      'The keys are derived from the token: they have its rights, end with it, and are the same every time.',
    isSecret: true,
    query,
    target: ofServer,
    answers: { 200: jsonAnswer(S3Keys, 'The keys') },
    handle({ caller }, { signingKeys }) {
      const keys = signingKeys?.of(caller.principal)
      if (keys !== undefined) return { status: 200, json: keys }
      throw new TacoError('FORBIDDEN', 'The request carries no token from which S3 keys can be derived.', {
        hint: 'Send a personal token, or one of a team or of an organization, to a server.',
      })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/tokens',
    id: 'listOrganizationTokens',
    action: 'token:manage',
    tags,
    summary: 'List the tokens of teams, of the organization and of agents',
    params: OrgParams,
    query: z.strictObject({
      kind: z.enum(['team', 'organization', 'agent']).optional(),
      team: z.string().optional().meta({ description: 'The name or id of a team.' }),
    }),
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(z.object({ items: z.array(Token) }), 'Newest first, revoked ones included') },
    async handle({ target: { org }, query: { kind, team: named }, caller }, services) {
      const { tokens } = signInOf(services)
      const team = named === undefined ? undefined : findTeam(await policyOf(services, org, caller), named).id
      const kinds = kind === undefined ? undefined : [kind]
      const of = { org, ...(kinds && { kinds }), ...(team !== undefined && { team }) }
      return { status: 200, json: { items: [...(await tokens.list(of, caller))] } }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/orgs/{org}/tokens',
    id: 'createOrganizationToken',
    action: 'token:manage',
    tags,
    summary: 'Create a token of a team, of the organization or of an agent',
    isSecret: true,
    params: OrgParams,
    query,
    body: jsonBody(
      z.discriminatedUnion('kind', [
        TokenInput.extend({
          kind: z.literal('team'),
          team: z.string().meta({ description: 'The name or id of a team, whose rights the token has.' }),
        }),
        TokenInput.extend({
          kind: z.enum(['organization', 'agent']),
          roles: z.array(z.string()).min(1).max(20).meta({ description: 'The roles that the token has.' }),
        }),
      ]),
    ),
    target: ofNamedOrg,
    answers: { 201: jsonAnswer(NewTokenAnswer, 'Created') },
    async handle({ target: { org }, body, caller }, services) {
      const { tokens } = signInOf(services)
      const policy = await policyOf(services, org, caller)
      const wanted = { ...wantedOf(body), owner: body }
      const { token, text } = await createOrgToken({ ...services, tokens }, policy, wanted, caller)
      return { status: 201, json: { ...token, token: text } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/tokens/{id}',
    id: 'getOrganizationToken',
    action: 'token:manage',
    tags,
    summary: 'Show a token of a team, of the organization or of an agent',
    params: OrgIdParams,
    query,
    target: ofNamedOrg,
    answers: { 200: jsonAnswer(Token, 'The token, without its secret') },
    async handle({ target, params: { id }, caller }, services) {
      return { status: 200, json: await signInOf(services).tokens.get(id, target, caller) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/orgs/{org}/tokens/{id}',
    id: 'revokeOrganizationToken',
    action: 'token:manage',
    tags,
    summary: 'Revoke a token of a team, of the organization, of an agent or of a workload on every server',
    params: OrgIdParams,
    query,
    target: ofNamedOrg,
    answers: { 204: { description: 'Revoked' } },
    async handle({ target, params: { id }, caller }, services) {
      await signInOf(services).tokens.revoke(id, target, caller)
      return { status: 204 }
    },
  }),
]
