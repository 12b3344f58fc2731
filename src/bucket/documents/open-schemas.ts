import { z } from 'zod'

/**
 * Schemas for what is stored. Servers of several versions run on one bucket during an upgrade, so a document may hold
 * fields and words that only a newer one knows. They are shown as they are and survive every rewrite.
 */

/** An object that keeps fields it does not know. Its type has the known ones only. */
export function openObject<S extends z.core.$ZodShape>(shape: S): z.ZodObject<S> {
  return z.looseObject(shape) as unknown as z.ZodObject<S>
}

/**
 * The last member of a union by `kind` that may grow: a kind that is unknown here. Its type has a kind that no document
 * has, so code that branches by kind must handle it.
 */
export function otherKind(...known: readonly string[]): z.ZodType<{ kind: 'other' }> {
  const kind = z
    .string()
    .min(1)
    .refine((one) => !known.includes(one))
  return openObject({ kind }) as unknown as z.ZodType<{ kind: 'other' }>
}

/** A word from a list that may grow. Code that decides by it must say what an unknown one means. */
export function openWord<T extends string>(known: z.ZodEnum<{ [K in T]: K }>): z.ZodType<T | (string & {})> {
  return z.string().min(1).meta({ examples: known.options })
}
