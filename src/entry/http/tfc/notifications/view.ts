import type { Caller } from '../../../../access/index.ts'
import type { Configuration, DeliveryResponse } from '../../../../notifications/index.ts'
import { withShownUrl } from '../../kit/webhook-url.ts'
import type { TfcServices } from '../kit/define.ts'
import { type ResourceObject, many, one, time } from '../kit/json-api.ts'

const TYPES: Readonly<Record<string, string>> = {
  organization: 'organizations',
  unit: 'workspaces',
  project: 'projects',
  team: 'teams',
}

/** As clients decode it. The token is never shown. */
export async function viewNotification(
  { notifications, control }: Pick<TfcServices, 'notifications' | 'control'>,
  org: string,
  stored: Configuration,
  caller: Caller,
): Promise<ResourceObject> {
  const configuration = await withShownUrl(control, org, stored, caller)
  const { id, name, destination, isEnabled, triggers, url, emails, users, scope } = configuration
  const { responses } = await notifications.deliveriesOf(org, id)
  const about = scope.kind === 'organization' ? control.orgNames.nameOf(org) : scope.id
  return {
    id,
    type: 'notification-configurations',
    attributes: {
      name,
      enabled: isEnabled,
      'destination-type': destination,
      triggers,
      url: url ?? null,
      token: null,
      'email-addresses': emails,
      'delivery-responses': responses.map((one) =>
        viewResponse(url === stored.url ? one : { ...one, url: url ?? '' }),
      ),
      'created-at': time(configuration.createdAt),
      'updated-at': time(configuration.updatedAt),
    },
    relationships: {
      subscribable: one(TYPES[scope.kind] ?? scope.kind, about),
      users: many('users', users),
    },
    links: { self: `/api/v2/notification-configurations/${id}` },
  }
}

/**
 * Clients decode text for the status and for whether it was successful. go-tfe 1.109 drops a response that has headers,
 * without an error: only the native API shows them.
 */
function viewResponse({ url, body, code, sentAt, isSuccessful }: DeliveryResponse) {
  return { url, body, code, headers: null, 'sent-at': time(sentAt), successful: String(isSuccessful) }
}
