import { z } from 'zod'
import { type Caller, type Sealing, systemCaller } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { badRequest } from '../base/errors.ts'
import { type FieldsOf, type RecordDeps, type Records, createRecords, recordTag } from '../records/index.ts'
import { type Expected, type Journal, changedMeanwhile, isExpected } from '../state/index.ts'
import {
  type Configuration,
  type DestinationKind,
  type Scope,
  configurationKind,
  tokenContext,
} from './configuration.ts'
import {
  type DeliveriesDocument,
  type DeliveriesStore,
  changeDeliveries,
  createDeliveriesStore,
} from './deliveries.ts'
import type { DeliveryResponse } from './destination.ts'
import { type Follows, createFollows } from './follows.ts'
import { deliveriesKey, deliveriesPrefix } from './layout.ts'
import { noteResponses } from './queue.ts'
import type { Sender } from './send.ts'

export interface NewConfiguration {
  readonly name: string
  readonly destination: DestinationKind
  readonly isEnabled: boolean
  readonly triggers: readonly string[]
  readonly scope: Scope
  readonly url?: string | undefined
  /** In the clear. */
  readonly token?: string | undefined
  readonly emails?: readonly string[] | undefined
  readonly users?: readonly string[] | undefined
}

/** What is left out stays as it is. An empty token takes it away. */
export type ConfigurationChange = {
  readonly [K in Exclude<keyof NewConfiguration, 'destination' | 'scope'>]?: NewConfiguration[K] | undefined
}

/** How deliveries to one destination go. */
export interface DeliveryState {
  /** The newest first. */
  readonly responses: readonly DeliveryResponse[]
  readonly waiting: number
  readonly givenUp: number
}

