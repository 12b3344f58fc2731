import { fields, flag, list, maybe, number, record, text } from './check-answer.ts'
import type { Of } from './check-answer.ts'

/** What the commands read from the answers about the graph. */
const named = fields({ id: text, name: text })

const nodeFields = { id: text, name: text, status: text, ready: flag, marks: list(text) }

export const graphAnswer = fields({
  asOf: text,
  nodes: list(fields(nodeFields)),
  edges: list(
    fields({
      from: text,
      to: text,
      name: text,
      outputs: maybe(list(text)),
      source: text,
      state: text,
      changed: list(text),
    }),
  ),
})
export type GraphAnswer = Of<typeof graphAnswer>

export const statusAnswer = fields({
  asOf: text,
  counts: record(number),
  items: list(fields({ ...nodeFields, reasons: list(fields({ kind: text, says: text })) })),
})

export const dependenciesAnswer = fields({
  unit: named,
  uses: list(
    fields({
      on: named,
      outputs: maybe(list(text)),
      source: text,
      inputs: record(text),
      state: text,
      changed: list(text),
      read: maybe(fields({ commit: number, at: text })),
    }),
  ),
  usedBy: list(fields({ id: text, name: text, outputs: maybe(list(text)), source: text, state: text })),
})
export type DependenciesAnswer = Of<typeof dependenciesAnswer>

export const warningsAnswer = fields({ warnings: maybe(list(text)) })
