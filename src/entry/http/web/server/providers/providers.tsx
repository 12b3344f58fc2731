import { z } from 'zod'
import {
  type ProviderCheck,
  type ProviderKind,
  SECRET_SETTINGS,
  noProvider,
  viewProvider,
} from '../../../../../access/index.ts'
import { isTacoError } from '../../../../../base/errors.ts'
import { signInOf } from '../../../auth/sign-in-of.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { form, page } from '../../define.ts'
import type { WebServices } from '../../services.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { ExportFormat, exported } from '../../shell/export.ts'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { htmlReply } from '../../shell/render.ts'
import { accountViewOf } from '../../shell/view.ts'
import {
  PROVIDER_FIELDS,
  type ProviderInput,
  inputOf,
  providerFaults,
  settingsFrom,
} from './provider-fields.ts'
import { ProviderPage, providerPath } from './provider-page.tsx'
import { PROVIDER_KINDS, ProvidersPage, providerColumns } from './providers-page.tsx'

const PATH = '/server/providers'
const action = 'provider:manage'
const params = z.object({ provider: z.string() })
const text = z.string().trim().default('')
const Kind = z.enum(PROVIDER_KINDS)

/** Every setting that the form of some kind has. */
const names = new Set(Object.values(PROVIDER_FIELDS).flatMap((fields) => fields.map(({ name }) => name)))
const settingFields = Object.fromEntries([...names].map((name) => [name, text]))

interface NewShown {
  readonly kind?: ProviderKind | undefined
  readonly input?: ProviderInput
  readonly faults?: Faults
  readonly format?: z.infer<typeof ExportFormat>
}

async function providersPage(x: Exchange, services: WebServices, shown: NewShown) {
  const { kind, input = {}, faults = {}, format } = shown
  const { providers } = await signInOf(services).settings.get(x.caller)
  const items = providers.map(viewProvider)
  const view = await accountViewOf(x, services)
  if (format !== undefined) return exported(format, 'providers', providerColumns(view), items)
  const props = { view, providers: items, kind, input, faults }
  return htmlReply(<ProvidersPage {...props} publicUrl={services.publicUrl} />, statusOf(faults))
}

interface Shown {
  readonly input?: ProviderInput
  readonly faults?: Faults
  readonly isOvertaken?: boolean
  /** What the provider answered. */
  readonly check?: ProviderCheck
  /** Why it did not. */
  readonly failure?: string
}

async function providerPage(x: Exchange, services: WebServices, id: string, shown: Shown = {}) {
  const { faults = {}, isOvertaken = false } = shown
  const { settings } = signInOf(services)
  const found = await settings.currentProvider(id)
  if (found === undefined) throw noProvider(id)
  const kept = SECRET_SETTINGS[found.settings.kind].filter((name) => Object.hasOwn(found.settings, name))
  return htmlReply(
    <ProviderPage
      view={await accountViewOf(x, services)}
      id={id}
      kind={found.settings.kind}
      etag={found.etag}
      now={inputOf(found.settings)}
      kept={kept}
      publicUrl={services.publicUrl}
      {...shown}
    />,
    isOvertaken ? 409 : statusOf(faults),
  )
}

const statusOf = (faults: Faults) => (Object.keys(faults).length === 0 ? 200 : 400)

/** Secrets are never sent back. */
function withoutSecrets(kind: ProviderKind, input: ProviderInput): ProviderInput {
  const secret = new Set(SECRET_SETTINGS[kind])
  return Object.fromEntries(Object.entries(input).filter(([name]) => !secret.has(name)))
}

export const providerRoutes: readonly Route[] = [
  page({
    path: PATH,
    id: 'showProviders',
    action,
    summary: 'Sign-in providers',
    query: z.object({ kind: Kind.optional().catch(undefined), format: ExportFormat.catch(undefined) }),
    handle: ({ x, query }, services) => providersPage(x, services, query),
  }),
  form({
    path: PATH,
    id: 'addProviderByForm',
    action,
    summary: 'Add a sign-in provider',
    isSecret: true,
    fields: { ...settingFields, kind: Kind, id: text, label: text },
    async handle({ x, body, caller }, services) {
      const { kind, ...typed } = body
      const input = typed as ProviderInput
      try {
        await signInOf(services).settings.putProvider(settingsFrom(kind, input), caller, '')
      } catch (error) {
        const faults = isTacoError(error, 'PRECONDITION_FAILED')
          ? { id: error.message }
          : providerFaults(error, PROVIDER_FIELDS[kind])
        return providersPage(x, services, { kind, input: withoutSecrets(kind, input), faults })
      }
      setFlash(x, services.cookies, {
        kind: 'ok',
        text: `The sign-in provider ${body.id} was added. Check it now.`,
      })
      return seeOther(providerPath(body.id))
    },
  }),
  page({
    path: `${PATH}/{provider}`,
    params,
    id: 'showProvider',
    action,
    summary: 'A sign-in provider',
    handle: ({ x, params: { provider } }, services) => providerPage(x, services, provider),
  }),
  form({
    path: `${PATH}/{provider}/settings`,
    params,
    id: 'changeProviderByForm',
    action,
    summary: 'Change a sign-in provider',
    isSecret: true,
    fields: { ...settingFields, label: text, etag: text },
    async handle({ x, params: { provider: id }, body, caller }, services) {
      const { settings } = signInOf(services)
      const found = await settings.currentProvider(id)
      if (found === undefined) throw noProvider(id)
      const { kind } = found.settings
      const { etag, ...typed } = body
      const input: ProviderInput = { ...(typed as ProviderInput), id }
      const shown = { input: withoutSecrets(kind, input) }
      try {
        // The secrets that are kept are those of the version that is replaced: any other is refused.
        const next = settingsFrom(kind, input, { ...found.settings })
        if (etag !== found.etag) return await providerPage(x, services, id, { ...shown, isOvertaken: true })
        await settings.putProvider(next, caller, etag)
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return providerPage(x, services, id, { ...shown, isOvertaken: true })
        const faults = providerFaults(error, PROVIDER_FIELDS[kind])
        return providerPage(x, services, id, { ...shown, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'Saved.' })
      return seeOther(providerPath(id))
    },
  }),
  form({
    path: `${PATH}/{provider}/check`,
    params,
    id: 'checkProviderByForm',
    action,
    summary: 'Ask a sign-in provider whether its settings can work',
    fields: {},
    async handle({ x, params: { provider: id } }, services) {
      try {
        return await providerPage(x, services, id, { check: await signInOf(services).flow.check(id) })
      } catch (error) {
        if (!isTacoError(error) || error.code === 'NOT_FOUND') throw error
        const failure = [error.message, error.hint].filter(Boolean).join(' ')
        return providerPage(x, services, id, { failure })
      }
    },
  }),
  form({
    path: `${PATH}/{provider}/delete`,
    params,
    id: 'removeProviderByForm',
    action,
    summary: 'Remove a sign-in provider',
    fields: { confirm: text },
    async handle({ x, params: { provider: id }, body, caller }, services) {
      try {
        checkConfirmed(body.confirm, id)
      } catch (error) {
        return providerPage(x, services, id, { faults: faultsAt(error, ['confirm']) })
      }
      await signInOf(services).settings.removeProvider(id, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The sign-in provider ${id} was removed.` })
      return seeOther(PATH)
    },
  }),
]
