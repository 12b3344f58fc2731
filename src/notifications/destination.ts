import { z } from 'zod'
import { openObject } from '../bucket/index.ts'
import type { Notice } from './notice.ts'

/** How a delivery went, as the other side answered it. */
export const DeliveryResponse = openObject({
  /** Where it was sent: the address of the webhook, or `mailto:` and the addresses. */
  url: z.string(),
  /** The status, or a word such as `ECONNREFUSED` where there was no answer. */
  code: z.string(),
  headers: z.record(z.string(), z.array(z.string())),
  /** The beginning of it. */
  body: z.string(),
  sentAt: z.number(),
  isSuccessful: z.boolean(),
  /** What was sent: a trigger, or `verification`. */
  trigger: z.string(),
})
export type DeliveryResponse = z.infer<typeof DeliveryResponse>

/** Where to send a notice to, with its secrets. */
export interface Recipient {
  readonly url: string | undefined
  readonly token: string | undefined
  readonly emails: readonly string[]
}

/** What an adapter answers. */
export type Sent = Pick<DeliveryResponse, 'url' | 'code' | 'headers' | 'body' | 'isSuccessful'>

/** One kind of destination. */
export interface Destination {
  /** One attempt. What the other side does, or fails to do, is in the answer; it does not throw. */
  send(to: Recipient, notice: Notice, signal: AbortSignal): Promise<Sent>
}
