import { badRequest } from '../../../base/errors.ts'
import type { UnitRef } from '../../../state/index.ts'

const HINT = 'Write the unit as a plain path such as prod/network/vpc.'

/** `/v1/backend/<org>/<unit path with plain slashes>`; the state layer judges the names themselves. */
export function backendTarget(path: string): UnitRef {
  const slash = path.indexOf('/', '/v1/backend/'.length)
  if (slash > '/v1/backend/'.length && slash < path.length - 1 && !path.includes('%')) {
    return { org: path.slice('/v1/backend/'.length, slash), unit: path.slice(slash + 1) }
  }
  const [org = '', ...segments] = path.slice('/v1/backend/'.length).split('/')
  if (org === '')
    throw badRequest('org', 'the address names no organization', 'Use /v1/backend/<org>/<unit>.')
  if (segments.length === 0)
    throw badRequest('unit', 'the address names no unit', 'Use /v1/backend/<org>/<unit>.')
  return { org: decodeSegment(org, 'org'), unit: segments.map(decodePlain).join('/') }
}

/** One segment of the native API: `prod--network--vpc`, `prod%2Fnetwork%2Fvpc`, or an id. */
export function unitOfSegment(segment: string): string {
  return decodeSegment(segment, 'unit').replaceAll('--', '/')
}

export function decodeSegment(segment: string, field: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw badRequest(
      field,
      `"${segment}" is not valid percent-encoding`,
      'Encode names as UTF-8, each byte as %XX.',
    )
  }
}

function decodePlain(segment: string): string {
  const decoded = decodeSegment(segment, 'unit')
  if (decoded.includes('/') || decoded.includes('\\')) {
    throw badRequest('unit', `"${segment}" hides a slash`, 'Slashes of a unit are plain path segments here.')
  }
  return decoded
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
    throw badRequest(field, 'the path has bytes that must be percent-encoded', HINT)
  for (const segment of path.split('/')) {
    const decoded = decodeSegment(segment, field)
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    if (/[\\\u0000-\u001f\u007f]/.test(decoded))
      throw badRequest(field, 'the path has a backslash or a control character', HINT)
    if (decoded.split('/').some((part) => part === '.' || part === '..')) {
      throw badRequest(field, 'the path has a "." or ".." part', HINT)
    }
  }
}
