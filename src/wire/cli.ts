import { availableParallelism, homedir, hostname, userInfo } from 'node:os'
import { runCli } from '../entry/cli/index.ts'
import type { ServeOptions, Served, Signal, World } from '../entry/cli/index.ts'
import { packageVersion } from './version.ts'

const signals: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
let goesOnUnread = false

/** The program: `bin/taco` calls it with the arguments and exits with what it returns. */
export async function main(args: readonly string[]): Promise<number> {
  // A reader that has seen enough (`taco unit ls | head`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!goesOnUnread) process.exit(error.code === 'EPIPE' ? 0 : 1)
  })
  return await runCli(args, world())
}

function world(): World {
  return {
    env: process.env,
    cwd: process.cwd(),
    get home() {
      return homedir()
    },
    get who() {
      return whoAmI()
    },
    // Each stream is built when it is first touched, and most commands touch one.
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
    now: () => Date.now(),
    freeMemory: () => process.availableMemory(),
    version: packageVersion,
    onSignal(heard) {
      for (const signal of signals) process.on(signal, heard)
      return () => {
        for (const signal of signals) process.off(signal, heard)
      }
    },
    goOnUnread() {
      goesOnUnread = true
      process.stderr.on('error', () => {})
    },
    openBrowser: async (url) => (await import('./open-browser.ts')).openBrowser(url),
    openEmbedded: async (options) => (await import('./embed.ts')).openEmbedded(options),
    serve: async (options) => endingProcess(await serving(options)),
    repository: () => import('./repository.ts'),
    accessFiles: async () => (await import('./access-files.ts')).accessFiles(),
    packing: () => import('./pack.ts'),
    secretKeys: () => import('./secret-keys.ts'),
    parsers: () => import('./parsers.ts'),
  }
}

async function serving(options: ServeOptions): Promise<Served> {
  const workers = options.workers === 'auto' ? availableParallelism() : options.workers
  if (workers === 1) return (await import('./serve.ts')).serve(options)
  return (await import('./workers/supervisor.ts')).serveWithWorkers(options, workers)
}

/** Once the server has stopped, requests to a bucket that hangs must not keep the process alive. */
function endingProcess(served: Served): Served {
  return {
    ...served,
    async close() {
      await served.close()
      setTimeout(() => process.exit(), 500).unref()
    },
  }
}

function whoAmI(): string {
  let name: string
  try {
    name = userInfo().username
  } catch {
    // A container may run under a number that has no name.
    name = process.env['USER'] ?? String(process.getuid?.() ?? 'unknown')
  }
  return `${name}@${hostname()}`
}
