import type { Caller } from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import type { OutputsCommitView, UnitRef } from '../../../../state/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { consumerOf } from './consumer.ts'

/** Undefined: there is no state. */
export async function outputsOf(
  { control }: Pick<TfcServices, 'control'>,
  ref: UnitRef,
  version: string | undefined,
  caller: Caller,
): Promise<OutputsCommitView | undefined> {
  try {
    const options = {
      sensitive: false,
      ...(version === undefined ? {} : { version }),
      ...consumerOf(caller, ref),
    }
    return await control.outputs.get(ref, options, caller)
  } catch (error) {
    if (version === undefined && isTacoError(error, 'NOT_FOUND')) return undefined
    throw error
  }
}
