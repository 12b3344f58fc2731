import { z } from 'zod'
import { type OrgPolicy, type TokenView, teamsIn } from '../../../../../access/index.ts'
import { badRequest, isTacoError } from '../../../../../base/errors.ts'
import { signInOf } from '../../../auth/sign-in-of.ts'
import { createOrgToken } from '../../../kit/access/org-tokens.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { sentBefore } from '../../account/sent-before.ts'
import { EXPIRY_CHOICES, parseTokenForm } from '../../account/token-form.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { exported } from '../../shell/export.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { ListQuery, arrange } from '../../shell/list.tsx'
import { htmlReply } from '../../shell/render.ts'
import type { OrgView } from '../../shell/view.ts'
import { peoplePath } from '../frame.tsx'
import { rolesIn } from '../tables.tsx'
import { type OrgTokenInput, OrgTokensPage, TOKEN_KINDS, orgTokenColumns } from './tokens-page.tsx'

const text = z.string().trim().default('')
const many = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((given) => (typeof given === 'string' ? [given] : given))

const Filters = z.object({
  kind: z.enum(TOKEN_KINDS).optional().catch(undefined),
  status: z.enum(['active', 'expired', 'revoked']).optional().catch(undefined),
  team: text.catch(''),
})
const Query = Filters.extend(ListQuery.shape)

interface Shown extends Partial<z.infer<typeof Query>> {
  /** Shown this once. */
  readonly created?: { readonly token: TokenView; readonly text: string }
  readonly input?: OrgTokenInput
  readonly faults?: Faults
}

interface Request {
  readonly org: string
  readonly view: OrgView
  readonly x: Exchange
}

async function tokensPage({ org, view, x }: Request, services: WebServices, shown: Shown) {
  const { format, created, input, faults = {}, kind, status, team = '' } = shown
  const { tokens } = signInOf(services)
  const policy = await services.orgAccess.get(org, x.caller)
  const all = await tokens.list({ org: policy.org, kinds: TOKEN_KINDS }, x.caller)
  const filters = { kind, status, team }
  const teams = teamsIn(policy)
  const now = services.clock.now()
  const columns = orgTokenColumns(teams, now)
  const list = arrange(all.filter(matching(filters, policy)), columns, shown)
  if (format !== undefined) return exported(format, 'tokens', columns, list.found)
  return htmlReply(
    <OrgTokensPage
      view={view}
      list={list}
      filters={filters}
      teams={teams}
      roles={rolesIn(policy.roles).map(({ name }) => name)}
      created={created}
      input={input}
      faults={faults}
    />,
    Object.keys(faults).length === 0 ? 200 : 400,
  )
}

function matching({ kind, status, team = '' }: Partial<z.infer<typeof Filters>>, policy: OrgPolicy) {
  const wanted = teamsIn(policy).find((one) => one.name === team || one.id === team)
  return (token: TokenView) =>
    (kind === undefined || token.kind === kind) &&
    (status === undefined || token.status === status) &&
    (team === '' || token.team === wanted?.id)
}

export const orgTokenRoutes: readonly Route[] = [
  orgPage({
    path: '/people/tokens',
    id: 'showOrganizationTokens',
    action: 'token:manage',
    summary: 'Tokens of the organization, of teams and of agents',
    query: Query,
    handle: ({ params: { org }, query, view, x }, services) => tokensPage({ org, view, x }, services, query),
  }),
  orgForm({
    path: '/people/tokens',
    id: 'createOrganizationTokenByForm',
    action: 'token:manage',
    summary: 'Create a token of the organization, of a team or of an agent',
    isSecret: true,
    fields: {
      kind: z.enum(TOKEN_KINDS),
      team: text,
      roles: many,
      name: text,
      days: z.enum(EXPIRY_CHOICES),
      units: text,
      actions: text,
    },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { tokens } = signInOf(services)
      const policy = await services.orgAccess.get(org, caller)
      const { wanted, faults } = parseTokenForm(body, services.clock.now())
      if (wanted === undefined) return tokensPage({ org, view, x }, services, { input: body, faults })
      services.newTokenLimit.take(x.address)
      try {
        const owner = ownerOf(body)
        const once = caller.request?.key
        const created = await createOrgToken(
          { ...services, tokens },
          policy,
          { ...wanted, owner, once },
          caller,
        )
        return await tokensPage({ org, view, x }, services, { created })
      } catch (error) {
        if (isTacoError(error, 'CONFLICT')) return sentBefore(x, services, error, peoplePath(view, 'tokens'))
        const at = faultsAt(
          error,
          ['name', 'team', 'role', 'roles', 'expiresAt', 'units', 'actions'],
          'NOT_FOUND',
        )
        return tokensPage({ org, view, x }, services, { input: body, faults: at })
      }
    },
  }),
  orgForm({
    path: '/people/tokens/revoke',
    id: 'revokeOrganizationTokenByForm',
    action: 'token:manage',
    summary: 'Revoke a token of the organization, of a team or of an agent',
    fields: { token: z.string() },
    async handle({ params: { org }, body, view, x, caller }, services) {
      const revoked = await signInOf(services).tokens.revoke(body.token, { org }, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The token ${revoked.name} was revoked.` })
      return seeOther(peoplePath(view, 'tokens'))
    },
  }),
]

function ownerOf({ kind, team, roles }: OrgTokenInput) {
  if (kind === 'team') {
    if (team === '') throw badRequest('team', 'Choose the team whose rights the token has.')
    return { kind, team } as const
  }
  if (roles.length === 0) throw badRequest('roles', 'Choose at least one role that the token has.')
  return { kind, roles } as const
}
