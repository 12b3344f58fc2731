import { z } from 'zod'
import { Answered, type DocumentFormat, documentFields, openObject } from '../../bucket/index.ts'
import { Event } from './event.ts'

/** What must be unique or known without reading the organization itself: its names, its place, whether it is deleted. */
export const OrgEntry = openObject({
  /** Its current name. Without: its id. */
  name: z.string().optional(),
  /** Names that it had before. They still lead to it, and no other organization ever gets them. */
  formerNames: z.array(z.string()).optional(),
  /** The folder of its states, with a slash at the end. Without: a folder named after its id. */
  prefix: z.string().optional(),
  deleted: openObject({ at: z.number(), by: z.string(), who: z.string().optional() }).optional(),
  /** Counts renames, deletions and restores. */
  moves: z.number().int().min(0).optional(),
})
export type OrgEntry = z.infer<typeof OrgEntry>

/**
 * One document for all organizations of the bucket, so that one compare-and-swap decides who gets a name or a folder.
 * Organizations from before there was a directory are not in it: their name is their id.
 */
export const DirectoryDocument = openObject({
  ...documentFields(1),
  /** By id, which is also the name of the folder below `.taco/orgs/` and never changes. */
  orgs: z.record(z.string(), OrgEntry),
  answered: z.array(Answered).optional(),
  outbox: z.array(Event),
})
export type DirectoryDocument = z.infer<typeof DirectoryDocument>

export const directoryFormat: DocumentFormat<DirectoryDocument> = {
  schema: DirectoryDocument,
  major: 1,
  minor: 0,
}
