import { z } from 'zod'
import {
  type ServerPolicy,
  noProvider,
  parseSubject,
  saySubject,
  viewProvider,
} from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import { NoQuery, jsonAnswer, jsonBody } from '../../openapi/api.ts'
import { type V1Services, ofServer, route } from '../define.ts'
import { signInOf } from '../../auth/sign-in-of.ts'

const tags = ['server']
const query = NoQuery
const ProviderParams = z.object({ provider: z.string() })
const ProviderView = z.object({
  id: z.string().meta({ example: 'okta' }),
  kind: z.string(),
  label: z.string(),
  changedAt: z.iso.datetime(),
  changedBy: z.string(),
})
const ProviderInput = z.looseObject({ kind: z.string(), label: z.string() }).meta({
  description: 'The settings of the provider: see docs/access.md. Secrets are sealed and never shown.',
})
const ProviderCheckView = z.object({
  facts: z.record(z.string(), z.string()).meta({ example: { Issuer: 'https://example.okta.com' } }),
  warnings: z
    .array(z.string())
    .meta({ description: 'Sign-in works, but not all that the settings ask for.' }),
})

const SettingsView = z.object({
  administrators: z.array(z.string()).meta({ example: ['user:alice', 'group:okta/platform'] }),
  orgCreators: z.string().meta({ description: 'Who may create organizations: administrators or everyone.' }),
  rootTokenOff: z.object({ at: z.iso.datetime(), by: z.string() }).nullable(),
})

async function viewSettings(
  { administrators, orgCreators = 'administrators', rootTokenOff: off }: ServerPolicy,
  { signIn }: V1Services,
): Promise<z.input<typeof SettingsView>> {
  return {
    administrators: await Promise.all(administrators.map((to) => saySubject(to, { people: signIn?.people }))),
    orgCreators,
    rootTokenOff: off === undefined ? null : { at: isoTime(off.at), by: off.by },
  }
}

export const serverSettingsRoutes = [
  route({
    method: 'GET',
    path: '/v1/server/settings',
    id: 'getServerSettings',
    action: 'server:admin',
    tags,
    summary: 'Show the settings of the server',
    query,
    target: ofServer,
    answers: { 200: jsonAnswer(SettingsView, 'The settings') },
    async handle({ caller }, services) {
      return {
        status: 200,
        json: await viewSettings(await signInOf(services).settings.get(caller), services),
      }
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/server/settings',
    id: 'updateServerSettings',
    action: 'server:admin',
    tags,
    summary: 'Change the settings of the server',
    query,
    body: jsonBody(
      z.strictObject({
        orgCreators: z.enum(['administrators', 'everyone']).optional(),
        isRootTokenOff: z
          .boolean()
          .optional()
          .meta({ description: 'True: the root token is not accepted any more.' }),
      }),
    ),
    target: ofServer,
    answers: { 200: jsonAnswer(SettingsView, 'Changed') },
    async handle({ body: { orgCreators, isRootTokenOff }, caller }, services) {
      const change = {
        ...(orgCreators === undefined ? {} : { orgCreators }),
        ...(isRootTokenOff === undefined ? {} : { isRootTokenOff }),
      }
      const settings = await signInOf(services).settings.update(change, caller)
      return { status: 200, json: await viewSettings(settings, services) }
    },
  }),
  ...(['PUT', 'DELETE'] as const).map((method) =>
    route({
      method,
      path: '/v1/server/administrators/{subject}',
      id: method === 'PUT' ? 'addAdministrator' : 'removeAdministrator',
      action: 'server:admin',
      tags,
      summary:
        method === 'PUT'
          ? 'Make someone an administrator of the server'
          : 'Remove an administrator of the server',
      params: z.object({
        subject: z
          .string()
          .meta({ description: 'user:<login>, group:<provider>/<group> or email:<address>.' }),
      }),
      query,
      target: ofServer,
      answers: { 200: jsonAnswer(SettingsView, 'The settings') },
      async handle({ params, caller }, services) {
        const { settings, people } = signInOf(services)
        const { administrators } = await settings.get(caller)
        const subject = administrators.includes(params.subject)
          ? params.subject
          : await parseSubject(params.subject, { people }, caller)
        const changed = await (method === 'PUT'
          ? settings.addAdministrator(subject, caller)
          : settings.removeAdministrator(subject, caller))
        return { status: 200, json: await viewSettings(changed, services) }
      },
    }),
  ),
  route({
    method: 'GET',
    path: '/v1/providers',
    id: 'listProviders',
    action: 'provider:manage',
    tags,
    summary: 'List sign-in providers',
    query,
    target: ofServer,
    answers: { 200: jsonAnswer(z.object({ items: z.array(ProviderView) }), 'All of them') },
    async handle({ caller }, services) {
      const { providers } = await signInOf(services).settings.get(caller)
      return { status: 200, json: { items: providers.map(viewProvider) } }
    },
  }),
  route({
    method: 'PUT',
    path: '/v1/providers/{provider}',
    id: 'putProvider',
    action: 'provider:manage',
    tags,
    summary: 'Add a sign-in provider, or replace its settings',
    params: ProviderParams,
    query,
    body: jsonBody(ProviderInput),
    target: ofServer,
    answers: { 200: jsonAnswer(ProviderView, 'The provider') },
    async handle({ params, body, caller }, services) {
      const stored = await signInOf(services).settings.putProvider({ ...body, id: params.provider }, caller)
      return { status: 200, json: viewProvider(stored) }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/providers/{provider}/check',
    id: 'checkProvider',
    action: 'provider:manage',
    tags,
    summary: 'Ask a sign-in provider whether its settings can work',
    params: ProviderParams,
    query,
    target: ofServer,
    answers: { 200: jsonAnswer(ProviderCheckView, 'What was found') },
    async handle({ params, caller }, services) {
      const { providers } = await signInOf(services).settings.get(caller)
      const isKnown = providers.some(({ id }) => id === params.provider)
      if (!isKnown || services.checkProvider === undefined) throw noProvider(params.provider)
      const { facts, warnings } = await services.checkProvider(params.provider)
      return { status: 200, json: { facts, warnings: [...warnings] } }
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/providers/{provider}',
    id: 'deleteProvider',
    action: 'provider:manage',
    tags,
    summary: 'Remove a sign-in provider',
    params: ProviderParams,
    query,
    target: ofServer,
    answers: { 204: { description: 'Removed' } },
    async handle({ params, caller }, services) {
      const { settings } = signInOf(services)
      const { providers } = await settings.get(caller)
      if (!providers.some(({ id }) => id === params.provider)) throw noProvider(params.provider)
      await settings.removeProvider(params.provider, caller)
      return { status: 204 }
    },
  }),
]
