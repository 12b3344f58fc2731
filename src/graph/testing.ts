import type { GraphFacts, Read } from '../state/index.ts'
import { openHclReader } from './adapters/hcl2json.ts'
import type { EngineUnit } from './engine.ts'
import { scan } from './scan.ts'

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

export function asUnits(all: Iterable<GraphFacts>): EngineUnit[] {
  return Array.from(all, (facts) => ({ id: facts.id, key: facts, facts: () => facts }))
}

/** What a scan makes of these files, by path. */
export function scanned(files: Readonly<Record<string, string>>): ReturnType<typeof scan> {
  const given = Object.entries(files).map(([path, text]) => ({
    path,
    size: Buffer.byteLength(text),
    read: () => Promise.resolve(text),
  }))
  return scan(given, { hcl: openHclReader(), rootName: 'estate' })
}
