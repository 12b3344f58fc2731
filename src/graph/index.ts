/**
 * The graph: which units use outputs of which, and what that says about each unit's status.
 *
 * - Status is computed from units' documents, never stored.
 * - Decisions are pure functions; what they read and write comes in as services of state control.
 */
export { createGraph } from './status/graph.ts'
export { visibleDependencies, visibleGraph, visibleStatus } from './visible.ts'
export type { GraphDeps } from './status/graph.ts'
export { cycleError, spellCycle } from './dependencies/cycle-error.ts'
export { findCycle, findCycles } from './status/cycles.ts'
export { edgesOf } from './status/edges.ts'
export type { Edge } from './status/edges.ts'
export { compareDependency } from './status/status.ts'
export type { Comparison } from './status/status.ts'
export { drawGraph, drawLayers, pictureFormats } from './pictures/picture.ts'
export type { Box, Layers, Line } from './pictures/layers.ts'
export type { PictureFormat } from './pictures/picture.ts'
export { variablesOf } from './inputs/inputs-wanted.ts'
export { createInputs } from './inputs/inputs.ts'
export type { Input, Inputs, InputsView } from './inputs/inputs.ts'
export type * from './services.ts'
export * from './views.ts'
