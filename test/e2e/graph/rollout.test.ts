import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engines } from '../../rig/engines.ts'
import type { Engine } from '../../rig/engines.ts'
import { startServer } from '../../rig/server.ts'
import type { Server } from '../../rig/server.ts'
import { runTaco, startTaco } from '../../rig/taco.ts'
import { tempFolder } from '../../rig/temp.ts'
import { eventually } from '../../rig/wait.ts'

/** Three levels: each unit with the outputs that it takes from those above. */
const estate: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  network: {},
  registry: {},
  identity: {},
  db: { network: 'vpc_id' },
  cache: { network: 'vpc_id' },
  web: { network: 'cidr' },
  queue: { registry: 'url' },
  auth: { identity: 'url' },
  app: { db: 'url' },
  api: { cache: 'url', db: 'url2' },
  site: { web: 'url' },
  jobs: { queue: 'url' },
}

/** A resource per input, made anew when it changes; outputs that follow from the inputs. */
function code(unit: string, inputs: readonly string[], armed: string): string {
  const joined = inputs.map((name) => `\${var.${name}}`).join('-')
  return `
terraform {
  backend "http" {}
}
${inputs.map((name) => `variable "${name}" { type = string }`).join('\n')}
resource "terraform_data" "it" {
  triggers_replace = "${joined}"
  provisioner "local-exec" {
    command = "echo made >> '${armed}.effects'; if [ -e '${armed}' ]; then touch '${armed}.started'; until [ -e '${armed}.go' ] || [ ! -e '${armed}' ]; do sleep 0.05; done; fi"
  }
}
output "url" { value = "http://${unit}/${joined}" }
output "url2" { value = "https://${unit}/${joined}" }
output "vpc_id" { value = "vpc-1" }
output "cidr" { value = "10.0.0.0/8" }
`
}

const [engine] = engines()

test.skipIf(engine === undefined)(
  'one output changes: its consumers turn stale, and a rollout applies them once each, a killed worker and all',
  async () => {
    if (engine === undefined) return
    const server = await startServer()
    const { root, env } = await makeRepository(engine, server)
    const taco = (...args: string[]) => runTaco(args, { cwd: root, env })
    const must = async (...args: string[]) => {
      const { code: exit, output, stdout } = await taco(...args)
      expect({ args, exit, output: exit === 0 ? '' : output }).toEqual({ args, exit: 0, output: '' })
      return stdout
    }
    await must('sync', '--yes')
    const first = (await must('rollout', 'start', '-q', '--from', 'network,registry,identity')).trim()
    await must('rollout', 'work', first, '-j', '4')
    expect(await statuses(must)).toEqual(everything('up-to-date'))
    expect(await versions(server)).toEqual(everything(1))

    const main = join(root, 'network/main.tf')
    await writeFile(main, (await readFile(main, 'utf8')).replace('vpc-1', 'vpc-2'))
    await must('exec', 'network', '--', 'sh', '-c', `cd network && "${engine.path}" apply -auto-approve`)
    expect(await statuses(must)).toEqual({
      ...everything('up-to-date'),
      db: 'stale',
      cache: 'stale',
      app: 'waiting',
      api: 'waiting',
    })

    const armed = join(root, 'db.armed')
    await writeFile(armed, '')
    const second = (await must('rollout', 'start', '-q', '--from', 'network')).trim()
    const doomed = startTaco(['rollout', 'work', second, '-j', '4', '--lease', '5s'], { cwd: root, env })
    await eventually('the apply of db to be under way', () => existsSync(`${armed}.started`))
    doomed.signal('SIGKILL')
    await doomed.finished
    const other = startTaco(['rollout', 'work', second, '--lease', '5s'], { cwd: root, env })
    await eventually('another worker to take db over', () => other.output().includes('is still running'))
    await writeFile(`${armed}.go`, '')

    const finished = await other.finished
    expect({ code: finished.code, output: finished.code === 0 ? '' : finished.output }).toEqual({
      code: 0,
      output: '',
    })
    expect(await statuses(must)).toEqual(everything('up-to-date'))
    expect(await versions(server)).toEqual({ ...everything(1), network: 2, db: 2, cache: 2, app: 2, api: 2 })
    // What counts is not what was stored, but what was done.
    expect(effects(root)).toEqual({ ...everything(1), db: 2, cache: 2, app: 2, api: 2 })
    const rollout = JSON.parse(await must('rollout', 'status', second, '--json')) as Rollout
    expect(byUnit(rollout, ({ status }) => status)).toEqual({
      network: 'applied',
      db: 'applied',
      cache: 'applied',
      app: 'applied',
      api: 'applied',
      web: 'skipped',
      site: 'skipped',
    })
    const ended = byUnit(rollout, ({ endedAt }) => Date.parse(endedAt))
    const started = byUnit(rollout, ({ startedAt }) => Date.parse(startedAt ?? ''))
    for (const [unit, uses] of Object.entries(estate)) {
      for (const used of Object.keys(uses)) {
        if (Number.isFinite(started[unit])) expect(started[unit]).toBeGreaterThanOrEqual(ended[used] ?? 0)
      }
    }
    expect(rollout.steps.find(({ unit }) => unit.name === 'db')?.attempts).toBeGreaterThanOrEqual(2)
    expect(rollout.steps.find(({ unit }) => unit.name === 'web')?.proof).toMatchObject({
      kind: 'inputs',
      upstream: [{ unit: { name: 'network' }, outputs: { cidr: expect.any(String) as string } }],
    })
  },
)

