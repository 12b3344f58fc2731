import { expectTypeOf, test } from 'vitest'
import type { Caller, RunTokens } from '../access/index.ts'
import type { Dependencies, Graph, Inputs } from '../graph/index.ts'
import type { Sync } from '../project/index.ts'
import type { Rollouts } from '../rollouts/index.ts'
import type { StateControl } from '../state/index.ts'

/** The methods of a service that do not take the caller: permissions could not be decided for them. */
type WithoutCaller<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => unknown ? (Caller extends A[number] ? never : K) : never
}[keyof T]

test('every method of every service takes the caller, reads included', () => {
  expectTypeOf<WithoutCaller<StateControl['orgs']>>().toBeNever()
  expectTypeOf<WithoutCaller<StateControl['units']>>().toBeNever()
  expectTypeOf<WithoutCaller<StateControl['states']>>().toBeNever()
  expectTypeOf<WithoutCaller<StateControl['locks']>>().toBeNever()
  expectTypeOf<WithoutCaller<StateControl['versions']>>().toBeNever()
  expectTypeOf<WithoutCaller<StateControl['outputs']>>().toBeNever()
  expectTypeOf<WithoutCaller<StateControl['graph']>>().toBeNever()
  expectTypeOf<WithoutCaller<StateControl['journal']>>().toBeNever()
  expectTypeOf<WithoutCaller<StateControl['upkeep']>>().toBeNever()
  // `check` finds out who the caller is.
  expectTypeOf<Exclude<WithoutCaller<RunTokens>, 'check'>>().toBeNever()
  expectTypeOf<WithoutCaller<Graph>>().toBeNever()
  expectTypeOf<WithoutCaller<Dependencies>>().toBeNever()
  expectTypeOf<WithoutCaller<Inputs>>().toBeNever()
  expectTypeOf<WithoutCaller<Sync>>().toBeNever()
  expectTypeOf<WithoutCaller<Rollouts>>().toBeNever()
})
