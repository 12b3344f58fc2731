import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from './free-port.ts'
import { startProgram, temporaryFolder } from './program.ts'
import { findOrBuild } from './toolchain.ts'

export interface GcsPeer {
  readonly name: string
  readonly bucket: string
  readonly endpoint: string
  /** For `--bucket`. */
  readonly url: string
  /** Environment that users of the url need. */
  readonly env: Readonly<Record<string, string>>
  dispose(): Promise<void>
}

/** Google Cloud Storage on this machine. It ignores the condition on a delete. */
export async function startGcs(): Promise<GcsPeer | undefined> {
  const program = await findOrBuild('fake-gcs-server')
  if (program === undefined) return undefined
  const folder = await temporaryFolder('gcs')
  const bucket = 'states'
  await mkdir(path.join(folder.path, bucket), { recursive: true })
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const address = ['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-public-host', host]
  const running = await startProgram({
    command: program,
    args: [...address, '-backend', 'filesystem', '-filesystem-root', folder.path, '-log-level', 'error'],
    cwd: folder.path,
    port,
  })
  return {
    name: 'fake-gcs-server',
    bucket,
    endpoint: `http://${host}`,
    url: `gs://${bucket}`,
    env: { STORAGE_EMULATOR_HOST: `http://${host}` },
    async dispose() {
      await running.stop()
      await folder.remove()
    },
  }
}
