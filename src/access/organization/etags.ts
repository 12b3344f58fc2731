import { createHash } from 'node:crypto'
import { TacoError } from '../../base/errors.ts'

/** Names the content of one part of a document. Empty: there is no such part. */
export function partEtag(part: unknown): string {
  if (part === undefined) return ''
  return createHash('sha256').update(JSON.stringify(part)).digest('base64url').slice(0, 22)
}

/** Refuses a change that was decided on another content. `seen` undefined: the caller has set no condition. */
export function checkUnchanged(seen: string | undefined, part: unknown, what: string): void {
  if (seen === undefined || seen === partEtag(part)) return
  const [message, hint] =
    part === undefined
      ? [`${what} has been deleted since you read it.`, 'Nothing was changed.']
      : seen === ''
        ? [`${what} exists already.`, 'Choose another name, or change the one that exists.']
        : [
            `${what} has been changed since you read it.`,
            'Nothing was changed. Read it again, and repeat the change.',
          ]
  throw new TacoError('PRECONDITION_FAILED', message, { hint })
}
