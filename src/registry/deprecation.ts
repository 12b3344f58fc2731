import { z } from 'zod'
import { TacoError, badRequest } from '../base/errors.ts'
import { openObject } from '../bucket/index.ts'

/** People should use another version. */
export const Deprecation = openObject({
  reason: z.string(),
  /** What to read about it. */
  link: z.string().optional(),
  at: z.number(),
  /** The text form of a principal. */
  by: z.string(),
})
export type Deprecation = z.infer<typeof Deprecation>

/** What somebody says about it. */
export type DeprecationText = Pick<Deprecation, 'reason' | 'link'>

const isSame = (a: DeprecationText | null, b: DeprecationText | null) =>
  a?.reason === b?.reason && a?.link === b?.link

/** Throws BAD_REQUEST. Pure. */
export function checkedDeprecation({ reason, link }: DeprecationText): DeprecationText {
  const text = reason.replaceAll(/\s+/g, ' ').trim()
  if (text === '' || text.length > 1_000)
    throw badRequest(
      'reason',
      text === '' ? 'The reason is missing.' : 'The reason is longer than 1,000 characters.',
      'Say what people should use instead.',
    )
  const address = link?.trim() ?? ''
  if (address === '') return { reason: text }
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address) || address.length > 2_000)
    throw badRequest('link', `"${address}" is not the address of a website.`, 'Begin it with https://.')
  return { reason: text, link: address }
}

function changedMeanwhile(): TacoError {
  return new TacoError('PRECONDITION_FAILED', 'Someone else changed the deprecation.', {
    hint: 'Look at what it says now, and try again.',
  })
}

/** The same record: there is nothing to change. `before`: what it must be now, or PRECONDITION_FAILED. Pure. */
export function withDeprecation<R extends { readonly deprecation?: Deprecation | undefined }>(
  record: R,
  wanted: DeprecationText | null,
  before: DeprecationText | null | undefined,
  made: Pick<Deprecation, 'at' | 'by'>,
): R {
  const { deprecation: now = null } = record
  if (before !== undefined && !isSame(before, now)) throw changedMeanwhile()
  if (isSame(wanted, now)) return record
  return { ...record, deprecation: wanted === null ? undefined : { ...wanted, ...made } }
}
