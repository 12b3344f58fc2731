import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Row } from './report.ts'
import { median } from './slices.ts'

const taco = fileURLToPath(new URL('../bin/taco', import.meta.url))

/**
 * (g) How long a command takes from start to end, against starting Node and doing nothing. The variants take turns
 * within each round and the ratio is taken within the round, so that other work on the machine meets all alike.
 */
export async function run(rounds = 31): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'taco-bench-cli-'))
  const env = { ...process.env, XDG_CONFIG_HOME: folder, TACO_TOKEN: '', TACO_ORG: '', NO_COLOR: '1' }
  const bucket = join(folder, 'bucket')
  const server = await serve(bucket, env)
  try {
    const against = { server: [taco, '--server', server.url], bucket: [taco, '--bucket', bucket] }
    await time([...against.server, 'unit', 'create', 'prod/network'], env)
    const variants = {
      nothing: ['-e', '0'],
      version: [taco, '--version'],
      json: [...against.server, 'unit', 'show', 'prod/network', '--json'],
      table: [...against.server, 'unit', 'ls'],
      embedded: [...against.bucket, 'unit', 'show', 'prod/network', '--json'],
    }
    const ms = await measured(variants, rounds, env)
    const ratio = (name: keyof typeof variants) =>
      median(ms[name].map((value, round) => value / (ms.nothing[round] ?? Number.NaN)))
    const row = (name: string, variant: keyof typeof variants, atMost?: number): Row => ({
      part: 'g',
      name,
      value: ratio(variant),
      unit: '×',
      ...(atMost === undefined ? {} : { goal: { atMost } }),
      note: `${median(ms[variant]).toFixed(0)} ms, node -e 0 ${median(ms.nothing).toFixed(0)} ms`,
    })
    return [
      row('taco --version', 'version', 1.3),
      row('taco unit show --json: one request', 'json', 1.6),
      row('taco unit ls: one request, a table', 'table', 1.6),
      row('taco unit show --json without a server, over a folder', 'embedded'),
    ]
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measured<K extends string>(
  variants: Readonly<Record<K, readonly string[]>>,
  rounds: number,
  env: NodeJS.ProcessEnv,
): Promise<Record<K, number[]>> {
  const names = Object.keys(variants) as K[]
  const ms = Object.fromEntries(names.map((name): [string, number[]] => [name, []])) as Record<K, number[]>
  for (const name of names) await time(variants[name], env)
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed())
      ms[name].push(await time(variants[name], env))
  }
  return ms
}

/** Throws if the command fails: a quick failure must not pass for a quick command. */
function time(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, [...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  return new Promise((resolve, reject) => {
    let ms = 0
    child.once('exit', () => (ms = performance.now() - started))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(ms) : reject(new Error(`${args.join(' ')} gave ${code}: ${said}`)),
    )
  })
}

async function serve(
  bucket: string,
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const args = [
    taco,
    'serve',
    '--bucket',
    bucket,
    '--listen',
    '127.0.0.1:0',
    '--auth',
    'none',
    '--log-level',
    'silent',
    '--json',
  ]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const line = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (part: Buffer) => {
      said += part.toString()
      if (said.includes('\n')) resolve(said)
    })
    child.once('exit', (code) => reject(new Error(`taco serve ended with ${code}`)))
  })
  const { url } = JSON.parse(line) as { readonly url: string }
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
