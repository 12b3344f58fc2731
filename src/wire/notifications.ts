import { type Access, type People, type Sealing, principalOf, systemCaller } from '../access/index.ts'
import { isTacoError } from '../base/errors.ts'
import { type Log, silentLog } from '../base/log.ts'
import type { Graph } from '../graph/index.ts'
import { deniedAddresses } from '../notifications/adapters/denied-addresses.ts'
import { type MailSettings, createEmail } from '../notifications/adapters/email.ts'
import { createGeneric } from '../notifications/adapters/generic.ts'
import { createMicrosoftTeams } from '../notifications/adapters/microsoft-teams.ts'
import { createPostJson } from '../notifications/adapters/post-json.ts'
import { createSlack } from '../notifications/adapters/slack.ts'
import {
  type Deliverer,
  type DelivererDeps,
  type Notifications,
  createNotifications,
  createSender,
  createStaleUnits,
  openNotificationParts,
  startDeliverer,
} from '../notifications/index.ts'
import { projectIdOf } from '../projects/index.ts'
import type { RecordDeps } from '../records/index.ts'
import type { StateControl } from '../state/index.ts'

/** What the operator of a server says about notifications. */
export interface NotifySettings {
  /** Undefined: it sends no e-mail. */
  readonly smtp?: MailSettings | undefined
  /** Networks that nothing is sent to, beside those that are never allowed. */
  readonly deny?: readonly string[]
  /** As people reach the server: for links. */
  readonly publicUrl?: string | undefined
}

export interface OpenedNotifications {
  readonly notifications: Notifications
  /** Delivers from this process, as long as no other server does. */
  startDelivery(everyMs: number): Deliverer
}

export function openNotifications(
  deps: RecordDeps & {
    readonly control: StateControl
    readonly graph: Graph
    readonly sealing: Sealing
    readonly people: People | undefined
    readonly access: Access
    readonly log?: Log
  },
  { smtp, deny = [], publicUrl }: NotifySettings = {},
): OpenedNotifications {
  const { control, graph, people, clock } = deps
  const post = createPostJson({ denied: deniedAddresses(deny) })
  const nameOf = (org: string) => control.orgNames.nameOf(org)
  const sender = createSender({
    ...deps,
    destinations: {
      generic: createGeneric(post),
      slack: createSlack(post),
      'microsoft-teams': createMicrosoftTeams(post),
      email: createEmail(smtp),
    },
    orgName: nameOf,
    linkTo: publicUrl === undefined ? undefined : (org, unit) => pageOf(publicUrl, nameOf(org), unit),
    async emailOf(user, about) {
      const person = await people?.fresh(user)
      const principal = person && principalOf(person, { kind: 'session', id: 'notification' })
      if (principal === undefined) return undefined
      const { allowed } = await deps.access.decide(principal, 'events:read', about, { isFiltered: true })
      return allowed ? person?.email : undefined
    },
  })
  const parts = openNotificationParts(deps)
  let deliverer: Deliverer | undefined
  const poke = () => deliverer?.poke()
  const all = { ...deps, journal: control.journal, sender, poke }
  return {
    notifications: createNotifications(all, parts),
    startDelivery(everyMs) {
      const derive = createStaleUnits(graph.dependencies, clock)
      deliverer = startDeliverer(
        { log: silentLog, ...all, derive, inScope: createScopes(control) },
        parts,
        everyMs,
      )
      return deliverer
    },
  }
}

/** Which project a unit is in. A unit that is gone was in none. */
function createScopes({ units }: StateControl): DelivererDeps['inScope'] {
  const caller = systemCaller('opentaco')
  return async (scope, { unit }, org) => {
    if (scope.kind !== 'project' || unit === null) return false
    try {
      return projectIdOf(await units.get({ org, unit: unit.id }, caller)) === scope.id
    } catch (error) {
      if (isTacoError(error, 'NOT_FOUND')) return false
      throw error
    }
  }
}

function pageOf(publicUrl: string, org: string, unit: string | undefined): string {
  const base = `${publicUrl.replace(/\/$/, '')}/app/${encodeURIComponent(org)}`
  return unit === undefined ? base : `${base}/units/${unit.split('/').map(encodeURIComponent).join('--')}`
}
