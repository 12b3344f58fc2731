import type { Caller, UnitRef } from '../state/index.ts'
import type { DependenciesView, DependencyChange, GraphView, Mark, StatusView, UserView } from './views.ts'

export interface GraphQuery {
  readonly org: string
  /** Only this unit and, by `direction`, what it uses or what uses it; without a direction both. */
  readonly unit?: string
  readonly direction?: 'up' | 'down' | 'none'
  /** As it was then; milliseconds. */
  readonly at?: number
}

export interface DependencyInput {
  /** Name or id of the unit used. */
  readonly on: string
  /** Undefined: all. Empty: only the order. */
  readonly outputs?: readonly string[]
  /** Variable of this unit → output of that one. */
  readonly inputs?: Readonly<Record<string, string>>
}

/** Returns the id of an unreadable rollout that may have left this unit half applied. */
export type Doubt = (unit: string) => string | undefined

/** What rollouts know about units, by unit id. */
export interface RolloutMarks {
  readonly marks: ReadonlyMap<string, readonly Mark[]>
  /** Units whose apply was abandoned and whose own documents do not say so yet. */
  readonly failed: ReadonlyMap<string, { readonly at: number; readonly rollout: string }>
  /** Undefined: every rollout can be read. */
  readonly doubt: Doubt | undefined
}

/** The graph of an organization's units. As of a moment ago, like listings; never behind this server's own writes. */
export interface Graph {
  view(query: GraphQuery, caller: Caller): Promise<GraphView>
  /** With reasons. `attention`: only units that are not up to date, run or failed; `counts` counts all. */
  status(query: GraphQuery & { readonly attention?: boolean }, caller: Caller): Promise<StatusView>
  readonly dependencies: Dependencies
}

export interface Dependencies {
  list(ref: UnitRef, caller: Caller): Promise<DependenciesView>
  /**
   * Adds to what is declared: outputs to those named before. An unknown unit or output is NOT_FOUND with the nearest
   * match, an edge that would close a cycle CONFLICT with the cycle spelled out in `facts.cycle`.
   */
  add(ref: UnitRef, input: DependencyInput, caller: Caller): Promise<DependencyChange>
  /** Takes back what is declared; with `outputs`, only those. */
  remove(
    ref: UnitRef,
    input: { on: string; outputs?: readonly string[] },
    caller: Caller,
  ): Promise<DependencyChange>
  /** The users of the unit, for warnings before it is deleted. */
  usersOf(ref: UnitRef, caller: Caller): Promise<readonly UserView[]>
}
