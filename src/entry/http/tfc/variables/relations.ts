import { isTacoError } from '../../../../base/errors.ts'
import type { Caller } from '../../../../state/index.ts'
import type { SetSights } from '../../../../variables/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { invalidRelation } from '../kit/errors.ts'

const RELATIONS: Readonly<Record<string, string>> = {
  owner: 'parent',
  units: 'workspaces',
  projects: 'projects',
}

/** Refuses relations that a set cannot have, with a pointer to them. */
export async function checkRelations(
  { setSights }: Pick<TfcServices, 'setSights'>,
  org: string,
  attachments: Parameters<SetSights['check']>[1],
  caller: Caller,
): Promise<void> {
  try {
    await setSights.check(org, attachments, caller)
  } catch (error) {
    const relation = isTacoError(error, 'BAD_REQUEST') ? RELATIONS[String(error.facts['field'])] : undefined
    throw relation === undefined || !isTacoError(error) ? error : invalidRelation(relation, error.message)
  }
}
