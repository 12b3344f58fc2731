import { z } from 'zod'
import { openObject, openWord } from '../../bucket/index.ts'

/** "This unit used outputs of that one": which, at which commit, with which digests. */
export const Read = openObject({
  /** Id of the unit whose outputs were read. */
  from: z.string(),
  /** Null: all of them (the whole state was read). */
  names: z.array(z.string()).nullable(),
  commit: z.number().int(),
  /** Digests at that commit of the outputs read; null: they cannot be known (encrypted). */
  digests: z.record(z.string(), z.string()).nullable(),
  at: z.number(),
  /** Outputs of which it is not certain that this value was used; null: none is certain. */
  doubted: z.array(z.string()).nullable().optional(),
  /** Only an engine read it, over the http backend, as every apply of that configuration does again. */
  engine: z.boolean().optional(),
  /** Which variable was given which output. Absent: they were not read for variables. */
  inputs: z.record(z.string(), z.string()).optional(),
  /** Several reads as one: some of the outputs were read at a later commit than `commit`. */
  mixed: z.boolean().optional(),
})
export type Read = z.infer<typeof Read>

/** A read that no write has taken up yet. */
export const PendingRead = Read.extend({
  /** The lock that the reading unit was under. */
  lock: z.string().nullable(),
  /** An engine read it under the lock of a plan, or under none: a saved plan may have been made from it. */
  plan: z.boolean().optional(),
  /** The token of the run that read it, which will tell whether it used it. */
  run: z.string().optional(),
  /** The lock of the write that took it up; kept only until the run reports. */
  taken: z.string().optional(),
})
export type PendingRead = z.infer<typeof PendingRead>

/** What the unit's current state was made from. */
export const Receipt = openObject({
  /** The lock of the write that took the reads up: later writes under it belong to the same operation. */
  lock: z.string(),
  reads: z.array(Read),
  /** When it came to stand, if that was after the state was written: by an apply that had nothing to write. */
  at: z.number().optional(),
})
export type Receipt = z.infer<typeof Receipt>

/** "This unit uses that one", as a person declared it or as it was found in code. Reads add more by themselves. */
export const Dependency = openObject({
  /** Id of the unit used. */
  on: z.string(),
  /** Its name when the edge was made: for people, once it is gone. */
  name: z.string(),
  /** Null: all outputs. */
  outputs: z.array(z.string()).nullable(),
  source: openWord(z.enum(['declared', 'code'])),
  /** Variable of this unit → output of that one. */
  inputs: z.record(z.string(), z.string()).default({}),
})
export type Dependency = z.infer<typeof Dependency>
