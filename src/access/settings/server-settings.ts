import { z } from 'zod'
import { type Clock, isoTime } from '../../base/clock.ts'
import { TacoError, badRequest } from '../../base/errors.ts'
import { createFresh } from '../../base/fresh.ts'
import type { Ids } from '../../base/ids.ts'
import {
  type Bucket,
  type DocumentKind,
  createDocumentStore,
  documentFields,
  openObject,
  openWord,
} from '../../bucket/index.ts'
import { type Caller, authorOf } from '../caller.ts'
import type { AccessEventType } from '../event-types.ts'
import { type ProviderKind, type ProviderSettings, parseProviderSettings } from '../identity/settings.ts'
import { JournalEvent, type JournalPort, SERVER } from '../journal-port.ts'
import { accessPrefix } from '../layout.ts'
import { FRESH_MS } from '../people/people.ts'
import { checkUnchanged, partEtag } from '../organization/etags.ts'
import { EVERYONE } from '../subjects.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { sealAgain } from '../secrets/sealed.ts'

const StoredProvider = openObject({
  id: z.string(),
  kind: z.string(),
  label: z.string(),
  /** All settings, secrets included, sealed for this place. */
  sealed: z.string(),
  changedAt: z.number(),
  changedBy: z.string(),
})
export type StoredProvider = z.infer<typeof StoredProvider>

const OrgCreators = z.enum(['administrators', 'everyone'])

export const ServerDocument = openObject({
  ...documentFields(1),
  providers: z.array(StoredProvider),
  /** `user:<id>`, `group:<provider>/<group>`, `email:<address>`: they may do everything, everywhere. */
  administrators: z.array(z.string()),
  /** Who may create organizations. An unknown word: administrators only. */
  orgCreators: openWord(OrgCreators).optional(),
  /** Set: the root token is not accepted any more. */
  rootTokenOff: openObject({ at: z.number(), by: z.string() }).optional(),
  outbox: z.array(JournalEvent),
})
export type ServerDocument = z.infer<typeof ServerDocument>

/** What decisions are made on. */
export type ServerPolicy = Pick<
  ServerDocument,
  'providers' | 'administrators' | 'orgCreators' | 'rootTokenOff'
>

const NO_SETTINGS: ServerPolicy = { providers: [], administrators: [] }

const serverKind: DocumentKind<ServerDocument, void> = {
  name: 'settings of the server',
  format: { schema: ServerDocument, major: 1, minor: 0 },
  keyOf: () => `${accessPrefix}server.json`,
  cache: { most: 1 },
}

export interface ServerSettingsChange {
  readonly orgCreators?: z.infer<typeof OrgCreators>
  readonly isRootTokenOff?: boolean
}

/** The settings of the whole server: how people sign in, and who administers it. */
export interface ServerSettings {
  /** At most a moment old. */
  fresh(): ServerPolicy | Promise<ServerPolicy>
  get(caller: Caller): Promise<ServerPolicy>
  update(change: ServerSettingsChange, caller: Caller): Promise<ServerPolicy>
  addAdministrator(subject: string, caller: Caller): Promise<ServerPolicy>
  removeAdministrator(subject: string, caller: Caller): Promise<ServerPolicy>
  /**
   * Adds a provider, or replaces the one of this id. BAD_REQUEST names the field that is wrong. `seen`: the etag of the
   * provider that the caller read; it must still be that one.
   */
  putProvider(input: unknown, caller: Caller, seen?: string): Promise<StoredProvider>
  removeProvider(id: string, caller: Caller): Promise<void>
  /** With its secrets. At most a moment old. */
  provider(id: string): Promise<ProviderSettings | undefined>
  /** As it is now, with its secrets and its etag. */
  currentProvider(
    id: string,
  ): Promise<{ readonly settings: ProviderSettings; readonly etag: string } | undefined>
}

const contextOf = (id: string) => `${accessPrefix}server.json providers ${id}`

