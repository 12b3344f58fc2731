import { badRequest } from '../../../../base/errors.ts'
import { parseQuery } from './query.ts'

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:;\s*charset=utf-8)?$/i

export function checkFormType(contentType: string | undefined): void {
  if (FORM_TYPE.test(contentType ?? '')) return
  throw badRequest(
    'Content-Type',
    'The Content-Type of the request is not that of a form.',
    'Send Content-Type: application/x-www-form-urlencoded.',
  )
}

/** The fields of a form. A repeated name has a list of values. */
export function parseForm(bytes: Uint8Array): Record<string, string | string[]> {
  try {
    return parseQuery(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badRequest('body', 'The form is not encoded as UTF-8.')
  }
}
