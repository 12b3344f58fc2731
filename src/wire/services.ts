import { type Graph, type Inputs, createGraph, createInputs } from '../graph/index.ts'
import { type Sync, createSync } from '../project/index.ts'
import { type Rollouts, createRolloutMarks, createRollouts } from '../rollouts/index.ts'

/** What is built on state control, for every face. */
export interface Services {
  readonly graph: Graph
  readonly inputs: Inputs
  readonly sync: Sync
  readonly rollouts: Rollouts
}

export function createServices(deps: Parameters<typeof createRollouts>[0]): Services {
  const { control, clock } = deps
  const rollouts = createRollouts(deps)
  return {
    graph: createGraph({ control, marks: createRolloutMarks(rollouts, clock), clock }),
    inputs: createInputs(control),
    sync: createSync(control),
    rollouts,
  }
}
