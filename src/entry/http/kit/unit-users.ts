import type { Caller } from '../../../access/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import type { UnitRef } from '../../../state/index.ts'
import type { HttpDeps } from '../deps.ts'

/** The units that use a unit. */
export interface UnitUsers {
  /** Those that the caller may see. */
  readonly names: readonly string[]
  readonly hasHidden: boolean
  /** Damage of another unit hides who uses this one. */
  readonly warning: string | undefined
}

const NONE: UnitUsers = { names: [], hasHidden: false, warning: undefined }

export async function usersOf(
  { graph, control }: Pick<HttpDeps, 'graph' | 'control'>,
  ref: UnitRef,
  caller: Caller,
): Promise<UnitUsers> {
  try {
    const visible = await control.units.visible(ref.org, caller)
    const all = await graph.dependencies.usersOf(ref, caller)
    const seen = all.filter(({ id }) => visible?.has(id) !== false)
    return { ...NONE, names: seen.map(({ name }) => name), hasHidden: seen.length < all.length }
  } catch (error) {
    // The deletion itself reports a missing unit: this very request may have deleted it.
    if (isTacoError(error, 'NOT_FOUND')) return NONE
    if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) throw error
    return { ...NONE, warning: error.message }
  }
}
