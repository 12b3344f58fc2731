import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import { nameFromFlat, parseUnitName } from '../../../../state/index.ts'
import { notFound } from '../kit/errors.ts'

/** `/api/v2/organizations/{org}/workspaces/{name}` */
export const NamedParams = z.object({ org: z.string(), name: z.string() })

/** The unit of a workspace that is named. A name that no unit can have belongs to none. */
export function ofName({ params }: { readonly params: z.infer<typeof NamedParams> }): {
  readonly org: string
  readonly unit: string
} {
  try {
    return { org: params.org, unit: parseUnitName(nameFromFlat(params.name)) }
  } catch (error) {
    if (isTacoError(error, 'BAD_REQUEST')) throw notFound()
    throw error
  }
}
