import { freePort } from '../peers/free-port.ts'
import { startTaco } from './taco.ts'
import { tempFolder } from './temp.ts'
import { eventually } from './wait.ts'

export interface ServerOptions {
  /** Any bucket URL; a new folder by default. */
  readonly bucket?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** To return on the address of an earlier server. */
  readonly port?: number
}

export interface Server {
  readonly url: string
  readonly port: number
  readonly bucket: string
  readonly pid: number
  output(): string
  /** As the kernel does it: no goodbye, nothing flushed. */
  kill9(): Promise<void>
  /** Asks it to stop and returns its exit code. */
  stop(): Promise<number | undefined>
}

/** The built `taco serve`, ready to answer, ended with the test. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const home = await tempFolder()
  const bucket = options.bucket ?? `file://${home}/bucket`
  const port = options.port ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const child = startTaco(
    ['serve', '--bucket', bucket, '--listen', `127.0.0.1:${port}`, ...(options.args ?? ['--auth', 'none'])],
    {
      cwd: home,
      deadlineMs: 600_000,
      ...(options.env === undefined ? {} : { env: options.env }),
    },
  )
  async function end(signal: NodeJS.Signals): Promise<number | undefined> {
    child.signal(signal)
    return (await child.finished).code
  }
  await eventually(
    () => `the server at ${url} to be ready; it said: ${child.output()}`,
    async () => {
      if (!child.isRunning()) return 'ended'
      return (await fetch(`${url}/readyz`)).ok ? 'ready' : undefined
    },
  )
  if (!child.isRunning()) throw new Error(`the server ended at once: ${child.output()}`)
  return {
    url,
    port,
    bucket,
    pid: child.pid,
    output: () => child.output(),
    stop: () => end('SIGTERM'),
    kill9: async () => {
      await end('SIGKILL')
    },
  }
}
