import { z } from 'zod'
import { type GrantedToken, type OAuth, oauthError, showUserCode } from '../../../access/index.ts'
import { TacoError, isTacoError } from '../../../base/errors.ts'
import { refuseWaiting } from '../auth/rate-limit.ts'
import type { Exchange } from '../kit/exchange.ts'
import { jsonAnswer } from '../openapi/api.ts'
import { type LoginServices, open, route } from './define.ts'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TOKEN_TYPES = 'urn:ietf:params:oauth:token-type:'

const TokenForm = z.object({
  grant_type: z.string(),
  client_id: z.string().default(''),
  code: z.string().optional(),
  redirect_uri: z.string().optional(),
  code_verifier: z.string().optional(),
  device_code: z.string().optional(),
  subject_token: z.string().optional(),
  subject_token_type: z.string().optional(),
  org: z.string().optional(),
})
type TokenForm = z.infer<typeof TokenForm>

const TokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.number().optional(),
  issued_token_type: z.string().optional(),
})

/** Shown on a page beside the question: nothing but a name. */
const Machine = z.string().regex(/^[\w.-]{1,64}$/)

const DeviceAnswer = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_in: z.number(),
  interval: z.number(),
})

const isForm = { isForm: true, limit: 'maxFormBytes' } as const

export const tokenRoutes = [
  route({
    ...open,
    method: 'POST',
    path: '/oauth/token',
    id: 'exchangeCode',
    summary: 'Exchange a code, or the identity of a job, for a token (RFC 6749, RFC 8628, RFC 8693)',
    body: { ...isForm, schema: TokenForm },
    isSecret: true,
    answers: { 200: jsonAnswer(TokenAnswer, 'The token') },
    async handle({ body, headers, x }, services) {
      const oauth = offered(services)
      if (body.grant_type === EXCHANGE_GRANT) return { status: 200, json: await exchanged(body, x, services) }
      refuseWaiting(services.refusedCodes, x.address)
      try {
        const { token, expiresAt } = await redeemed(oauth, body, programOf(headers['user-agent'], body))
        const seconds =
          expiresAt === null ? undefined : Math.floor((Date.parse(expiresAt) - Date.now()) / 1000)
        const expires = seconds === undefined ? {} : { expires_in: seconds }
        return { status: 200, json: { access_token: token, token_type: 'Bearer', ...expires } }
      } catch (error) {
        refused(error, body, x, services)
        throw error
      }
    },
  }),
  route({
    ...open,
    method: 'POST',
    path: '/oauth/device',
    id: 'requestDeviceCode',
    summary: 'Ask for a code that a person types into a browser elsewhere (RFC 8628)',
    body: {
      ...isForm,
      schema: z.object({ client_id: z.string(), machine: Machine.optional().catch(undefined) }),
    },
    isSecret: true,
    answers: { 200: jsonAnswer(DeviceAnswer, 'The codes') },
    async handle({ body, x }, services) {
      const oauth = offered(services)
      services.deviceLimit.take(x.address)
      const { client_id: client, machine } = body
      const device = await oauth.startDevice({ client, machine, address: x.address })
      return {
        status: 200,
        json: {
          device_code: device.deviceCode,
          user_code: showUserCode(device.userCode),
          verification_uri: `${services.publicUrl ?? ''}/device`,
          expires_in: device.expiresInMs / 1000,
          interval: device.intervalMs / 1000,
        },
      }
    },
  }),
  route({
    ...open,
    method: 'POST',
    path: '/oauth/revoke',
    id: 'revokeOwnToken',
    summary: 'End a personal token, with nothing but the token itself (RFC 7009)',
    body: { ...isForm, schema: z.object({ token: z.string() }) },
    answers: { 200: jsonAnswer(z.object({}), 'The token is not valid any more, or was none') },
    async handle({ body }, services) {
      await offered(services).revokeToken(body.token)
      return { status: 200, json: {} }
    },
  }),
]

function redeemed(oauth: OAuth, form: TokenForm, program: string): Promise<GrantedToken> {
  const { client_id: client } = form
  switch (form.grant_type) {
    case 'authorization_code':
      return oauth.redeemCode({
        client,
        program,
        code: given(form, 'code'),
        redirectUri: given(form, 'redirect_uri'),
        verifier: given(form, 'code_verifier'),
      })
    case DEVICE_GRANT:
      return oauth.redeemDevice({ client, program, deviceCode: given(form, 'device_code') })
    default:
      throw oauthError('unsupported_grant_type', 'The grant type is not supported.')
  }
}

/** Of a job, which has no client id: its identity token says who it is. */
async function exchanged(form: TokenForm, x: Exchange, { exchangeWorkload }: LoginServices) {
  if (exchangeWorkload === undefined)
    throw oauthError('unsupported_grant_type', 'The grant type is not supported.')
  const type = form.subject_token_type
  if (type !== `${TOKEN_TYPES}id_token` && type !== `${TOKEN_TYPES}jwt`)
    throw oauthError('invalid_request', `The subject_token_type must be ${TOKEN_TYPES}id_token.`)
  const asked = { org: form.org ?? 'default', idToken: given(form, 'subject_token') }
  const { token, expiresAt } = await exchangeWorkload(asked, x)
  return {
    access_token: token,
    issued_token_type: `${TOKEN_TYPES}access_token`,
    token_type: 'Bearer' as const,
    expires_in: Math.floor((expiresAt - Date.now()) / 1000),
  }
}

type Part = 'code' | 'redirect_uri' | 'code_verifier' | 'device_code' | 'subject_token'

function given(form: TokenForm, name: Part): string {
  const value = form[name]
  if (value !== undefined && value !== '') return value
  throw oauthError('invalid_request', `The request has no ${name}.`)
}

/** What people call the program that asks; the list of their tokens shows it. */
function programOf(agent: string | undefined, { client_id: client }: TokenForm): string {
  if (client === 'taco-cli') return 'taco login'
  return /tofu/i.test(agent ?? '') ? 'tofu login' : 'terraform login'
}

function offered({ oauth, auth }: LoginServices): OAuth {
  if (oauth !== undefined) return oauth
  throw new TacoError('NOT_FOUND', 'People cannot sign in to this server.', {
    hint: `It runs with --auth ${auth}. Start it with --auth sso.`,
  })
}

/** A device that waits is no attempt. Codes and verifiers are never logged. */
function refused(error: unknown, form: TokenForm, x: Exchange, { refusedCodes, log }: LoginServices): void {
  const reason = isTacoError(error) ? error.facts['oauth'] : undefined
  if (reason === undefined || reason === 'authorization_pending' || reason === 'slow_down') return
  refusedCodes.failed(x.address)
  log.warn('a sign-in from the command line was refused', {
    requestId: x.requestId,
    reason,
    grant: form.grant_type.slice(0, 60),
    address: x.address,
  })
}
