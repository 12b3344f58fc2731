import { callerNamed } from '../../support/caller.ts'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openServerUser } from '../../../src/access/index.ts'
import { isoTime, systemClock } from '../../../src/base/clock.ts'
import { randomIds } from '../../../src/base/ids.ts'
import { silentLog } from '../../../src/base/log.ts'
import { openMemoryBucket } from '../../../src/bucket/adapters/memory.ts'
import { runTokenGuard } from '../../../src/entry/http/index.ts'
import { readProject } from '../../../src/project/index.ts'
import {
  type RolloutApi,
  type RunTokenApi,
  type RunnerEvent,
  openEngines,
  repositoryOf,
  startWorker,
} from '../../../src/runner/index.ts'
import { createServices } from '../../../src/wire/services.ts'
import { type Engine, engines } from '../../rig/engines.ts'
import { memoryControl, startFace } from '../../rig/http-face.ts'
import { tempFolder } from '../../rig/temp.ts'

const org = 'default'
const caller = callerNamed('embedded worker')

/**
 * A worker inside the process of the services, which it calls directly. Only the engines speak HTTP, to a port that
 * accepts nothing but run tokens: any call of the API through it would be refused.
 */
async function embedded(engine: Engine, files: Readonly<Record<string, string>>) {
  const root = await tempFolder()
  for (const [path, text] of Object.entries({ 'cli.tfrc': '', ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const bucket = openMemoryBucket()
  const control = await memoryControl(bucket)
  const { sync, rollouts, variables, unitVariables } = createServices({
    bucket,
    clock: systemClock,
    ids: randomIds,
    control,
  })
  const { port } = await startFace({ control, guard: runTokenGuard({ runTokens: control.runTokens }) })
  const file = join(root, 'taco.yaml')
  const repository = repositoryOf(readProject(await readFile(file, 'utf8'), file), file)
  await sync.sync(org, repository.project.units, { dryRun: false }, caller)
  const tokens: RunTokenApi = {
    async issue(unit, ttlMs) {
      const { id, name } = await control.units.get({ org, unit }, caller)
      const issued = await control.runTokens.issue(
        { org, unit: { id, name } },
        { ttlMs },
        { principal: openServerUser },
      )
      return { ...issued, expiresAt: isoTime(issued.expiresAt) }
    },
    renew: async (id, ttlMs) => ({
      expiresAt: isoTime((await control.runTokens.renew({ org, id }, { ttlMs }, caller)).expiresAt),
    }),
    revoke: (id) => control.runTokens.revoke({ org, id }, caller),
  }
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    TF_CLI_CONFIG_FILE: join(root, 'cli.tfrc'),
  }
  const machine = { env: { ...env, TACO_ENGINE: engine.path }, cwd: root, freeMemory: () => 0 }

  return {
    root,
    control,
    /** Sets a variable of a unit. */
    async set(unit: string, key: string, value: string, category: 'terraform' | 'env' = 'terraform') {
      const owner = await unitVariables.find({ org, unit }, caller)
      await variables.change(owner, { set: [{ key, category, value }] }, caller)
    },
    /** Runs a whole rollout, and gives its steps and what was reported. */
    async rollOut(from: string) {
      const { id } = await rollouts.start(org, { from: [from] }, caller)
      const ref = { org, id }
      const api: RolloutApi = {
        claim: (options) => rollouts.claim(ref, options, caller),
        renew: (claims) => rollouts.renew(ref, claims, caller),
        begin: (unit, options) => rollouts.begin(ref, unit, options, caller),
        end: (unit, options) => rollouts.end(ref, unit, options, caller),
        variables: async (unit) => unitVariables.forRun(await unitVariables.find({ org, unit }, caller)),
        isAway: () => false,
      }
      const events: RunnerEvent[] = []
      const worker = startWorker(
        {
          api,
          backend: { url: `http://127.0.0.1:${port}`, env, tokens },
          repository,
          engines: openEngines(machine),
          machine,
          clock: systemClock,
          log: silentLog,
          report: (event) => void events.push(event),
        },
        {
          worker: 'embedded',
          org,
          jobs: 2,
          leaseMs: 30_000,
          patienceMs: 0,
          idleEveryMs: 60_000,
          separatePlan: false,
          skips: true,
          colour: false,
        },
      )
      await worker.ended
      const { status, steps } = await rollouts.get(ref, caller)
      return {
        status,
        steps: Object.fromEntries(steps.map((step) => [step.unit.name, step.status])),
        events,
      }
    },
  }
}

const producer = (value: string) => `terraform {
  backend "http" {}
}
output "changing" {
  value = "${value}"
}
output "steady" {
  value = "same"
}
`
const consumer = `terraform {
  backend "http" {}
}
variable "given" {}
resource "terraform_data" "it" {
  input = var.given
}
output "made" {
  value = terraform_data.it.output
}
`
const uses = (output: string) =>
  `{ dependencies: { net: { outputs: [${output}], inputs: { given: ${output} } } } }`

test.each(engines())(
  '$name: the runner carries a rollout out over the services, without the API',
  async (engine) => {
    const { root, control, rollOut } = await embedded(engine, {
      'taco.yaml': `units:\n  net: {}\n  app: ${uses('changing')}\n  dns: ${uses('steady')}\n`,
      'net/main.tf': producer('one'),
      'app/main.tf': consumer,
      'dns/main.tf': consumer,
    })

    const first = await rollOut('net')
    await writeFile(join(root, 'net/main.tf'), producer('two'))
    const second = await rollOut('net')

    expect(first).toMatchObject({ status: 'done', steps: { net: 'applied', app: 'applied', dns: 'applied' } })
    expect(second).toMatchObject({
      status: 'done',
      steps: { net: 'applied', app: 'applied', dns: 'skipped' },
    })
    expect(second.events.filter(({ kind }) => kind !== 'line')).toMatchObject([
      { kind: 'started', unit: 'net' },
      { kind: 'ended', unit: 'net', end: { kind: 'applied' } },
      { kind: 'started', unit: 'app' },
      { kind: 'ended', unit: 'app', end: { kind: 'applied' } },
    ])
    const { outputs } = await control.outputs.get({ org, unit: 'app' }, { sensitive: false }, caller)
    expect(outputs).toMatchObject([{ name: 'made', json: '"two"' }])
  },
)

test.each(engines())(
  '$name: a rollout gives units their variables, and applies them if one changed',
  async (engine) => {
    const { control, set, rollOut } = await embedded(engine, {
      'taco.yaml': 'units:\n  net: { variables: { given: code, second: code } }\n',
      'net/main.tf': `${consumer}variable "second" {}\nvariable "third" {}\noutput "others" {\n  value = "$\{var.second} $\{var.third}"\n}\n`,
    })
    const seen = async () =>
      (await control.outputs.get({ org, unit: 'net' }, { sensitive: false }, caller)).outputs
    await set('net', 'given', 'stored')
    await set('net', 'TF_VAR_third', 'environment', 'env')

    expect(await rollOut('net')).toMatchObject({ status: 'done', steps: { net: 'applied' } })
    expect(await seen()).toMatchObject([{ json: '"stored"' }, { json: '"code environment"' }])
    expect(await rollOut('net')).toMatchObject({ steps: { net: 'skipped' } })
    await set('net', 'given', 'changed')
    expect(await rollOut('net')).toMatchObject({ steps: { net: 'applied' } })
    expect(await seen()).toMatchObject([{ json: '"changed"' }, {}])
  },
)
