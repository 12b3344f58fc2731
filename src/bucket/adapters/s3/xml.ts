import type { ListedPage } from '../rest-client/listing.ts'

/**
 * Reads the two flat shapes that S3 answers with. Tolerant on purpose (namespaces, order, white space, unknown
 * elements), because servers differ; it knows no comments, CDATA or attributes, which S3 does not send.
 */

export interface ListedObject {
  readonly name: string
  readonly etag: string
  readonly size: number
  readonly modifiedAt: number
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html Undefined: the text is not a listing, or only
 * part of one, or it announces more without saying how to get it. None of these may pass for the end.
 */
export function readListing(xml: string): ListedPage<ListedObject> | undefined {
  if (!/<\/(?:\w+:)?ListBucketResult\s*>|<(?:\w+:)?ListBucketResult[^<>]*\/>/.test(xml)) return undefined
  const items: ListedObject[] = []
  for (const match of xml.matchAll(/<(?:\w+:)?Contents>([\s\S]*?)<\/(?:\w+:)?Contents>/g)) {
    const element = match[1] ?? ''
    items.push({
      name: textOf(element, 'Key') ?? '',
      etag: textOf(element, 'ETag') ?? '',
      size: Number(textOf(element, 'Size') ?? 0),
      modifiedAt: Date.parse(textOf(element, 'LastModified') ?? '') || 0,
    })
  }
  const rest = xml.replace(/<(?:\w+:)?Contents>[\s\S]*<\/(?:\w+:)?Contents>/, '')
  const escaped = textOf(rest, 'EncodingType') === 'url'
  const isTruncated = textOf(rest, 'IsTruncated') === 'true'
  const next = isTruncated ? textOf(rest, 'NextContinuationToken') : undefined
  if (isTruncated && (next ?? '') === '') return undefined
  return {
    items: escaped ? items.map((item) => ({ ...item, name: unescapeName(item.name) })) : items,
    next,
  }
}

export interface ErrorDocument {
  readonly code: string | undefined
  readonly message: string | undefined
  readonly region: string | undefined
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
export function readError(xml: string): ErrorDocument {
  return { code: textOf(xml, 'Code'), message: textOf(xml, 'Message'), region: textOf(xml, 'Region') }
}

function textOf(xml: string, name: string): string | undefined {
  const match = new RegExp(`<(?:\\w+:)?${name}(?:\\s[^>]*)?>([^<]*)</`).exec(xml)
  return match?.[1] === undefined ? undefined : decodeEntities(match[1])
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (hex !== undefined) return codePoint(Number.parseInt(hex, 16), whole)
      if (decimal !== undefined) return codePoint(Number.parseInt(decimal, 10), whole)
      return entities[name ?? ''] ?? whole
    },
  )
}

function codePoint(code: number, otherwise: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise
}

/** Form escaping: AWS sends a space as `+` and a plus as `%2B`. */
function unescapeName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', '%20'))
  } catch {
    return name
  }
}
