import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from './free-port.ts'
import { startProgram, temporaryFolder } from './program.ts'
import type { S3Peer } from './s3.ts'
import { findOrBuild } from './toolchain.ts'

/**
 * A full S3 server over a folder; terraform's own `backend "s3"` works with it too. Attributes of the files hold
 * the tags: with its other way, a sidecar folder, a reader may get old bytes with a new tag. A delete looks at its
 * condition outside the lock that writes take, so it counts as a server without conditional delete.
 */
export async function startVersitygw(): Promise<S3Peer | undefined> {
  const program = await findOrBuild('versitygw')
  if (program === undefined) return undefined
  const folder = await temporaryFolder('versitygw')
  const bucket = 'states'
  const store = path.join(folder.path, 'store')
  await mkdir(path.join(store, bucket), { recursive: true })
  const port = await freePort()
  const running = await startProgram({
    command: program,
    args: ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive', 'posix', store],
    env: { ROOT_ACCESS_KEY: 'test-access-key', ROOT_SECRET_KEY: 'test-secret-key' },
    cwd: folder.path,
    port,
  })
  const endpoint = `http://127.0.0.1:${port}`
  return {
    name: 'versitygw',
    bucket,
    endpoint,
    region: 'us-east-1',
    url: `s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1&path_style=true&conditional_delete=false`,
    env: {
      AWS_ACCESS_KEY_ID: 'test-access-key',
      AWS_SECRET_ACCESS_KEY: 'test-secret-key',
      AWS_REGION: 'us-east-1',
    },
    async dispose() {
      await running.stop()
      await folder.remove()
    },
  }
}
