import { alice } from './caller.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import {
  type GraphFacts,
  LockInfo,
  type Read,
  type StateSettings,
  createStateControl,
} from '../../src/state/index.ts'
import { openHclReader } from '../../src/scan/adapters/hcl2json.ts'
import type { LiveUnit } from '../../src/graph/status/live-graph.ts'
import { createRollouts } from '../../src/rollouts/rollouts.ts'
import { type ScanReport, scan } from '../../src/scan/scan.ts'

/** For tests and benchmarks only: the facts of a unit, with `up` as the ids of what it uses. */
export function factsOf(id: string, changes: Partial<GraphFacts> = {}): GraphFacts {
  return {
    id,
    name: id,
    head: null,
    dependencies: [],
    reads: null,
    locked: false,
    fingerprint: null,
    ...changes,
  }
}

export function headOf(outputs: Readonly<Record<string, string>>, commit = 1): GraphFacts['head'] {
  return {
    commit,
    version: `sv-${commit}`,
    at: commit * 1000,
    by: 'alice',
    who: null,
    outputs: Object.entries(outputs).map(([name, digest]) => ({
      name,
      digest,
      sensitive: false,
      since: commit,
    })),
  }
}

export function dependsOn(
  on: string,
  outputs: readonly string[] | null = null,
): GraphFacts['dependencies'][number] {
  return { on, name: on, outputs: outputs === null ? null : [...outputs], source: 'declared', inputs: {} }
}

export function readOf(
  from: string,
  digests: Readonly<Record<string, string>> | null,
  changes: Partial<Read> = {},
): Read {
  return { from, names: null, commit: 1, digests, at: 1, ...changes }
}

export function asUnits(all: Iterable<GraphFacts>): LiveUnit[] {
  return Array.from(all, (facts) => ({ id: facts.id, key: facts, facts: () => facts }))
}

/** What a scan makes of these files, by path. `within`: where they lie in their repository. */
export function scanned(
  files: Readonly<Record<string, string>>,
  { within }: { readonly within: string | undefined } = { within: '.' },
): ReturnType<typeof scan> {
  const given = Object.entries(files).map(([path, text]) => ({
    path,
    size: Buffer.byteLength(text),
    read: () => Promise.resolve(text),
  }))
  return scan(given, { hcl: openHclReader(), rootName: 'estate', within })
}

/** `app -> net:vpc_id,zone`; `*` is all outputs, and none is only the order. */
export function edgesOf({ units }: ScanReport): string[] {
  return units.flatMap(({ name, dependencies }) =>
    dependencies.map(({ on, outputs }) => `${name} -> ${on}:${outputs?.join(',') ?? '*'}`),
  )
}

export function namesOf({ units }: ScanReport): string[] {
  return units.map(({ name, dir }) => `${name} in ${dir}`)
}

export const org = 'default'
export { alice }
export const byHand = LockInfo.parse({ ID: 'by hand', Operation: 'OperationTypeApply', Who: 'bob' })
export const options = { worker: 'w1', most: 10, leaseMs: 1000, begin: false }

/** network ← app ← dns, and network ← other; the time is what the test says. */
export async function estate(settings: Partial<StateSettings> = { tidyAfterMs: null, flushEvents: false }) {
  let now = 1_000_000
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const bucket = openMemoryBucket()
  const spool = { create: () => Promise.reject(new Error('these states fit into memory')) }
  const control = await createStateControl({ bucket, clock, ids: randomIds, log: silentLog, spool, settings })
  const deps = { bucket, clock, ids: randomIds, control }
  const ids = new Map<string, string>()
  for (const name of ['network', 'app', 'dns', 'other'])
    ids.set(name, (await control.units.create({ org, name }, alice)).id)
  const serials = new Map<string, number>()

  async function uses(unit: string, on: string, output: string, variable: string): Promise<void> {
    const edge = { on: ids.get(on) ?? '', name: on, outputs: [output], source: 'declared' as const }
    await control.graph.changeDependencies(
      { org, unit },
      (edges) => [...edges, { ...edge, inputs: { [variable]: output } }],
      alice,
    )
  }
  await uses('app', 'network', 'vpc_id', 'vpc')
  await uses('other', 'network', 'cidr', 'cidr')
  await uses('dns', 'app', 'url', 'url')

  /** What an engine does: writes a state under the step's lock. */
  async function write(unit: string, lockId: string, outputs: Record<string, string>): Promise<void> {
    const serial = (serials.get(unit) ?? 0) + 1
    serials.set(unit, serial)
    const text = JSON.stringify({
      version: 4,
      terraform_version: '1.12.6',
      serial,
      lineage: `of ${unit}`,
      outputs: Object.fromEntries(
        Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]),
      ),
      resources: [],
    })
    async function* bytes() {
      yield Buffer.from(text)
    }
    const state = await control.states.receive(bytes(), { org, maxBytes: 1e6 }, alice)
    await control.states.write({ org, unit }, state, { how: 'backend', lockId }, alice)
    now += 1
  }

  return {
    control,
    rollouts: createRollouts(deps),
    /** A server that starts now, over the same bucket. */
    async reopen(changed: Partial<StateSettings>) {
      const other = { bucket, clock, ids: randomIds, log: silentLog, spool, settings: changed }
      const opened = await createStateControl(other)
      return { control: opened, rollouts: createRollouts({ ...deps, control: opened }) }
    },
    another: createRollouts(deps),
    on: (other: typeof bucket) => createRollouts({ ...deps, bucket: other }),
    write,
    bucket,
    now: () => now,
    /** The same bucket through a control that the test changed. */
    over: (changed: typeof control) => createRollouts({ ...deps, control: changed }),
    pass: (ms: number) => (now += ms),
  }
}

export type Estate = Awaited<ReturnType<typeof estate>>

export const outputsOf: Record<string, Record<string, string>> = {
  network: { vpc_id: 'vpc-1', cidr: '10/8' },
  app: { url: 'http://app' },
  dns: {},
  other: {},
}

/** Works until nothing is left; gives what was applied, with what it was given. */
export async function workThrough(
  { rollouts, write }: Estate,
  id: string,
  outputs: Record<string, Record<string, string>> = outputsOf,
): Promise<Record<string, Record<string, string>>> {
  const applied: Record<string, Record<string, string>> = {}
  const ref = { org, id }
  let { claims } = await rollouts.claim(ref, options, alice)
  while (claims.length > 0) {
    const next: typeof claims = []
    for (const { unit, token } of claims) {
      const { lock, inputs } = await rollouts.begin(ref, unit.id, { token, leaseMs: 1000, lock: true }, alice)
      applied[unit.name] = inputs
      await write(unit.name, lock ?? '', outputs[unit.name] ?? {})
      const end = { kind: 'applied' as const, fingerprint: `f-${unit.name}`, engineMs: 1 }
      next.push(...(await rollouts.end(ref, unit.id, { token, end, next: options }, alice)).claims)
    }
    claims = next
  }
  return applied
}

export const statuses = async ({ rollouts }: Estate, id: string) =>
  Object.fromEntries(
    (await rollouts.get({ org, id }, alice)).steps.map((step) => [step.unit.name, step.status]),
  )
