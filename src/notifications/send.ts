import type { Clock } from '../base/clock.ts'
import type { Sealing } from '../access/index.ts'
import { isTacoError } from '../base/errors.ts'
import { flatName } from '../state/index.ts'
import { type Configuration, type DestinationKind, tokenContext } from './configuration.ts'
import type { DeliveryResponse, Destination, Recipient } from './destination.ts'
import type { NotedEvent } from './event.ts'
import { type Notice, sentenceOf } from './notice.ts'

export type Destinations = Readonly<Record<DestinationKind, Destination>>

/** The organization, and the unit if it is about one. */
interface About {
  readonly org: string
  readonly unit?: string
}

export interface SendDeps {
  readonly clock: Clock
  readonly sealing: Sealing
  readonly destinations: Destinations
  /** The current name of an organization. */
  readonly orgName: (org: string) => string
  /** A page about a unit or, without one, about the organization. Undefined: the server does not know its address. */
  readonly linkTo: ((org: string, unit: string | undefined) => string) | undefined
  /** Undefined: there is none, or the person may not read the events of this any more. */
  readonly emailOf: (user: string, about: About) => Promise<string | undefined>
}

export interface Sender {
  /** Tells a destination about an event. */
  event(
    org: string,
    to: Configuration,
    event: NotedEvent,
    trigger: string,
    signal: AbortSignal,
  ): Promise<DeliveryResponse>
  /** Asks a destination whether it takes notifications. */
  verification(org: string, to: Configuration, signal: AbortSignal, token?: string): Promise<DeliveryResponse>
}

/** One attempt of one delivery. */
export function createSender(deps: SendDeps): Sender {
  const { clock, sealing, destinations, orgName, linkTo, emailOf } = deps

  async function send(
    to: Configuration,
    about: About,
    notice: Notice,
    signal: AbortSignal,
    token?: string,
  ): Promise<DeliveryResponse> {
    const sentAt = clock.now()
    const attempt = { sentAt, trigger: notice.trigger }
    const refused = (code: string, body: string): DeliveryResponse => ({
      ...attempt,
      url: to.url ?? '',
      code,
      headers: {},
      body,
      isSuccessful: false,
    })
    const destination: Destination | undefined = Object.hasOwn(destinations, to.destination)
      ? destinations[to.destination as DestinationKind]
      : undefined
    if (destination === undefined)
      return refused('EUNKNOWN', 'This server does not know this kind of destination.')
    let recipient: Recipient
    try {
      recipient = { url: to.url, token: token ?? tokenOf(to), emails: await emailsOf(to, about) }
    } catch (error) {
      if (!isTacoError(error)) throw error
      return refused(error.code, error.message)
    }
    return { ...attempt, ...(await destination.send(recipient, notice, signal)) }
  }

  function tokenOf({ id, token }: Configuration): string | undefined {
    return token === undefined ? undefined : sealing.open(token, tokenContext(id)).toString('utf8')
  }

  async function emailsOf(
    { destination, emails, users }: Configuration,
    about: About,
  ): Promise<readonly string[]> {
    if (destination !== 'email') return []
    const known = await Promise.all(users.map((user) => emailOf(user, about)))
    return [...new Set([...emails, ...known.flatMap((email) => email ?? [])])]
  }

  return {
    event: (org, to, event, trigger, signal) =>
      send(
        to,
        { org, ...(event.unit && { unit: event.unit.id }) },
        {
          configuration: to.id,
          trigger,
          message: sentenceOf(event),
          org: orgName(org),
          workspace: event.unit && { id: event.unit.id, name: flatName(event.unit.name) },
          link: linkTo?.(org, event.unit?.name) ?? null,
          event,
        },
        signal,
      ),
    verification: (org, to, signal, token) =>
      send(
        to,
        { org },
        {
          configuration: to.id,
          trigger: 'verification',
          message: `Verification of ${to.name}`,
          org: orgName(org),
          workspace: null,
          link: null,
          event: null,
        },
        signal,
        token,
      ),
  }
}
