import { diffStates } from './content/diff.ts'
import { outputValue } from './content/output-values.ts'
import { digestOutput } from './content/outputs.ts'

/**
 * What can take seconds and needs nothing but what it is given: named, so that it can be done in another thread while
 * this one answers others. Errors are TacoErrors.
 */
export const longWork = {
  /** A `StateDiff` as JSON text: it can be as large as both states. */
  diff: (before: Uint8Array, after: Uint8Array): Uint8Array =>
    new TextEncoder().encode(JSON.stringify(diffStates(before, after))),
  /** These two of the raw text of one output. */
  digestOutput,
  outputValue,
} as const

type Work = typeof longWork

export type LongWork = {
  readonly [K in keyof Work]: (...given: Parameters<Work[K]>) => Promise<ReturnType<Work[K]>>
}

/** For a program that has nobody else to answer. */
export const inThisThread: LongWork = {
  diff: async (...given) => longWork.diff(...given),
  digestOutput: async (...given) => longWork.digestOutput(...given),
  outputValue: async (...given) => longWork.outputValue(...given),
}
