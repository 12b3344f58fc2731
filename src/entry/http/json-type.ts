import { badRequest } from '../../base/errors.ts'

/** A browser asks the server first before it sends this type for a page of another site, and is refused. */
export function checkJsonType(contentType: string | undefined): void {
  if (/^application\/([\w.-]+\+)?json\b/i.test(contentType ?? '')) return
  throw badRequest(
    'Content-Type',
    'the request is not marked as JSON',
    'Send Content-Type: application/json; a POST needs it even without a body.',
  )
}
