import { z } from 'zod'
import { Answered, type DocumentFormat, documentFields, openObject } from '../../bucket/index.ts'
import { Event } from './event.ts'

export const Retention = z.object({
  /** Keep at least this many newest versions. */
  count: z.number().int().min(1).optional(),
  /** Keep every version younger than this many days. */
  days: z.number().int().min(1).optional(),
})
export type Retention = z.infer<typeof Retention>

export const EventRetention = z.object({ days: z.number().int().min(1) })
export type EventRetention = z.infer<typeof EventRetention>

/** What is left out is unlimited. */
export const OrgLimits = z.object({
  /** Most units. */
  units: z.number().int().min(0).optional(),
  /** Most versions of a unit that are kept, whatever retention says. */
  versions: z.number().int().min(1).optional(),
  /** Most bytes of states and versions, as they are stored. */
  bytes: z.number().int().min(0).optional(),
})
export type OrgLimits = z.infer<typeof OrgLimits>

export const OrgDocument = openObject({
  ...documentFields(1),
  name: z.string(),
  createdAt: z.number(),
  createdBy: z.string(),
  createdWho: z.string().optional(),
  retention: openObject(Retention.shape).optional(),
  /** Events older than this many days are removed. */
  eventRetention: openObject(EventRetention.shape).optional(),
  limits: openObject(OrgLimits.shape).optional(),
  /** The place of the latest event that was removed, or is about to be. */
  eventsPruned: z.string().optional(),
  /** Keys the digests of sensitive outputs, base64. It protects digests, not values. */
  digestKey: z.string(),
  /** Also of requests that start a rollout: which one is decided here, before it is made. */
  answered: z.array(Answered).optional(),
  outbox: z.array(Event),
})
export type OrgDocument = z.infer<typeof OrgDocument>

export const orgFormat: DocumentFormat<OrgDocument> = { schema: OrgDocument, major: 1, minor: 0 }
