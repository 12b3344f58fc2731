import type { Caller, DoctorFinding, StateControl } from '../state/index.ts'
import { rolloutKey } from './layout.ts'
import type { RolloutStore } from './store.ts'

/** Unreadable rollouts of all organizations. Their content cannot be rebuilt. */
export async function* checkRollouts(
  { orgs }: Pick<StateControl, 'orgs'>,
  store: Pick<RolloutStore, 'damaged'>,
  caller: Caller,
): AsyncGenerator<DoctorFinding> {
  for (const org of await orgs.names(caller))
    for (const { id, isNewer } of await store.damaged(org))
      yield {
        level: 'error',
        check: 'rollout.document',
        message: `The rollout ${id} ${isNewer ? 'was written by a newer version of OpenTaco' : 'cannot be read'}, so units that it may have left half applied are unknown. Its document is ${rolloutKey(org, id)}.`,
        hint: isNewer
          ? 'Upgrade OpenTaco. This version leaves the document unchanged.'
          : 'Restore the object from a backup of the bucket, or remove it once these units are applied.',
        unit: null,
        org,
        repaired: false,
      }
}