export interface Notifications extends Pick<Records<Configuration>, 'locate'> {
  list(org: string, scope?: Scope): Promise<readonly Configuration[]>
  get(org: string, id: string): Promise<Configuration>
  deliveriesOf(org: string, id: string): Promise<DeliveryState>
  /** The same for several, by id. Reads only what has changed since it was last read. */
  deliveriesOfAll(org: string, ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryState>>
  /** What is enabled is verified first, and refused if its destination does not answer with success. */
  create(org: string, given: NewConfiguration, caller: Caller): Promise<Configuration>
  /** `expected`: `recordTag` of the configuration as it was shown; else PRECONDITION_FAILED and nothing is changed. */
  update(
    org: string,
    id: string,
    change: ConfigurationChange,
    caller: Caller,
    expected?: Expected,
  ): Promise<Configuration>
  remove(org: string, id: string, caller: Caller): Promise<void>
  /** Sends a test. The answer is also kept with the deliveries. */
  verify(org: string, id: string, caller: Caller): Promise<DeliveryResponse>
}

export interface NotificationDeps extends RecordDeps {
  readonly clock: Clock
  readonly sealing: Sealing
  readonly journal: Journal
  readonly sender: Sender
  /** Called when there is something new to do for the deliverer of this process. */
  readonly poke?: () => void
}

/** What the service and the deliverer share. */
export interface NotificationParts {
  readonly records: Records<Configuration>
  readonly deliveries: DeliveriesStore
  readonly follows: Follows
}

export function openNotificationParts(deps: RecordDeps): NotificationParts {
  return {
    records: createRecords(deps, configurationKind),
    deliveries: createDeliveriesStore(deps),
    follows: createFollows(deps),
  }
}

const system = systemCaller('opentaco')

export function createNotifications(deps: NotificationDeps, parts: NotificationParts): Notifications {
  const { clock, sealing, journal, sender } = deps
  const { records, deliveries, follows } = parts

  /** Before the first one is enabled: what happens from now on is to be delivered. */
  async function follow(org: string, id: string): Promise<void> {
    const others = (await records.list({ org })).filter((one) => one.isEnabled && one.id !== id)
    const { next } = await journal.read({ org, after: 'now', limit: 1 }, system)
    await follows.begin(org, next, others.length === 0)
  }

  async function tellDeliverer(org: string): Promise<void> {
    await follows.touch(org)
    deps.poke?.()
  }

  function keep(org: string, configuration: string, response: DeliveryResponse) {
    return changeDeliveries(deliveries, { org, configuration }, (all) => noteResponses(all, [response]))
  }

  async function verified(org: string, draft: Configuration, token: string | undefined, caller: Caller) {
    const signal = caller.signal ?? new AbortController().signal
    const response = await sender.verification(org, draft, signal, token)
    if (!response.isSuccessful) throw refusedBy(draft, response)
    return response
  }

  return {
    locate: records.locate,
    async list(org, scope) {
      const all = await records.list({ org })
      if (scope === undefined) return all
      return all.filter((one) => one.scope.kind === scope.kind && one.scope.id === scope.id)
    },
    get: (org, id) => records.get({ org }, id),
    async deliveriesOf(org, configuration) {
      return deliveryState((await deliveries.find({ org, configuration }))?.value)
    },
    async deliveriesOfAll(org, ids) {
      const keys = new Set(ids.map((id) => deliveriesKey(org, id)))
      const entries = await deliveries.entries(deliveriesPrefix(org))
      const { loaded } = await deliveries.readAll(entries.filter(({ key }) => keys.has(key)))
      return new Map(loaded.map(({ value }) => [value.configuration, deliveryState(value)]))
    },
    async create(org, { token, ...given }, caller) {
      const id = records.newId(org, caller)
      const before = caller.request === undefined ? undefined : await records.find({ org }, id)
      if (before !== undefined) return before
      const now = clock.now()
      const fields = checked({
        ...given,
        triggers: [...new Set(given.triggers)],
        emails: [...(given.emails ?? [])],
        users: [...(given.users ?? [])],
        ...(token === undefined || token === '' ? {} : { token: sealing.seal(token, tokenContext(id)) }),
      })
      const draft = { ...fields, id, createdAt: now, updatedAt: now, createdBy: '' }
      const response = isVerified(draft) ? await verified(org, draft, token, caller) : undefined
      if (fields.isEnabled) await follow(org, id)
      const enabled = fields.isEnabled ? { enabledAt: clock.now() } : {}
      const made = await records.create({ org }, { ...fields, ...enabled }, caller, id)
      if (response !== undefined) await keep(org, id, response)
      if (made.isEnabled) await tellDeliverer(org)
      return made
    },
    async update(org, id, { token, ...change }, caller, expected) {
      const before = await records.get({ org }, id)
      const sealed = token === undefined || token === '' ? undefined : sealing.seal(token, tokenContext(id))
      const apply = (record: Configuration): Configuration => {
        if (!isExpected(expected, recordTag(record))) throw changedMeanwhile('The notification')
        const { token: oldToken, ...rest } = record
        const kept = token === '' ? undefined : (sealed ?? oldToken)
        const next = checked({ ...rest, ...changed(change), ...(kept === undefined ? {} : { token: kept }) })
        const isNew = next.isEnabled && !record.isEnabled
        return { ...next, ...(isNew ? { enabledAt: clock.now() } : {}) }
      }
      const draft = apply(before)
      const isOther = !before.isEnabled || draft.url !== before.url || token !== undefined
      const response = isVerified(draft) && isOther ? await verified(org, draft, token, caller) : undefined
      if (draft.isEnabled && !before.isEnabled) await follow(org, id)
      const made = await records.update({ org }, id, apply, caller)
      if (response !== undefined) await keep(org, id, response)
      if (made.isEnabled) await tellDeliverer(org)
      return made
    },
    async remove(org, id, caller) {
      await records.remove({ org }, id, caller)
      await deliveries.remove({ org, configuration: id })
    },
    async verify(org, id, caller) {
      const configuration = await records.get({ org }, id)
      const signal = caller.signal ?? new AbortController().signal
      const response = await sender.verification(org, configuration, signal)
      await keep(org, id, response)
      if (!response.isSuccessful) throw refusedBy(configuration, response)
      return response
    },
  }
}

function deliveryState(found: DeliveriesDocument | undefined): DeliveryState {
  return {
    responses: found?.responses ?? [],
    waiting: found?.waiting.length ?? 0,
    givenUp: found?.givenUp ?? 0,
  }
}

/** E-mail is not verified: an SMTP server takes a message long before it is known whether it arrives. */
function isVerified({ isEnabled, destination }: Configuration): boolean {
  return isEnabled && destination !== 'email'
}

function refusedBy({ destination }: Configuration, { code, body, url }: DeliveryResponse) {
  const said = body === '' ? '' : `: ${body.slice(0, 200)}`
  return badRequest(
    destination === 'email' ? 'emails' : 'url',
    `${hostOf(url)} did not accept a test of the notification (${code}${said}).`,
    'Check the address. A notification that is not enabled is stored without a test.',
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) && !url.startsWith('mailto:') ? new URL(url).host : 'The mail server'
}

const Email = z.email().max(254)
const MOST_RECIPIENTS = 100

/** What the fields must be together. Throws for the first that is wrong. */
function checked<T extends FieldsOf<Configuration>>(fields: T): T {
  const { destination, url, emails, users, token } = fields
  if (destination === 'email') {
    if (url !== undefined)
      throw badRequest('url', 'A notification by e-mail has no URL.', 'Leave the URL out.')
    const wrong = emails.find((email) => !Email.safeParse(email).success)
    if (wrong !== undefined)
      throw badRequest(
        'emails',
        `"${wrong}" is not an e-mail address.`,
        'Give addresses such as ops@example.com.',
      )
    if (emails.length + users.length > MOST_RECIPIENTS)
      throw badRequest('emails', 'There are too many recipients.', `Give at most ${MOST_RECIPIENTS}.`)
    return fields
  }
  if (url === undefined)
    throw badRequest(
      'url',
      'The URL of the webhook is missing.',
      'Give a URL such as https://example.com/hook.',
    )
  const isUrl = url.length <= 2_000 && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (!isUrl)
    throw badRequest(
      'url',
      'The URL is not an http or https address.',
      'Give a URL such as https://example.com/hook.',
    )
  if (token !== undefined && destination !== 'generic')
    throw badRequest('token', `Notifications to ${destination} are not signed.`, 'Leave the token out.')
  return fields
}

/** Without what is left out. */
function changed({ name, isEnabled, triggers, url, emails, users }: Omit<ConfigurationChange, 'token'>) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(isEnabled === undefined ? {} : { isEnabled }),
    ...(url === undefined ? {} : { url }),
    ...(triggers && { triggers: [...new Set(triggers)] }),
    ...(emails && { emails: [...emails] }),
    ...(users && { users: [...users] }),
  }
}
