import { TacoError } from '../base/errors.ts'

/**
 * The revisions that a change is meant for, as its caller saw them: `any` that is there, `none` at all, or one with one
 * of these tags.
 */
export type Expected = 'any' | 'none' | readonly string[]

/** `tag` is null where there is nothing. Nothing expected is always met. */
export function isExpected(expected: Expected | undefined, tag: string | null): boolean {
  if (expected === undefined) return true
  if (tag === null) return expected === 'none'
  return expected === 'any' || (expected !== 'none' && expected.includes(tag))
}

export function changedMeanwhile(what: string): TacoError {
  return new TacoError('PRECONDITION_FAILED', `${what} has changed since it was read.`, {
    facts: { field: 'If-Match' },
    hint: 'Read it again and repeat the change.',
  })
}
