import { z } from 'zod'
import { WHOLE_IDENTIFIER } from '../base/text/hcl-identifier.ts'

/** `taco.yaml` as people write it: short forms included. What they mean is in project.ts. */

/** HCL identifiers: what outputs and variables are called. */
export const OUTPUT_NAMES = 'names of outputs and variables are letters, digits, "_" and "-"'
const Identifier = z.string().regex(WHOLE_IDENTIFIER, OUTPUT_NAMES)
const Text = z.union([z.string(), z.number(), z.boolean()], 'write text here').transform(String)
const Engine = z.string().min(1)

export const OutputNames = z.array(Identifier)

export const DependencyEntry = z.looseObject({
  outputs: z.union([z.literal('all'), OutputNames], 'outputs are "all" or a list of names').optional(),
  inputs: z.record(Identifier, Identifier).optional(),
})

export const UnitEntry = z.looseObject({
  dir: z.string().min(1).optional(),
  engine: Engine.optional(),
  labels: z.record(z.string(), Text).optional(),
  var_files: z.array(z.string().min(1)).optional(),
  variables: z.record(Identifier, z.unknown()).optional(),
  dependencies: z
    .union(
      [z.array(z.unknown()), z.record(z.string(), z.unknown())],
      'dependencies are a map from unit to outputs, or a list of units',
    )
    .optional(),
})
export type UnitEntry = z.infer<typeof UnitEntry>

export const ProjectFile = z.looseObject({
  org: z.string().optional(),
  engine: Engine.optional(),
  units: z.record(z.string(), z.unknown(), 'There are no units. Write `units:` and their names below it.'),
})

/** The keys that a map may have. */
export const PROJECT_KEYS = Object.keys(ProjectFile.shape)
export const UNIT_KEYS = Object.keys(UnitEntry.shape)
export const DEPENDENCY_KEYS = Object.keys(DependencyEntry.shape)
