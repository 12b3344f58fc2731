import { DeleteObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3'
import { onTestFinished, type TestContext } from 'vitest'
import { givenS3, type S3Peer } from '../peers/s3.ts'
import { startVersitygw } from '../peers/versitygw.ts'

/** An S3 server that the engines' own `backend "s3"` works with, ended with the test. Skips where none can be had. */
export async function fullS3(context: TestContext): Promise<S3Peer> {
  const peer = givenS3() ?? (await startVersitygw())
  if (peer === undefined) return context.skip('no S3 server that works with the engines themselves')
  onTestFinished(() => peer.dispose())
  return peer
}

/** The engines' own backend on that server, as without OpenTaco. */
export function s3Backend(peer: S3Peer, key: string, options: { readonly lockfile?: boolean } = {}): string {
  return `
terraform {
  backend "s3" {
    bucket                      = "${peer.bucket}"
    key                         = "${key}"
    region                      = "${peer.region}"
    endpoints                   = { s3 = "${peer.endpoint}" }
    use_path_style              = true
    use_lockfile                = ${options.lockfile ?? true}
    skip_credentials_validation = true
    skip_metadata_api_check     = true
    skip_region_validation      = true
    skip_requesting_account_id  = true
    skip_s3_checksum            = true
  }
}
`
}

/** Deletes as an owner of the bucket does, with a tool that knows nothing of us. */
export async function removeUnder(peer: S3Peer, prefix: string): Promise<number> {
  const { client, keys } = await list(peer, prefix)
  for (const Key of keys) await client.send(new DeleteObjectCommand({ Bucket: peer.bucket, Key }))
  client.destroy()
  return keys.length
}

export async function keysIn(peer: S3Peer): Promise<readonly string[]> {
  const { client, keys } = await list(peer, '')
  client.destroy()
  return keys
}

async function list(peer: S3Peer, prefix: string): Promise<{ client: S3Client; keys: string[] }> {
  const client = new S3Client({
    endpoint: peer.endpoint,
    region: peer.region,
    forcePathStyle: true,
    credentials: {
      accessKeyId: peer.env['AWS_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: peer.env['AWS_SECRET_ACCESS_KEY'] ?? '',
    },
  })
  const keys: string[] = []
  for await (const page of paginateListObjectsV2({ client }, { Bucket: peer.bucket, Prefix: prefix })) {
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key)
  }
  return { client, keys: keys.toSorted() }
}
