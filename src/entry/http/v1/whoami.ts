import { z } from 'zod'
import { type Principal, type Tokens, principalText, viaOf } from '../../../access/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import type { Caller } from '../../../state/index.ts'
import { NoQuery, jsonAnswer } from '../openapi/api.ts'
import { type V1Services, ofServer, route } from './define.ts'

const Who = z.object({
  principal: z
    .string()
    .meta({ description: 'As it is recorded with what the caller does.', example: 'user:alice' }),
  id: z.string().nullable().meta({ description: 'The id of the person or of the team.' }),
  name: z.string().nullable().meta({ description: 'The display name of the person.' }),
  email: z.string().nullable(),
  token: z
    .object({
      id: z.string(),
      name: z.string(),
      expiresAt: z.iso.datetime().nullable().meta({ description: 'Null: never.' }),
      actions: z.array(z.string()).nullable().meta({ description: 'Null: not narrowed.' }),
      units: z.array(z.string()).nullable().meta({ description: 'Null: not narrowed.' }),
    })
    .nullable()
    .meta({ description: 'The token that came with the request. Null: the root token, or none.' }),
  orgs: z
    .array(z.object({ org: z.string(), roles: z.array(z.string()) }))
    .nullable()
    .meta({ description: 'Null: everything is allowed, without a role.' }),
})
type Who = z.infer<typeof Who>

/** More organizations than that would make the answer long, and are those of an administrator. */
const MOST_ORGS = 200

export const whoamiRoutes = [
  route({
    method: 'GET',
    path: '/v1/whoami',
    id: 'whoAmI',
    action: 'server:read',
    tags: ['account'],
    summary: 'Who the caller is, through which token, and with which roles',
    query: NoQuery,
    target: ofServer,
    answers: { 200: jsonAnswer(Who, 'The caller') },
    async handle({ caller }, services) {
      const { principal } = caller
      const [person, token, orgs] = await Promise.all([
        personOf(principal, caller, services),
        tokenOf(principal, caller, services),
        orgsOf(principal, caller, services),
      ])
      const id = 'id' in principal ? principal.id : null
      return { status: 200, json: { principal: principalText(principal), id, ...person, token, orgs } }
    },
  }),
]

async function personOf(
  principal: Principal,
  caller: Caller,
  { signIn }: V1Services,
): Promise<Pick<Who, 'name' | 'email'>> {
  if (principal.kind !== 'user' || signIn === undefined) return { name: null, email: null }
  const { displayName = null, email = null } = await signIn.people.get(principal.id, caller)
  return { name: displayName, email }
}

async function tokenOf(principal: Principal, caller: Caller, { signIn }: V1Services): Promise<Who['token']> {
  const via = viaOf(principal)
  if (via?.kind !== 'token') return null
  const scope = 'scope' in principal && principal.kind !== 'run' ? principal.scope : undefined
  return {
    id: via.id,
    name: via.name,
    expiresAt: await expiryOf(via.id, principal, caller, signIn?.tokens),
    actions: scope?.actions === undefined ? null : [...scope.actions],
    units: scope?.units === undefined ? null : [...scope.units],
  }
}

async function expiryOf(
  id: string,
  principal: Principal,
  caller: Caller,
  tokens: Tokens | undefined,
): Promise<string | null> {
  if (tokens === undefined || !('id' in principal) || principal.kind === 'run') return null
  const of = principal.kind === 'user' ? { user: principal.id } : { org: principal.org }
  try {
    return (await tokens.get(id, of, caller)).expiresAt
  } catch (error) {
    // Removed a moment ago.
    if (isTacoError(error, 'NOT_FOUND')) return null
    throw error
  }
}

async function orgsOf(
  principal: Principal,
  caller: Caller,
  { access, control }: V1Services,
): Promise<Who['orgs']> {
  const { items } = await control.orgs.list({ limit: MOST_ORGS }, caller)
  const found = await Promise.all(
    items.map(async ({ id, name }) => ({ org: name, roles: await access.rolesIn(principal, id) })),
  )
  if (found.some(({ roles }) => roles === undefined)) return null
  return found.flatMap(({ org, roles = [] }) => (roles.length === 0 ? [] : [{ org, roles: [...roles] }]))
}
