import { z } from 'zod'
import { openWord } from '../bucket/index.ts'

/** What the outside sees of the graph: the schemas of the HTTP API and of `--json`. */

const Named = z.object({ id: z.string(), name: z.string() })

export const StatusWord = z
  .enum(['up-to-date', 'stale', 'waiting', 'unknown', 'never-applied', 'state-missing'])
  .meta({ description: 'Computed from what was read and the current outputs; never stored.' })

/** Shown beside the status, not instead of it. */
export const Mark = z.enum(['locked', 'running', 'failed', 'suspect'])
export type Mark = z.infer<typeof Mark>

const EdgeSource = openWord(z.enum(['declared', 'code', 'reads']))

const EdgeState = z
  .enum(['fresh', 'changed', 'unknown', 'dangling'])
  .meta({ description: 'What the last write read, compared with the current outputs.' })

export const NodeView = z.object({
  ...Named.shape,
  status: StatusWord,
  ready: z
    .boolean()
    .meta({ description: 'For `stale`: nothing upstream will change any more, so it can be applied.' }),
  marks: z.array(Mark),
  commit: z.number().int().nullable().meta({ description: 'Current outputs commit.' }),
  at: z.iso.datetime().nullable().meta({ description: 'When its state was written.' }),
  by: z.string().nullable(),
  who: z.string().nullable().meta({ description: 'What the caller says of itself: not verified.' }),
})
export type NodeView = z.infer<typeof NodeView>

export const GraphEdgeView = z.object({
  from: z.string().meta({ description: 'Id of the unit that uses the other.' }),
  to: z.string().meta({ description: 'Id of the unit that is used.' }),
  name: z
    .string()
    .meta({ description: 'Name of the unit that is used; its last known name if it no longer exists.' }),
  outputs: z.array(z.string()).nullable().meta({ description: 'Null: all of them. Empty: only the order.' }),
  source: EdgeSource,
  state: EdgeState,
  changed: z.array(z.string()).meta({ description: 'Outputs that differ from what was read.' }),
})
export type GraphEdgeView = z.infer<typeof GraphEdgeView>

export const GraphView = z.object({
  asOf: z.iso.datetime(),
  nodes: z.array(NodeView),
  edges: z.array(GraphEdgeView),
})
export type GraphView = z.infer<typeof GraphView>

export const Reason = z.object({
  kind: z.enum([
    'failed',
    'changed',
    'upstream',
    'no-receipt',
    'encrypted',
    'forgotten',
    'gone',
    'cycle',
    'damaged',
    'missing',
    'suspect',
  ]),
  on: Named.nullable(),
  output: z.string().nullable(),
  change: z.enum(['changed', 'appeared', 'disappeared']).nullable(),
  /** What the last write was made from. */
  read: z.object({ commit: z.number().int(), at: z.iso.datetime() }).nullable(),
  /** Null where the history does not say any more. */
  changed: z
    .object({
      commit: z.number().int(),
      at: z.iso.datetime().nullable(),
      by: z.string().nullable(),
      who: z.string().nullable(),
    })
    .nullable(),
  cycle: z.array(z.string()).nullable(),
  says: z.string().meta({ description: 'The same as a sentence.' }),
})
export type Reason = z.infer<typeof Reason>

export const StatusItem = z.object({ ...NodeView.shape, reasons: z.array(Reason) })
export type StatusItem = z.infer<typeof StatusItem>

export const StatusView = z.object({
  asOf: z.iso.datetime(),
  counts: z.record(StatusWord, z.number().int()).meta({ description: 'Of all units that were asked for.' }),
  items: z.array(StatusItem),
})
export type StatusView = z.infer<typeof StatusView>

export const DependencyView = z.object({
  on: Named,
  outputs: z.array(z.string()).nullable(),
  source: EdgeSource,
  inputs: z.record(z.string(), z.string()),
  state: EdgeState,
  changed: z.array(z.string()),
  read: z.object({ commit: z.number().int(), at: z.iso.datetime() }).nullable(),
})
export type DependencyView = z.infer<typeof DependencyView>

export const UserView = z.object({
  ...Named.shape,
  outputs: z.array(z.string()).nullable(),
  source: EdgeSource,
  state: EdgeState,
})
export type UserView = z.infer<typeof UserView>

export const DependenciesView = z.object({
  unit: Named,
  uses: z.array(DependencyView),
  usedBy: z.array(UserView),
})
export type DependenciesView = z.infer<typeof DependenciesView>

export const DependencyChange = z.object({
  ...DependenciesView.shape,
  warnings: z.array(z.string()),
})
export type DependencyChange = z.infer<typeof DependencyChange>
