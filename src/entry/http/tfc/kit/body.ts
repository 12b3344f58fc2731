import { z } from 'zod'

const IdentifierBody = <T extends string>(type: T) =>
  z.object({ type: z.literal(type), id: z.string().min(1).max(255) })

/** A relation to one resource, in a request. Null takes it away. */
export function toOne<T extends string>(type: T) {
  return z.object({ data: IdentifierBody(type).nullable() }).transform(({ data }) => data?.id ?? null)
}

/** A relation to several resources, in a request. */
export function toMany<T extends string>(type: T) {
  return z
    .object({ data: z.array(IdentifierBody(type)).max(5_000) })
    .transform(({ data }) => data.map(({ id }) => id))
}

type Shape = Readonly<Record<string, z.ZodType>>
type None = Readonly<Record<string, never>>

/**
 * The body of a request that creates or changes a resource. What it says beyond these attributes and relations is
 * ignored, as Terraform Cloud does it; what is wrong is refused with a pointer to it. Null for an attribute that takes
 * none means that it is left out.
 */
export function resource<A extends Shape = None, R extends Shape = None>(
  type: string | readonly string[],
  { attributes, relationships }: { readonly attributes?: A; readonly relationships?: R } = {},
) {
  const types = [type].flat()
  const data = z.object({
    // Some clients leave it empty.
    type: z
      .string()
      .optional()
      .refine((given) => given === undefined || given === '' || types.includes(given), {
        message: `must be ${types.join(' or ')}`,
      }),
    id: z.string().optional(),
    attributes: z.preprocess((given) => given ?? {}, z.object((attributes ?? {}) as A)),
    relationships: z.preprocess((given) => given ?? {}, z.object((relationships ?? {}) as R).partial()),
  })
  return { schema: z.object({ data }).transform((body) => body.data) }
}

/** The body of a request that adds to a relation or takes away from it. */
export function identifiers<T extends string>(type: T) {
  return { schema: toMany(type) }
}

/** A body that may be anything or nothing, because nothing in it matters. */
export const ignoredBody = { schema: z.unknown(), isRequired: false, isAnyType: true } as const
