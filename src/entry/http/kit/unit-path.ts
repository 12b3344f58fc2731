import { badRequest } from '../../../base/errors.ts'

const HINT = 'Write the unit as a plain path such as prod/network/vpc.'

export function decodeSegment(segment: string, field: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw badRequest(
      field,
      `"${segment}" is not valid percent-encoding.`,
      'Encode names as UTF-8, each byte as %XX.',
    )
  }
}

/** The rest of a path, in which slashes are plain slashes. */
export function decodeRest(rest: string, field: string): string {
  if (!rest.includes('%')) return rest
  return rest
    .split('/')
    .map((segment) => {
      const decoded = decodeSegment(segment, field)
      if (decoded.includes('/') || decoded.includes('\\'))
        throw badRequest(
          field,
          `"${segment}" contains an encoded slash.`,
          'Write the slashes of a unit name as plain slashes.',
        )
      return decoded
    })
    .join('/')
}

/**
 * Refuses paths that a URL parser would change (`..`, `%2e%2e`, `\`), before any router sees them: what is
 * authorised, logged and looked up must be one and the same path.
 */
export function checkPath(path: string): void {
  if (!/[%\\]|\/\.|[^\x21-\x7e]/.test(path)) return
  const field = /^\/v1\/(?:backend|units)\//.test(path) ? 'unit' : 'path'
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (/[^\x21-\x7e]/.test(path))
    throw badRequest(field, 'The path has bytes that must be percent-encoded.', HINT)
  for (const segment of path.split('/')) {
    const decoded = decodeSegment(segment, field)
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    if (/[\\\u0000-\u001f\u007f]/.test(decoded))
      throw badRequest(field, 'The path has a backslash or a control character.', HINT)
    if (decoded.split('/').some((part) => part === '.' || part === '..')) {
      throw badRequest(field, 'The path has a "." or ".." segment.', HINT)
    }
  }
}
