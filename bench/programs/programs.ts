import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** What a program answers, by name; arguments and answers travel between processes. */
export type Handlers = Readonly<Record<string, (input: never) => Promise<unknown>>>

export interface Running<H extends Handlers> {
  readonly pid: number
  ask<K extends keyof H & string>(name: K, input: Parameters<H[K]>[0]): Promise<Awaited<ReturnType<H[K]>>>
  stop(): Promise<void>
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

const folder = fileURLToPath(new URL('../results/programs/', import.meta.url))
const names = ['load', 'bare', 'driver'] as const
let built: Promise<unknown> | undefined

/** Plain JavaScript, so that nothing compiles while something is measured. */
function buildOnce(): Promise<unknown> {
  built ??= build({
    entryPoints: names.map((name) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  })
  return built
}

/** Starts one of the programs of this folder in its own process. */
export async function startRunning<H extends Handlers>(
  name: (typeof names)[number],
  env: Readonly<Record<string, string>> = {},
): Promise<Running<H>> {
  await buildOnce()
  const child = fork(`${folder}${name}.mjs`, {
    execArgv: [],
    serialization: 'advanced',
    env: { ...process.env, ...env },
  })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.on('message', ({ id, value, error }: Answer) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(value)
    else asked?.reject(new Error(`${name}: ${error}`))
  })
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended with ${code}`))
  })
  let asked = 0
  return {
    pid: child.pid ?? 0,
    ask: (request, input) =>
      new Promise((resolve, reject) => {
        const id = ++asked
        waiting.set(id, { resolve: (value) => resolve(value as never), reject })
        child.send({ id, request, input })
      }),
    async stop() {
      child.disconnect()
      await ended
    },
  }
}
