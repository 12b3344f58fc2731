import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder, until } from '../test/peers/program.ts'
import { makeState } from './fixtures.ts'
import type { Row } from './report.ts'
import type { BenchServer, Site } from './site.ts'

const GOAL_MS = 50
const MOST_OUTPUTS = 5000
const MOST_COMPARED = 64 * 2 ** 20

/** (k) How long a server answers no one while the largest accepted documents are written, read and compared. */
export async function* pauses(site: Site): AsyncGenerator<Row> {
  for (const kind of site.kinds) {
    const folder = await temporaryFolder('pauses')
    const file = join(folder.path, 'pause')
    const meter = fileURLToPath(new URL('programs/pause-meter.cjs', import.meta.url))
    const server = await site.server(await site.newStore(kind), {
      TACO_PAUSES: file,
      NODE_OPTIONS: `--require=${meter}`,
    })
    const measured = { server, file }
    await warmUp(server)
    for (const [name, steps] of Object.entries(subjects(site.isQuick)))
      yield* rows(`${name}, ${kind}`, steps, measured)
    await server.stop()
    await folder.remove()
  }
}

type Step = (server: BenchServer) => Promise<unknown>

function subjects(isQuick: boolean): Record<string, Record<string, Step>> {
  const units = isQuick ? 5_000 : 20_000
  const large = isQuick ? MOST_COMPARED / 4 : MOST_COMPARED - 1_000_000
  return {
    [`a state of 13.6 MB with ${MOST_OUTPUTS} outputs`]: {
      ...writing('outputs', (i) => manyOutputs(MOST_OUTPUTS, i)),
      'its outputs': read('/v1/units/outputs/outputs'),
      'its outputs, sensitive ones too': read('/v1/units/outputs/outputs?sensitive=true'),
      'the log of outputs': read('/v1/units/outputs/outputs/log'),
      'what changed in its outputs': read('/v1/units/outputs/outputs/diff'),
      'its difference': read('/v1/units/outputs/diff'),
    },
    'two states of 0.9 MB with 10,000 secrets': {
      ...writing('secrets', manySecrets),
      'its difference': read('/v1/units/secrets/diff'),
    },
    'an output of 16 MB': {
      ...writing('value', largeOutput),
      'its outputs, sensitive ones too': read('/v1/units/value/outputs?sensitive=true'),
      'its difference': read('/v1/units/value/diff'),
    },
    [`two states of ${Math.round(large / 1e6)} MB`]: {
      ...writing('large', (i) => makeState({ bytes: large, serial: i + 1, seed: i + 1 })),
      'the state': read('/v1/backend/default/large'),
      'a version': read('/v1/units/large/versions/1/state'),
      'their difference': read('/v1/units/large/diff'),
    },
    [`${units} units`]: {
      'made by syncs': (server) => sync(server, units),
      'their list': read('/v1/units?limit=1000'),
      'their status': read('/v1/status'),
      'their graph': read('/v1/graph'),
    },
  }
}

async function* rows(
  name: string,
  steps: Readonly<Record<string, Step>>,
  { server, file }: { server: BenchServer; file: string },
): AsyncGenerator<Row> {
  const found: { step: string; ms: number }[] = []
  for (const [step, run] of Object.entries(steps)) {
    await longest(server, file)
    await run(server)
    found.push({ step, ms: await longest(server, file) })
  }
  const [worst, ...others] = found.toSorted((a, b) => b.ms - a.ms)
  const told = [worst, ...others].map((one) => `${one?.step} ${one?.ms.toFixed(0)} ms`)
  yield {
    part: 'k',
    name: `longest pause, ${name}`,
    value: worst?.ms ?? Number.NaN,
    unit: 'ms',
    goal: { atMost: GOAL_MS },
    note: told.slice(0, 3).join('; '),
  }
}

/** Since the last request. */
async function longest({ pid }: BenchServer, file: string): Promise<number> {
  await rm(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  let text = ''
  await until(async () => {
    text = await readFile(file, 'utf8').catch(() => '')
    return text !== ''
  }, 'the server to tell its longest pause')
  return Number(text)
}

async function expectOk(answer: Promise<Response>): Promise<Response> {
  const got = await answer
  if (!got.ok) throw new Error(`${got.url}: ${got.status}: ${(await got.text()).slice(0, 500)}`)
  return got
}

/** Code that runs for the first time is slow, and no document is to blame for that. */
async function warmUp(server: BenchServer): Promise<void> {
  for (let serial = 1; serial <= 20; serial++) {
    await post(server, 'warm', makeState({ bytes: 300_000, serial, seed: serial }))
    for (const path of ['outputs', 'diff?from=1', 'versions']) await read(`/v1/units/warm/${path}`)(server)
  }
}

function writing(unit: string, state: (i: number) => Buffer): Record<string, Step> {
  return {
    'the first write': (server) => post(server, unit, state(0)),
    'the next write': (server) => post(server, unit, state(1)),
  }
}

async function post({ port }: BenchServer, unit: string, body: Buffer): Promise<void> {
  const url = `http://127.0.0.1:${port}/v1/backend/default/${unit}`
  const headers = { 'content-type': 'application/json' }
  await expectOk(fetch(url, { method: 'POST', body: new Uint8Array(body), headers }))
}

function read(path: string): Step {
  return async ({ port }) => (await expectOk(fetch(`http://127.0.0.1:${port}${path}`))).arrayBuffer()
}

function manyOutputs(count: number, i: number): Buffer {
  const value = 'v'.repeat(2650)
  const all = Array.from({ length: count }, (_, at) => [
    `output_${at}`,
    {
      value: `${value}${at % 2 === 0 ? at : at + i}`,
      type: 'string',
      ...(at % 7 === 0 ? { sensitive: true } : {}),
    },
  ])
  return stateOf(i, { outputs: Object.fromEntries(all) as object })
}

function manySecrets(i: number): Buffer {
  const at = Array.from({ length: 10_000 }, (_, n) => n)
  const attributes = {
    secret: at.map((n) => `s${n.toString(36).padStart(7, '0')}${i}`),
    shown: Object.fromEntries(
      at.map((n) => [`key_${n}`, `the value number ${n} of ${i} is nobody's secret at all`]),
    ),
  }
  return stateOf(i, { resources: [resourceOf(attributes)] })
}

/** Nothing takes longer to parse than many small numbers. */
function largeOutput(i: number): Buffer {
  const value = Array.from({ length: 7_900_000 }, () => i)
  return stateOf(i, { outputs: { numbers: { value, type: ['list', 'number'] } } })
}

function resourceOf(attributes: object): object {
  const instances = [{ schema_version: 0, attributes, sensitive_attributes: [] }]
  return { mode: 'managed', type: 'thing', name: 'main', provider: 'p', instances }
}

function stateOf(i: number, content: { outputs?: object; resources?: readonly object[] }): Buffer {
  const head = { version: 4, terraform_version: '1.12.6', serial: i + 1, lineage: 'pauses' }
  return Buffer.from(JSON.stringify({ ...head, outputs: {}, resources: [], ...content }))
}

async function sync({ port }: BenchServer, count: number): Promise<void> {
  const units = Array.from({ length: count }, (_, i) => ({
    name: `u/${i}`,
    dependencies: i === 0 ? [] : [{ on: `u/${i >> 1}` }],
  }))
  // Each within what the server takes in one request.
  for (let from = 0; from < count; from += 10_000)
    await expectOk(
      fetch(`http://127.0.0.1:${port}/v1/sync`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ units: units.slice(from, from + 10_000) }),
      }),
    )
}
