/** What a repository says about its units in taco.yaml, and how that gets into the graph. */
export type { Project, ProjectDependency, ProjectUnit } from './project.ts'
export { readProject } from './read.ts'
export { placesOfDependencies } from './source-positions.ts'
export { createSync } from './sync.ts'
export type { Sync } from './sync.ts'
export type { SyncChange, SyncPlan, SyncUnit, Uses } from './sync-plan.ts'
