import { z } from 'zod'
import type { NewToken, Tokens } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import type { Caller } from '../../../state/index.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../openapi/api.ts'
import { ofServer, route } from './define.ts'

const tags = ['tokens']
const query = NoQuery
const IdParams = z.object({ id: z.string() })
const OrgParams = z.object({ org: z.string() })
const OrgIdParams = OrgParams.extend(IdParams.shape)
const ofNamed = ({ params }: { readonly params: { readonly org: string } }) => ({ org: params.org })

const Token = z.object({
  id: z.string().meta({ example: 'at-Gx4vUkP2sWq7ZrTn' }),
  name: z.string(),
  kind: z.enum(['personal', 'team', 'organization', 'agent', 'workload']),
  org: z.string().nullable().meta({ description: 'Null for personal tokens.' }),
  user: z.string().nullable().meta({ description: 'The id of the person.' }),
  team: z.string().nullable().meta({ description: 'The id of the team.' }),
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

function needed(tokens: Tokens | undefined): Tokens {
  if (tokens !== undefined) return tokens
  throw new TacoError('FORBIDDEN', 'This server has no tokens but the root token and run tokens.', {
    hint: 'Start it with --auth sso.',
  })
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
    async handle({ caller }, { tokens }) {
      return { status: 200, json: { items: [...(await needed(tokens).list(ownOf(caller), caller))] } }
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
    async handle({ body, caller }, { tokens }) {
      const owner = { kind: 'personal', ...ownOf(caller) } as const
      const { token, text } = await needed(tokens).create({ ...wantedOf(body), owner }, caller)
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
    async handle({ params: { id }, caller }, { tokens }) {
      return { status: 200, json: await needed(tokens).get(id, ownOf(caller), caller) }
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
    async handle({ params: { id }, caller }, { tokens }) {
      await needed(tokens).revoke(id, ownOf(caller), caller)
      return { status: 204 }
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
    target: ofNamed,
    answers: { 200: jsonAnswer(z.object({ items: z.array(Token) }), 'Newest first, revoked ones included') },
    async handle({ target: { org }, query: { kind, team }, caller }, { tokens }) {
      const kinds = kind === undefined ? undefined : [kind]
      const of = { org, ...(kinds && { kinds }), ...(team !== undefined && { team }) }
      return { status: 200, json: { items: [...(await needed(tokens).list(of, caller))] } }
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
    target: ofNamed,
    answers: { 201: jsonAnswer(NewTokenAnswer, 'Created') },
    async handle({ target: { org }, body, caller }, { tokens }) {
      const owner =
        body.kind === 'team'
          ? { kind: body.kind, org, team: body.team }
          : { kind: body.kind, org, roles: body.roles }
      const { token, text } = await needed(tokens).create({ ...wantedOf(body), owner }, caller)
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
    target: ofNamed,
    answers: { 200: jsonAnswer(Token, 'The token, without its secret') },
    async handle({ target, params: { id }, caller }, { tokens }) {
      return { status: 200, json: await needed(tokens).get(id, target, caller) }
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
    target: ofNamed,
    answers: { 204: { description: 'Revoked' } },
    async handle({ target, params: { id }, caller }, { tokens }) {
      await needed(tokens).revoke(id, target, caller)
      return { status: 204 }
    },
  }),
]
