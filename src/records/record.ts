import { z } from 'zod'
import { type DocumentKind, documentFields, openObject, recordsPrefix } from '../bucket/index.ts'
import { Event } from '../state/index.ts'

/** Every record has these, whatever it is about. */
const base = {
  id: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** The text form of a principal. */
  createdBy: z.string(),
}
export type RecordBase = z.infer<z.ZodObject<typeof base>>
export type RecordOf<S extends z.core.$ZodShape> = RecordBase & z.infer<z.ZodObject<S>>

/** A kind of record: with this and pure checks, a layer has said all that it takes to keep records of it. */
export interface RecordKind<S extends z.core.$ZodShape> {
  /** What people call one, in messages: `variable set`. */
  readonly name: string
  /** Names the document in the bucket: `variable-sets`. */
  readonly folder: string
  /** What the types of its events begin with: `variable-set` gives `variable-set.created`. */
  readonly word: string
  /** Of ids: `varset`. */
  readonly prefix: string
  /** Own fields, as they are stored. Use `openObject` for nested ones: newer servers may add to them. */
  readonly shape: S
  /** How many there may be in one place. The document with all of them is read and written as a whole. */
  readonly most: number
  /** What no two records in one place may share, and the field it comes from. Compared without regard to case. */
  readonly unique?: { readonly field: string; of(record: z.infer<z.ZodObject<S>>): string | undefined }
  /** What its events say. Never a secret. */
  readonly says?: (record: RecordOf<S>) => Readonly<Record<string, unknown>>
}

/** Where records are: those of an organization, or those that belong to one thing in it, such as a unit. */
export interface Place {
  readonly org: string
  /** An id. */
  readonly of?: string | undefined
  /** The unit that events about them are about. */
  readonly unit?: { readonly id: string; readonly name: string } | undefined
}

export interface RecordsDocument<R> {
  readonly v: 1
  readonly minor?: number | undefined
  readonly rev: number
  readonly nonce: string
  readonly org: string
  readonly of?: string | undefined
  readonly records: readonly R[]
  readonly outbox: readonly Event[]
}

/** What the keys of the lists that belong to things in an organization begin with. */
export function below({ folder }: Pick<RecordKind<never>, 'folder'>, org: string): string {
  return `${recordsPrefix(org)}${folder}/`
}

export function documentKind<S extends z.core.$ZodShape>(
  kind: RecordKind<S>,
): DocumentKind<RecordsDocument<RecordOf<S>>, Place> {
  const schema = openObject({
    ...documentFields(1),
    org: z.string(),
    of: z.string().optional(),
    records: z.array(openObject({ ...base, ...kind.shape })),
    outbox: z.array(Event),
  })
  return {
    name: `list of ${kind.name}s`,
    format: {
      schema: schema as unknown as z.ZodType<RecordsDocument<RecordOf<S>>>,
      major: 1,
      minor: 0,
    },
    keyOf: ({ org, of }) => `${recordsPrefix(org)}${kind.folder}${of === undefined ? '' : `/${of}`}.json`,
    refOf: ({ org, of }) => ({ org, of }),
    cache: { most: 2_000 },
  }
}