test.skipIf(engine === undefined)(
  'a failed step holds up its dependents only, until it is resumed',
  async () => {
    if (engine === undefined) return
    const server = await startServer()
    const { root, env } = await makeRepository(engine, server)
    const taco = (...args: string[]) => runTaco(args, { cwd: root, env })
    await taco('sync', '--yes')
    const main = join(root, 'db/main.tf')
    const good = await readFile(main, 'utf8')
    await writeFile(main, `${good}\nresource "terraform_data" "bad" { input = file("absent") }\n`)
    const id = (await taco('rollout', 'start', '-q', '--from', 'network,registry,identity')).stdout.trim()

    const failed = await taco('rollout', 'work', id, '-j', '4')
    const half = JSON.parse((await taco('rollout', 'status', id, '--json')).stdout) as Rollout
    await writeFile(main, good)
    await taco('rollout', 'resume', id)
    const done = await taco('rollout', 'work', id, '-j', '4')

    expect(failed.code).toBe(1)
    expect(byUnit(half, ({ status }) => status)).toEqual({
      ...everything('applied'),
      db: 'failed',
      app: 'waiting',
      api: 'waiting',
    })
    expect(half.steps.find(({ unit }) => unit.name === 'db')?.reason).toContain('absent')
    expect(done.code).toBe(0)
    expect(await versions(server)).toEqual(everything(1))
  },
)

test.skipIf(engine === undefined).each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s lets the engine end in order and gives the step back', async (signal, exitCode) => {
  if (engine === undefined) return
  const server = await startServer()
  const { root, env } = await makeRepository(engine, server)
  const taco = (...args: string[]) => runTaco(args, { cwd: root, env })
  await taco('sync', '--yes')
  const armed = join(root, 'network.armed')
  await writeFile(armed, '')
  const id = (await taco('rollout', 'start', '-q', '--from', 'network')).stdout.trim()

  const worker = startTaco(['rollout', 'work', id], { cwd: root, env })
  await eventually('the apply to be under way', () => existsSync(`${armed}.started`))
  process.kill(worker.pid, signal)
  await eventually('the engine to hear of it', () => /nterrupt|topping/.test(worker.output()))
  await writeFile(`${armed}.go`, '')
  const stopped = await worker.finished
  const given = JSON.parse((await taco('rollout', 'status', id, '--json')).stdout) as Rollout
  const locked = await taco('unit', 'ls', '--locked')
  const done = await taco('rollout', 'work', id, '-j', '4')

  expect(stopped.code).toBe(exitCode)
  expect(given.steps.some(({ status }) => status === 'running')).toBe(false)
  expect(locked.stdout).not.toContain('network')
  expect(done.code).toBe(0)
})

interface Rollout {
  readonly steps: readonly {
    readonly unit: { readonly name: string }
    readonly status: string
    readonly attempts: number
    readonly startedAt: string | null
    readonly endedAt: string
    readonly reason: string | null
    readonly proof: unknown
  }[]
}

function byUnit<T>({ steps }: Rollout, pick: (step: Rollout['steps'][number]) => T): Record<string, T> {
  return Object.fromEntries(steps.map((step) => [step.unit.name, pick(step)]))
}

function everything<T>(value: T): Record<string, T> {
  return Object.fromEntries(Object.keys(estate).map((name) => [name, value]))
}

async function makeRepository(by: Engine, server: Server) {
  const root = await tempFolder()
  await writeFile(join(root, 'cli.tfrc'), '')
  let yaml = `engine: ${JSON.stringify(by.path)}\nunits:\n`
  for (const [unit, uses] of Object.entries(estate)) {
    const inputs = Object.entries(uses).map(([from, output]) => `${from}_${output}`)
    await mkdir(join(root, unit))
    await writeFile(join(root, unit, 'main.tf'), code(unit, inputs, join(root, `${unit}.armed`)))
    const edges = Object.entries(uses).map(
      ([from, output]) =>
        `      ${from}: { outputs: [${output}], inputs: { ${from}_${output}: ${output} } }\n`,
    )
    yaml += `  ${unit}:\n${edges.length === 0 ? '    dir: ' + unit + '\n' : `    dependencies:\n${edges.join('')}`}`
  }
  await writeFile(join(root, 'taco.yaml'), yaml)
  const env = { TACO_SERVER: server.url, TF_CLI_CONFIG_FILE: join(root, 'cli.tfrc'), CHECKPOINT_DISABLE: '1' }
  return { root, env }
}

function effects(root: string): Record<string, number> {
  const made = (name: string) =>
    readFileSync(join(root, `${name}.armed.effects`), 'utf8')
      .trim()
      .split('\n')
  return Object.fromEntries(Object.keys(estate).map((name) => [name, made(name).length]))
}

async function statuses(must: (...args: string[]) => Promise<string>): Promise<Record<string, string>> {
  const { items } = JSON.parse(await must('status', '--json')) as {
    items: readonly { name: string; status: string }[]
  }
  return Object.fromEntries(items.map(({ name, status }) => [name, status]))
}

async function versions({ url }: Server): Promise<Record<string, number>> {
  const counted = Object.keys(estate).map(async (name) => {
    const { items } = (await (await fetch(`${url}/v1/units/${name}/versions`)).json()) as { items: unknown[] }
    return [name, items.length] as const
  })
  return Object.fromEntries(await Promise.all(counted))
}
