import { realpath } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from './program.ts'
import type { S3Peer } from './s3.ts'
import { findOrBuild } from './toolchain.ts'

interface Server {
  readonly ready: Promise<URL>
  dispose(): Promise<void>
}

interface Module {
  readonly Miniflare: new (options: Readonly<Record<string, unknown>>) => Server
}

/** Cloudflare's R2 on this machine, from npm alone. It ignores the condition on a delete. */
export async function startMiniflare(): Promise<S3Peer> {
  const found = await findOrBuild('miniflare')
  if (found === undefined) throw new Error('miniflare cannot be installed from npm')
  const { Miniflare } = (await import(pathToFileURL(await realpath(found)).href)) as Module
  const folder = await temporaryFolder('miniflare')
  const bucket = 'states'
  const keys = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' }
  const server = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    modules: true,
    script: 'export default { fetch() { return new Response("") } }',
    r2Persist: folder.path,
    r2Buckets: { B: { id: bucket, s3Credentials: keys } },
  })
  const endpoint = new URL('/cdn-cgi/local/r2/s3', await server.ready).toString()
  return {
    name: 'miniflare',
    bucket,
    endpoint,
    region: 'auto',
    url: `s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}&region=auto&path_style=true&conditional_delete=false`,
    env: {
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_REGION: 'auto',
    },
    async dispose() {
      await server.dispose()
      await folder.remove()
    },
  }
}
