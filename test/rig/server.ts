import { get } from 'node:http'
import { get as getSecurely } from 'node:https'
import { freePort } from '../peers/free-port.ts'
import { startTaco } from './taco.ts'
import { tempFolder } from './temp.ts'
import { eventually } from './wait.ts'

export interface ServerOptions {
  /** Any bucket URL; a new folder by default. */
  readonly bucket?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** It speaks TLS: `args` say with which certificate. */
  readonly isSecure?: boolean
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
  const url = `${options.isSecure === true ? 'https' : 'http'}://127.0.0.1:${port}`
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
      return (await isReady(url)) ? 'ready' : undefined
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

/** Whoever issued its certificate. */
function isReady(url: string): Promise<boolean> {
  const ask = url.startsWith('https:') ? getSecurely : get
  return new Promise((resolve, reject) => {
    ask(`${url}/readyz`, { rejectUnauthorized: false, agent: false }, (reply) => {
      reply.resume()
      resolve(reply.statusCode === 200)
    }).on('error', reject)
  })
}
