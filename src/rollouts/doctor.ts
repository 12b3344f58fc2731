import type { DoctorFinding, StateControl } from '../state/index.ts'
import { rolloutKey } from './layout.ts'
import type { RolloutStore } from './store.ts'

/** Rollouts that nobody can read, of all organizations. What they were about cannot be made anew. */
export async function* checkRollouts(
  { orgs }: Pick<StateControl, 'orgs'>,
  store: Pick<RolloutStore, 'damaged'>,
): AsyncGenerator<DoctorFinding> {
  for (const org of await orgs.names())
    for (const { id, isNewer } of await store.damaged(org))
      yield {
        level: 'error',
        check: 'rollout.document',
        message: `the rollout ${id} ${isNewer ? 'was written by a newer OpenTaco' : 'cannot be read'}, and units that it may have left half applied are unknown: ${rolloutKey(org, id)}`,
        hint: isNewer
          ? 'upgrade this OpenTaco; it does not touch what it does not understand'
          : 'restore the object from a backup of the bucket, or remove it once they are applied',
        unit: null,
        repaired: false,
      }
}
