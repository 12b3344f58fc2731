import { badRequest } from '../../../../base/errors.ts'
import { type Expected, changedMeanwhile, isExpected } from '../../../../state/index.ts'

/** Tags of buckets may hold any character; an entity tag may not. */
export function etagOf(tag: string): string {
  return `"${encodeURIComponent(tag)}"`
}

export interface Conditions {
  readonly 'if-match'?: string | undefined
  readonly 'if-none-match'?: string | undefined
  readonly 'if-unmodified-since'?: string | undefined
}

/** What a change expects to find. A weak tag never matches, as HTTP says; `If-None-Match` can only ask for nothing. */
export function expectedBy(conditions: Conditions): Expected | undefined {
  const ifMatch = conditions['if-match']
  const ifNoneMatch = conditions['if-none-match']
  refuseDates(conditions)
  if (ifNoneMatch === undefined) return ifMatch === undefined ? undefined : strongTags(ifMatch)
  if (ifMatch !== undefined || ifNoneMatch.trim() !== '*') {
    throw badRequest(
      'If-None-Match',
      'A change accepts If-None-Match only as "*", and not together with If-Match.',
      'Send If-None-Match: * to create something new, or If-Match with the ETag of an earlier answer.',
    )
  }
  return 'none'
}

/** For changes of what has no entity tag: ignoring a condition would cost someone their work. */
export function refuseConditions(conditions: Conditions): void {
  refuseDates(conditions)
  for (const [field, given] of [
    ['If-Match', conditions['if-match']],
    ['If-None-Match', conditions['if-none-match']],
  ] as const) {
    if (given === undefined) continue
    throw badRequest(
      field,
      `This request cannot be made conditional with ${field}.`,
      `Send it without ${field}.`,
    )
  }
}

/** For reads: true means 304. Throws PRECONDITION_FAILED for an If-Match that fails. `tag` is null for nothing. */
export function isUnchanged(conditions: Conditions, tag: string | null, what: string): boolean {
  const ifMatch = conditions['if-match']
  if (ifMatch !== undefined && !isExpected(strongTags(ifMatch), tag)) throw changedMeanwhile(what)
  const ifNoneMatch = conditions['if-none-match']
  if (ifNoneMatch === undefined || tag === null) return false
  const tags = ifNoneMatch.trim() === '*' ? 'any' : (tagsIn(ifNoneMatch) ?? []).map(({ value }) => value)
  return isExpected(tags, tag)
}

/** The one tag that a store can be asked about; undefined when a look at the object must decide. */
export function singleTag(ifNoneMatch: string | undefined): string | undefined {
  const tags = ifNoneMatch === undefined ? undefined : tagsIn(ifNoneMatch)
  return tags?.length === 1 ? tags[0]?.value : undefined
}

function strongTags(ifMatch: string): Expected {
  if (ifMatch.trim() === '*') return 'any'
  const tags = tagsIn(ifMatch)
  if (tags === undefined) {
    throw badRequest(
      'If-Match',
      'If-Match contains something that is not an entity tag in quotes.',
      'Send the ETag of an earlier answer unchanged.',
    )
  }
  return tags.filter(({ isWeak }) => !isWeak).map(({ value }) => value)
}

const TAG = String.raw`(W\/)?"([^"]*)"`
const TAGS = new RegExp(String.raw`^\s*${TAG}(?:\s*,\s*${TAG})*\s*$`)

function tagsIn(header: string): readonly { readonly isWeak: boolean; readonly value: string }[] | undefined {
  if (!TAGS.test(header)) return undefined
  return [...header.matchAll(new RegExp(TAG, 'g'))].map(([, weak, text = '']) => ({
    isWeak: weak !== undefined,
    value: decodeTag(text),
  }))
}

function refuseDates(conditions: Conditions): void {
  if (conditions['if-unmodified-since'] === undefined) return
  throw badRequest(
    'If-Unmodified-Since',
    'A date is too coarse for a conditional change.',
    'Send If-Match with the ETag of an earlier answer.',
  )
}

function decodeTag(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
