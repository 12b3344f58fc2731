import { compareKeys } from '../../../bucket/index.ts'
import type { ListedState } from '../../../state/index.ts'
import { etagOf } from '../kit/response/etag.ts'
import { s3Error } from './s3-error.ts'
import { S3_NAMESPACE, type Xml, xmlDocument } from './xml.ts'

const MAX_KEYS = 1000

export type ListQuery = Readonly<Record<string, unknown>>

/**
 * A page of states as ListObjectsV2 answers it, or as ListObjects does. Pure.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 */
export function listingOf(bucket: string, states: readonly ListedState[], query: ListQuery): string {
  const isV2 = query['list-type'] === '2'
  const { prefix, delimiter, maxKeys, encode } = readQuery(query)
  const token = textOf(query, 'continuation-token')
  const after = isV2
    ? token === ''
      ? textOf(query, 'start-after')
      : decodeToken(token)
    : textOf(query, 'marker')
  const contents: Xml[] = []
  const folders: Xml[] = []
  let last = ''
  let isTruncated = false
  for (const state of states) {
    const folder = folderOf(state.key, prefix, delimiter)
    const place = folder ?? state.key
    // Everything in a folder that was listed is listed with it.
    if (
      compareKeys(place, after) <= 0 ||
      place === last ||
      (folder !== undefined && after.startsWith(folder))
    )
      continue
    if (contents.length + folders.length === maxKeys) {
      isTruncated = true
      break
    }
    last = place
    if (folder === undefined) contents.push(contentOf(state, encode))
    else folders.push({ Prefix: encode(folder) })
  }
  const common: Xml = {
    Name: bucket,
    Prefix: encode(prefix),
    MaxKeys: maxKeys,
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    EncodingType: textOf(query, 'encoding-type') || undefined,
    IsTruncated: isTruncated && maxKeys > 0,
  }
  const place: Xml = isV2
    ? {
        KeyCount: contents.length + folders.length,
        ContinuationToken: token || undefined,
        StartAfter: textOf(query, 'start-after') || undefined,
        NextContinuationToken: isTruncated && maxKeys > 0 ? encodeToken(last) : undefined,
      }
    : { Marker: encode(after), NextMarker: isTruncated && maxKeys > 0 ? encode(last) : undefined }
  return xmlDocument(
    'ListBucketResult',
    { ...common, ...place, Contents: contents, CommonPrefixes: folders },
    S3_NAMESPACE,
  )
}

function readQuery(query: ListQuery) {
  const asked = textOf(query, 'max-keys')
  if (!/^\d{0,9}$/.test(asked)) throw s3Error('InvalidArgument', 'max-keys is not a number.')
  const encoding = textOf(query, 'encoding-type')
  if (encoding !== '' && encoding !== 'url') throw s3Error('InvalidArgument', 'encoding-type must be url.')
  return {
    prefix: textOf(query, 'prefix'),
    delimiter: textOf(query, 'delimiter'),
    maxKeys: asked === '' ? MAX_KEYS : Math.min(Number(asked), MAX_KEYS),
    encode: encoding === 'url' ? urlEncoded : (text: string) => text,
  }
}

/** Slashes stay. */
function urlEncoded(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/')
}

function textOf(query: ListQuery, name: string): string {
  const value = query[name]
  return typeof value === 'string' ? value : ''
}

function folderOf(key: string, prefix: string, delimiter: string): string | undefined {
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
  return at === -1 ? undefined : key.slice(0, at + delimiter.length)
}

function contentOf({ key, size, at, tag }: ListedState, encode: (text: string) => string): Xml {
  return {
    Key: encode(key),
    LastModified: new Date(at).toISOString(),
    ETag: tag === null ? undefined : etagOf(tag),
    Size: size,
    StorageClass: 'STANDARD',
  }
}

function encodeToken(key: string): string {
  return Buffer.from(key).toString('base64url')
}

function decodeToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString('utf8')
  if (encodeToken(key) !== token) throw s3Error('InvalidArgument', 'The continuation token is not valid.')
  return key
}