export function createServerSettings(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly journal: JournalPort
  readonly keys: KeyRing
}): ServerSettings {
  const { clock, journal, keys } = deps
  const store = createDocumentStore({ ...deps, outbox: journal }, serverKind)
  const read = async (): Promise<ServerPolicy> => (await store.find())?.value ?? NO_SETTINGS
  const fresh = createFresh<void, ServerPolicy>({ clock, forMs: FRESH_MS, most: 1, keyOf: () => '', read })

  async function change(
    type: AccessEventType,
    data: Readonly<Record<string, unknown>>,
    caller: Caller,
    transition: (settings: ServerDocument) => ServerDocument,
  ): Promise<ServerPolicy> {
    if ((await store.find()) === undefined) await store.create(undefined, NO_SETTINGS)
    const { value } = await store.change(
      undefined,
      (settings) => {
        const next = transition(settings)
        if (next === settings) return { value: settings, answer: undefined }
        const events = [journal.make({ org: SERVER }, { type, caller, data })]
        return { value: sealedAgain(next), events, answer: undefined }
      },
      caller,
    )
    fresh.forget()
    return value
  }

  /** By the current key, also what an older one sealed. */
  function sealedAgain(settings: ServerDocument): ServerDocument {
    const providers = settings.providers.map((one) => ({
      ...one,
      sealed: sealAgain(keys, one.sealed, contextOf(one.id)),
    }))
    return { ...settings, providers }
  }

  function opened({ id, sealed }: StoredProvider): ProviderSettings {
    return parseProviderSettings(JSON.parse(keys.open(sealed, contextOf(id)).toString()))
  }

  return {
    fresh: () => fresh.get(),
    get: () => read(),
    update: ({ orgCreators, isRootTokenOff }, caller) =>
      change('server.changed', { orgCreators, isRootTokenOff }, caller, (settings) => {
        const { rootTokenOff: before, ...rest } = settings
        const off = isRootTokenOff ?? before !== undefined
        if (off && before === undefined && settings.administrators.length === 0)
          throw badRequest(
            'rootToken',
            'The server would have no administrator without the root token.',
            'Add an administrator first: `taco server admin add`.',
          )
        // An address with a typing mistake is an administrator too, so one of them has to be here.
        if (off && before === undefined && caller.principal.kind === 'token')
          throw new TacoError(
            'FORBIDDEN',
            'Only an administrator who has signed in can switch the root token off.',
            {
              facts: { field: 'isRootTokenOff' },
              hint: 'Sign in with `taco login` as an administrator, and try again.',
            },
          )
        return {
          ...rest,
          ...(orgCreators === undefined ? {} : { orgCreators }),
          ...(off ? { rootTokenOff: before ?? { at: clock.now(), by: authorOf(caller).by } } : {}),
        }
      }),
    addAdministrator: (subject, caller) =>
      change('server.administrator-added', { subject }, caller, (settings) => {
        if (subject === EVERYONE)
          throw badRequest(
            'subject',
            'Not everyone can administer the server.',
            'Name a person, a group of a sign-in provider, or an e-mail address.',
          )
        if (settings.administrators.includes(subject)) return settings
        return { ...settings, administrators: [...settings.administrators, subject] }
      }),
    removeAdministrator: (subject, caller) =>
      change('server.administrator-removed', { subject }, caller, (settings) => {
        const administrators = settings.administrators.filter((one) => one !== subject)
        if (administrators.length === settings.administrators.length) return settings
        if (administrators.length === 0 && settings.rootTokenOff !== undefined)
          throw new TacoError('CONFLICT', 'This is the last administrator, and the root token is off.', {
            hint: 'Add another administrator, or switch the root token on again.',
          })
        return { ...settings, administrators }
      }),
    async putProvider(input, caller, seen) {
      const settings = parseProviderSettings(input)
      const { id, kind, label } = settings
      const sealed = keys.seal(JSON.stringify(settings), contextOf(id))
      const made = { id, kind, label, sealed, changedAt: clock.now(), changedBy: authorOf(caller).by }
      await change('provider.changed', { provider: id, kind }, caller, (all) => {
        const before = all.providers.find((one) => one.id === id)
        checkUnchanged(seen, before, `The sign-in provider ${id}`)
        // People are known by provider and subject: what another kind calls a subject may be somebody else.
        if (before !== undefined && before.kind !== kind)
          throw new TacoError('CONFLICT', `The provider ${id} exists with the kind ${before.kind}.`, {
            facts: { field: 'kind' },
            hint: 'Choose another id.',
          })
        return { ...all, providers: [...all.providers.filter((one) => one.id !== id), made] }
      })
      return made
    },
    async removeProvider(id, caller) {
      await change('provider.removed', { provider: id }, caller, (all) => {
        if (!all.providers.some((one) => one.id === id)) throw noProvider(id)
        return { ...all, providers: all.providers.filter((one) => one.id !== id) }
      })
    },
    async provider(id) {
      const { providers } = await fresh.get()
      const found = providers.find((one) => one.id === id)
      return found && opened(found)
    },
    async currentProvider(id) {
      const { providers } = await read()
      const found = providers.find((one) => one.id === id)
      return found && { settings: opened(found), etag: partEtag(found) }
    },
  }
}

export function noProvider(id: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no sign-in provider ${id}.`, {
    facts: { field: 'provider', provider: id },
    hint: 'See `taco provider ls`.',
  })
}

/** As an administrator sees it: never a secret. */
export function viewProvider({ id, kind, label, changedAt, changedBy }: StoredProvider) {
  return { id, kind: kind as ProviderKind, label, changedAt: isoTime(changedAt), changedBy }
}
