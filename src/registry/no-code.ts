import { z } from 'zod'
import { openObject } from '../bucket/index.ts'
import { type RecordDeps, type RecordOf, type Records, createRecords } from '../records/index.ts'

const shape = {
  /** The id of the module. */
  module: z.string(),
  enabled: z.boolean(),
  versionPin: z.string().optional(),
  variableOptions: z.array(
    openObject({ id: z.string(), name: z.string(), type: z.string(), options: z.array(z.string()) }),
  ),
}
export type NoCodeModule = RecordOf<typeof shape>

/** Modules that people can use without writing code, and what they may choose. */
export type NoCodeModules = Records<NoCodeModule>

export function createNoCodeModules(deps: RecordDeps): NoCodeModules {
  return createRecords(deps, {
    name: 'no-code module',
    folder: 'no-code-modules',
    word: 'no-code-module',
    prefix: 'nocode',
    shape,
    most: 2_000,
    unique: { field: 'registry-module', of: ({ module }) => module },
    says: ({ module, enabled }) => ({ module, enabled }),
  })
}
