import { z } from 'zod'
import { type TokenView, type UserPrincipal } from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { form, page } from '../define.ts'
import { exported } from '../shell/export.ts'
import { type Faults, faultsOf } from '../shell/faults.ts'
import { ListQuery, arrange } from '../shell/list.tsx'
import { htmlReply } from '../shell/render.ts'
import type { WebServices } from '../services.ts'
import { accountViewOf } from '../shell/view.ts'
import { sentBefore } from './sent-before.ts'
import { signedIn } from './signed-in.ts'
import { EXPIRY_DAYS, type TokenInput, parseTokenForm } from './token-form.ts'
import { TokensPage, ownTokenColumns } from './tokens-page.tsx'

const action = 'account:manage'
const PATH = '/account/tokens'

interface Shown extends Partial<z.output<typeof ListQuery>> {
  /** Shown this once. */
  readonly created?: { readonly token: TokenView; readonly text: string }
  readonly input?: TokenInput
  readonly faults?: Faults
  readonly isForCli?: boolean
}

async function tokensPage(x: Exchange, services: WebServices, shown: Shown = {}) {
  const { person, signIn } = signedIn(x, services)
  const now = services.clock.now()
  const tokens = await signIn.tokens.list({ user: person.id }, x.caller)
  const list = arrange(tokens, ownTokenColumns(now), shown)
  if (shown.format !== undefined) return exported(shown.format, 'tokens', list.columns, list.found)
  const status = shown.faults === undefined ? 200 : 400
  return htmlReply(<TokensPage view={await accountViewOf(x, services)} list={list} {...shown} />, status)
}

function ownTokens({ id }: UserPrincipal) {
  return { user: id }
}

export const tokenRoutes: readonly Route[] = [
  page({
    action,
    path: PATH,
    id: 'showTokens',
    summary: 'Your tokens',
    query: ListQuery,
    handle: ({ x, query }, services) => tokensPage(x, services, query),
  }),
  page({
    action,
    // Where `terraform login` and `tofu login` send people who have to paste a token.
    path: '/app/settings/tokens',
    id: 'showTokensForCli',
    summary: 'Your tokens, for the login commands of engines',
    query: z.object({ source: z.string().optional() }),
    handle: ({ x, query }, services) =>
      tokensPage(x, services, { isForCli: query.source === 'terraform-login' }),
  }),
  form({
    action,
    path: PATH,
    id: 'createTokenByForm',
    summary: 'Create a token',
    isSecret: true,
    fields: {
      name: z.string(),
      days: z.enum(EXPIRY_DAYS),
      actions: z.string().optional(),
      units: z.string().optional(),
    },
    async handle({ x, body, caller }, services) {
      const { person, signIn } = signedIn(x, services)
      const { wanted, faults } = parseTokenForm(body, services.clock.now())
      if (wanted === undefined) return tokensPage(x, services, { input: body, faults })
      services.newTokenLimit.take(x.address)
      const owner = { kind: 'personal', ...ownTokens(person) } as const
      try {
        return await tokensPage(x, services, {
          created: await signIn.tokens.create({ ...wanted, owner, once: caller.request?.key }, caller),
        })
      } catch (error) {
        if (isTacoError(error, 'CONFLICT')) return sentBefore(x, services, error, PATH)
        return tokensPage(x, services, { input: body, faults: faultsOf(error, 'name') })
      }
    },
  }),
  form({
    action,
    path: `${PATH}/revoke`,
    id: 'revokeTokenByForm',
    summary: 'Revoke a token',
    fields: { token: z.string() },
    async handle({ x, body, caller }, services) {
      const { person, signIn } = signedIn(x, services)
      await signIn.tokens.revoke(body.token, ownTokens(person), caller)
      return seeOther(PATH)
    },
  }),
]
