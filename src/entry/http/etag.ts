import { badRequest } from '../../base/errors.ts'

/** Tags of buckets may hold any character; an entity tag may not. */
export function etagOf(tag: string): string {
  return `"${encodeURIComponent(tag)}"`
}

/** The tag of `If-None-Match`; undefined when there is none that could match. */
export function tagOfIfNoneMatch(header: string | undefined): string | undefined {
  const match = header === undefined ? null : /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(header)
  return match === null ? undefined : decodeTag(String(match[1]))
}

/** The tag of `If-Match`; undefined when any will do. A weak one never holds. */
export function tagOfIfMatch(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  const match = /^\s*(W\/)?"([^"]*)"\s*$/.exec(header)
  if (match === null) {
    throw badRequest(
      'If-Match',
      'If-Match is not one entity tag in quotes',
      'Send the ETag of an earlier answer as it was.',
    )
  }
  return match[1] === undefined ? decodeTag(String(match[2])) : `W/${match[2]}`
}

function decodeTag(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
