/**
 * The graph: what units use of each other, what that says about them, and walks along it.
 *
 * - Status is computed from units' documents, never stored.
 * - Decisions are pure functions; what they read and write comes in as services of state control.
 * - What a repository says (taco.yaml, HCL) is read here, from text that somebody else fetched.
 */
export { createGraph } from './graph.ts'
export type { GraphDeps } from './graph.ts'
export { drawGraph, pictureFormats } from './picture.ts'
export type { PictureFormat } from './picture.ts'
export type * from './services.ts'
export * from './views.ts'
export { createInputs } from './inputs.ts'
export type { Input, Inputs, InputsView } from './inputs.ts'
export type { Project, ProjectDependency, ProjectUnit } from './project.ts'
export { placesOfDependencies } from './project-places.ts'
export { readProject } from './project-read.ts'
export {
  configurationPrint,
  fingerprintOf,
  isCode,
  isConfiguration,
  isOfConfiguration,
  referencedPaths,
} from './fingerprint.ts'
export type { Configuration } from './fingerprint.ts'
export type { Proof, StepStatus } from './rollout-model.ts'
export { Claims, RolloutPlan, RolloutView, StartedRollout, StepEnd, StepStart } from './rollout-services.ts'
export type { ClaimView, Rollouts, StepView, UsedOutputs } from './rollout-services.ts'
export { createRollouts } from './rollouts.ts'
export { createSync } from './sync.ts'
export type { Sync } from './sync.ts'
export type { SyncChange, SyncPlan, SyncUnit, Uses } from './sync-plan.ts'
export type { HclBody, HclFault, HclReader } from './hcl.ts'
export { isScanned, mentionsDynamodb, scan } from './scan.ts'
export type { DynamodbUse, ScanFile, ScanReport } from './scan.ts'
export { projectText } from './scan-write.ts'
export { createRolloutMarks } from './rollout-marks.ts'
