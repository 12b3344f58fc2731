import { z } from 'zod'
import { openObject, openWord } from '../../bucket/index.ts'

const Input = openObject({
  name: z.string(),
  /** As written. Empty: the module does not say. */
  type: z.string(),
  description: z.string(),
  /** As JSON or HCL. Null: there is no default, so the input is required. */
  default: z.string().nullable(),
  isSensitive: z.boolean(),
})
const Output = openObject({ name: z.string(), description: z.string(), isSensitive: z.boolean() })
const Resource = openObject({
  mode: openWord(z.enum(['managed', 'data', 'ephemeral'])),
  type: z.string(),
  name: z.string(),
})
/** A module that it uses. */
const Dependency = openObject({ name: z.string(), source: z.string(), version: z.string() })
const ProviderNeed = openObject({ name: z.string(), source: z.string(), version: z.string() })

/** One folder of a module: its root, a submodule or an example. */
const ModulePart = openObject({
  /** Empty: the root. */
  path: z.string(),
  readme: z.string(),
  /** The versions of the engine that it works with. Empty: the module does not say. */
  engine: z.string(),
  inputs: z.array(Input),
  outputs: z.array(Output),
  resources: z.array(Resource),
  dependencies: z.array(Dependency),
  providers: z.array(ProviderNeed),
})
export type ModulePart = z.infer<typeof ModulePart>

/** What the code of a module says about itself. Read once, when a version is published. */
export const ModuleMetadata = openObject({
  v: z.literal(1),
  root: ModulePart,
  submodules: z.array(ModulePart),
  examples: z.array(ModulePart),
  /** What could not be read, in sentences. */
  faults: z.array(z.string()),
})
export type ModuleMetadata = z.infer<typeof ModuleMetadata>

/** A file of a module. Its path is relative to the root, with `/`. */
export interface ModuleFile {
  readonly path: string
  readonly text: string
}

/**
 * Reads what the code says. It never fails because of the code: what cannot be read is among the faults. It may fail
 * because the code takes too long to read.
 */
export type DescribeModule = (files: readonly ModuleFile[]) => Promise<ModuleMetadata>

/** Of a module that cannot be read. */
export function emptyMetadata(...faults: readonly string[]): ModuleMetadata {
  const lists = { inputs: [], outputs: [], resources: [], dependencies: [], providers: [] }
  const root = { path: '', readme: '', engine: '', ...lists }
  return { v: 1, root, submodules: [], examples: [], faults: [...faults] }
}
