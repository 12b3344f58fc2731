/**
 * The graph: what units use of each other, what that says about them, and walks along it.
 *
 * - Status is computed from units' documents, never stored.
 * - Decisions are pure functions; what they read and write comes in as services of state control.
 * - What a repository says (taco.yaml, HCL) is read here, from text that somebody else fetched.
 */
export { createGraph } from './status/graph.ts'
export type { GraphDeps } from './status/graph.ts'
export { drawGraph, pictureFormats } from './pictures/picture.ts'
export type { PictureFormat } from './pictures/picture.ts'
export type * from './services.ts'
export * from './views.ts'
export { createInputs } from './inputs/inputs.ts'
export type { Input, Inputs, InputsView } from './inputs/inputs.ts'
export type { Project, ProjectDependency, ProjectUnit } from '../project/project.ts'
export { placesOfDependencies } from '../project/source-positions.ts'
export { readProject } from '../project/read.ts'
export {
  configurationPrint,
  fingerprintOf,
  isCode,
  isConfiguration,
  isOfConfiguration,
  referencedPaths,
} from '../entry/cli/runner/fingerprint.ts'
export type { Configuration } from '../entry/cli/runner/fingerprint.ts'
export type { Proof, StepStatus } from '../rollouts/model.ts'
export { Claims, RolloutPlan, RolloutView, StartedRollout, StepEnd, StepStart } from '../rollouts/services.ts'
export type { ClaimView, Rollouts, StepView, UsedOutputs } from '../rollouts/services.ts'
export { createRollouts } from '../rollouts/rollouts.ts'
export { createSync } from '../project/sync.ts'
export type { Sync } from '../project/sync.ts'
export type { SyncChange, SyncPlan, SyncUnit, Uses } from '../project/sync-plan.ts'
export type { HclBody, HclFault, HclReader } from '../scan/hcl/hcl.ts'
export { isScanned, mentionsDynamodb, scan } from '../scan/scan.ts'
export type { DynamodbUse, ScanFile, ScanReport } from '../scan/scan.ts'
export { projectText } from '../scan/write.ts'
export { createRolloutMarks } from '../rollouts/marks.ts'
