import { startMiniflare } from './miniflare.ts'
import { startVersitygw } from './versitygw.ts'

export interface S3Peer {
  readonly name: string
  readonly bucket: string
  readonly endpoint: string
  readonly region: string
  /** For `--bucket`. */
  readonly url: string
  /** Credentials, for the environment of the url's users. */
  readonly env: Readonly<Record<string, string>>
  dispose(): Promise<void>
}

/** The S3 server named by TACO_TEST_S3_URL (with the usual AWS variables), undefined if there is none. */
export function givenS3(): S3Peer | undefined {
  const text = process.env['TACO_TEST_S3_URL']
  if (text === undefined || text === '') return undefined
  const url = new URL(text)
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (name.startsWith('AWS_') && value !== undefined) env[name] = value
  }
  const region = url.searchParams.get('region') ?? env['AWS_REGION'] ?? 'us-east-1'
  return {
    name: `the server of TACO_TEST_S3_URL`,
    bucket: url.hostname,
    endpoint: url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`,
    region,
    url: text,
    env,
    dispose: () => Promise.resolve(),
  }
}

/** One S3 server: the one given, else versitygw, else what npm has. */
export async function startS3(): Promise<S3Peer> {
  return givenS3() ?? (await startVersitygw()) ?? (await startMiniflare())
}
