import type { Caller, People, PersonDocument } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'

/** Suspends a person, or ends that. */
export function setSuspended(
  people: Pick<People, 'setSuspended'>,
  { id }: Pick<PersonDocument, 'id'>,
  isSuspended: boolean,
  caller: Caller,
): Promise<PersonDocument> {
  // Otherwise the last administrator could lock everyone out.
  if (isSuspended && caller.principal.kind === 'user' && caller.principal.id === id)
    throw new TacoError('CONFLICT', 'You cannot suspend yourself.', {
      facts: { field: 'person' },
      hint: 'Ask another administrator of the server.',
    })
  return people.setSuspended(id, isSuspended, caller)
}
