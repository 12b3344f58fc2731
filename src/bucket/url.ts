import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { badRequest } from '../base/errors.ts'
import { faultsIn, sayFaults } from '../base/text/validation-messages.ts'
import { keyFault } from './keys.ts'

const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1')

const endpoint = z.string().refine(isPlainHttpAddress, 'must be a plain http or https address')

const s3Settings = z.strictObject({
  region: z.string().min(1).optional(),
  endpoint: endpoint.optional(),
  path_style: flag.optional(),
  sse: z.enum(['AES256', 'aws:kms', 'aws:kms:dsse']).optional(),
  kms_key_id: z.string().min(1).optional(),
  conditional_delete: flag.optional(),
})
const gsSettings = z.strictObject({ endpoint: endpoint.optional() })
const azblobSettings = z.strictObject({
  account: z.string().min(1).optional(),
  endpoint: endpoint.optional(),
})

/** Where a bucket is, without any secret. */
export type BucketAddress =
  | { readonly kind: 'memory' }
  | { readonly kind: 'file'; readonly folder: string }
  | {
      readonly kind: 's3'
      readonly bucket: string
      readonly prefix: string
      readonly region: string | undefined
      readonly endpoint: string | undefined
      readonly pathStyle: boolean | undefined
      readonly sse: 'AES256' | 'aws:kms' | 'aws:kms:dsse' | undefined
      readonly kmsKeyId: string | undefined
      /** False for a server whose conditional deletes are not to be trusted; undefined: the probe finds out. */
      readonly conditionalDelete: boolean | undefined
    }
  | {
      readonly kind: 'gs'
      readonly bucket: string
      readonly prefix: string
      readonly endpoint: string | undefined
    }
  | {
      readonly kind: 'azblob'
      readonly container: string
      readonly prefix: string
      readonly account: string | undefined
      readonly endpoint: string | undefined
    }

const EXAMPLES =
  'Write ./states, file:///srv/states, s3://bucket/prefix, gs://bucket or azblob://container?account=name, for example.'

/** Reads what `--bucket` and TACO_BUCKET take. */
export function parseBucketUrl(text: string, cwd: string = process.cwd()): BucketAddress {
  if (text.trim() === '') throw refusal('The address of the bucket is missing.', EXAMPLES)
  if (text === 'memory:') return { kind: 'memory' }
  if (text.startsWith('file:')) return { kind: 'file', folder: folderOf(text, cwd) }
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return { kind: 'file', folder: path.resolve(cwd, text) }

  const match = /^[^:]+:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text)
  if (match === null || !['s3', 'gs', 'azblob'].includes(scheme)) {
    throw refusal(`"${scheme}:" is not a kind of bucket that OpenTaco knows.`, EXAMPLES)
  }
  const [, host = '', folder = '', query = ''] = match
  if (host.includes('@')) throw secretRefusal('a user name or password')
  if (host === '') throw refusal(`The address of the bucket has no name after ${scheme}://.`, EXAMPLES)
  const prefix = prefixOf(folder)
  const given = settingsOf(query)
  switch (scheme) {
    case 's3': {
      const s = parsed(s3Settings, scheme, given)
      return {
        kind: 's3',
        bucket: host,
        prefix,
        region: s.region,
        endpoint: s.endpoint,
        pathStyle: s.path_style,
        sse: s.sse ?? (s.kms_key_id === undefined ? undefined : 'aws:kms'),
        kmsKeyId: s.kms_key_id,
        conditionalDelete: s.conditional_delete,
      }
    }
    case 'gs':
      return { kind: 'gs', bucket: host, prefix, endpoint: parsed(gsSettings, scheme, given).endpoint }
    default: {
      const { account, endpoint } = parsed(azblobSettings, scheme, given)
      return { kind: 'azblob', container: host, prefix, account, endpoint }
    }
  }
}

function folderOf(text: string, cwd: string): string {
  const rest = text.slice('file:'.length)
  if (!rest.startsWith('//')) return path.resolve(cwd, unescaped(rest))
  try {
    return fileURLToPath(text)
  } catch (error) {
    throw refusal(
      'The folder of the bucket is on another host.',
      'Write file:///absolute/path, or ./relative/path.',
      error,
    )
  }
}

function prefixOf(folder: string): string {
  const prefix = unescaped(folder).replace(/^\/+|\/+$/g, '')
  const fault = prefix === '' ? undefined : keyFault(prefix)
  if (fault !== undefined) throw refusal(`The prefix ${JSON.stringify(prefix)} cannot be used: ${fault}.`)
  return prefix
}

const SECRET =
  /secret|token|passw|sas$|^sig$|signature|credential|(access|account|shared)_?key|connection_?string/i

function settingsOf(query: string): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (SECRET.test(name)) throw secretRefusal(`"${name}"`)
    if (name in settings) throw refusal(`"${name}" appears twice in the address of the bucket.`)
    settings[name] = value
  }
  return settings
}

function parsed<S extends z.ZodRawShape>(
  schema: z.ZodObject<S>,
  scheme: string,
  given: Record<string, string>,
): z.output<z.ZodObject<S>> {
  const result = schema.safeParse(given)
  if (result.success) return result.data
  throw refusal(
    `The address of the bucket is invalid: ${sayFaults(faultsIn(result.error))}.`,
    `After the question mark, ${scheme}:// accepts ${Object.keys(schema.shape).join(', ')}.`,
  )
}

function isPlainHttpAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (!['http:', 'https:'].includes(url.protocol)) return false
  return url.username === '' && url.password === '' && url.search === ''
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    throw refusal(
      'The address of the bucket has a "%" that is not part of an escape.',
      'Write %25 for a percent sign.',
      error,
    )
  }
}

function refusal(message: string, hint = EXAMPLES, cause?: unknown): Error {
  const error = badRequest('bucket', message, hint)
  if (cause !== undefined) error.cause = cause
  return error
}

/** Addresses end up in process lists, shell histories and logs. */
function secretRefusal(what: string): Error {
  return refusal(
    `The address of the bucket contains ${what}. Never put secrets in an address.`,
    'Use environment variables: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, GOOGLE_APPLICATION_CREDENTIALS, or AZURE_STORAGE_CONNECTION_STRING.',
  )
}
