import type { UserView } from '../../../../../graph/index.ts'

/** The names of the units that use an output. */
export interface Readers {
  of(output: string): readonly string[]
}

/** Pure. */
export function readersOf(users: readonly UserView[]): Readers {
  return {
    of: (output) => {
      const found = users.filter(({ outputs }) => outputs === null || outputs.includes(output))
      return [...new Set(found.map(({ name }) => name))].sort()
    },
  }
}
