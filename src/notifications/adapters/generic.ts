import { createHmac } from 'node:crypto'
import type { Destination } from '../destination.ts'
import type { Notice } from '../notice.ts'
import type { PostJson } from './post-json.ts'

/** A webhook that understands what Terraform Cloud sends. */
export function createGeneric(post: PostJson): Destination {
  return {
    send: ({ url, token }, notice, signal) =>
      post(url, payloadOf(notice), {
        signal,
        headers: (body): Readonly<Record<string, string>> =>
          token === undefined ? {} : { 'x-tfe-notification-signature': signatureOf(body, token) },
      }),
  }
}

export function signatureOf(body: string, token: string): string {
  return createHmac('sha512', token).update(body).digest('hex')
}

/** Terraform Cloud's fields first. What happened in full is in `event`. */
function payloadOf({ configuration, trigger, message, org, workspace, link, event }: Notice) {
  const rollout = event?.data['rollout']
  const isRun = trigger.startsWith('run:')
  const at = event?.at ?? null
  return {
    payload_version: 1,
    notification_configuration_id: configuration,
    run_url: link,
    run_id: typeof rollout === 'string' ? rollout : null,
    run_message: event === null ? null : message,
    run_created_at: at,
    run_created_by: event?.by ?? null,
    workspace_id: workspace?.id ?? null,
    workspace_name: workspace?.name ?? null,
    organization_name: org,
    notifications: [
      {
        message,
        trigger,
        run_status: isRun ? (trigger === 'run:completed' ? 'applied' : 'errored') : null,
        run_updated_at: at,
        run_updated_by: event?.by ?? null,
      },
    ],
    ...(event === null ? {} : { event }),
  }
}
