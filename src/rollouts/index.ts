/** Rollouts: walks along the graph that apply units in order, step by step, by any number of workers. */
export { RolloutEventType } from './events.ts'
export { createRolloutMarks } from './marks.ts'
export type { Proof, StepStatus } from './model.ts'
export { createRollouts } from './rollouts.ts'
export { noSuchRollout } from './store.ts'
export { Claims, RolloutPlan, RolloutView, StartedRollout, StepEnd, StepStart } from './services.ts'
export type { ClaimOptions, ClaimView, Rollouts, StepView, UsedOutputs } from './services.ts'
