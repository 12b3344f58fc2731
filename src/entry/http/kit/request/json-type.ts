import { badRequest } from '../../../../base/errors.ts'

/** As narrow as what the framework takes for JSON: it would hand on any other body as none. */
const JSON_TYPE = /^application\/(?:[a-z.-]+\+)?json(?:;\s*[a-z0-9-]+=[^;]+)*$/i

/** A browser asks the server first before it sends this type for a page of another site, and is refused. */
export function checkJsonType(contentType: string | undefined): void {
  if (JSON_TYPE.test(contentType ?? '')) return
  throw badRequest(
    'Content-Type',
    'The Content-Type of the request is not JSON.',
    'Send Content-Type: application/json. A POST needs it even without a body.',
  )
}
