import { z } from 'zod'
import {
  type RecordDeps,
  type RecordKind,
  type RecordOf,
  type Records,
  createRecords,
} from '../records/index.ts'

const shape = {
  key: z.string(),
  /** Units cannot have another value than their project for it. */
  disableOverrides: z.boolean(),
}
export type ReservedTagKey = RecordOf<typeof shape>
export type ReservedTagKeys = Records<ReservedTagKey>

const kind: RecordKind<typeof shape> = {
  name: 'reserved tag key',
  folder: 'reserved-tag-keys',
  word: 'reserved-tag-key',
  prefix: 'rtk',
  shape,
  most: 100,
  unique: { field: 'key', of: ({ key }) => key },
  says: ({ key }) => ({ key }),
}

export function createReservedTagKeys(deps: RecordDeps): ReservedTagKeys {
  return createRecords(deps, kind)
}
