import { z } from 'zod'
import { type RecordDeps, type RecordOf, type Records, createRecords } from '../records/index.ts'

const shape = { body: z.string() }
export type Comment = RecordOf<typeof shape>
/** What people say about a run. `of` in their place is the run. */
export type Comments = Records<Comment>

/** Knows which runs there are. */
export interface RunFinder {
  has(run: { readonly org: string; readonly unit: string; readonly run: string }): Promise<boolean>
}

export function createComments(deps: RecordDeps): Comments {
  return createRecords(deps, {
    name: 'comment',
    folder: 'comments',
    word: 'comment',
    prefix: 'wsc',
    shape,
    most: 1_000,
  })
}
