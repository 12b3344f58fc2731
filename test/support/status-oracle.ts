import type { GraphFacts } from '../../src/state/index.ts'

/**
 * For tests only: status as the two tables of the design say it, read out slowly and literally, sharing no code with
 * the engine. Every question about "upstream" is answered by walking the whole way up, every time.
 */
export function modelStatus(all: readonly GraphFacts[]): Record<string, string> {
  const byId = new Map(all.map((facts) => [facts.id, facts]))

  /** Ids of the units that it names or read from, each with what it covers: null means whatever was read. */
  function uses(facts: GraphFacts): Map<string, readonly string[] | null> {
    const used = new Map<string, readonly string[] | null>()
    for (const { on } of facts.dependencies) {
      const same = facts.dependencies.filter((other) => other.on === on)
      const named = same.flatMap(({ outputs }) => outputs ?? [])
      const taken = mapped(facts, on).map(([, output]) => output)
      const read = facts.reads?.find(({ from }) => from === on)
      if (named.length > 0) used.set(on, [...named, ...taken])
      else if (same.some(({ outputs }) => outputs === null)) used.set(on, null)
      else if (read === undefined) used.set(on, taken)
      else used.set(on, read.names === null ? null : [...read.names, ...taken])
    }
    for (const { from, names } of facts.reads ?? []) if (!used.has(from)) used.set(from, names)
    return used
  }

  /** Which variable takes which output of that unit. */
  function mapped(facts: GraphFacts, on: string): [string, string][] {
    const inputs: Record<string, string> = {}
    for (const one of facts.dependencies) if (one.on === on) Object.assign(inputs, one.inputs)
    return Object.entries(inputs)
  }

  function dependency(facts: GraphFacts, on: string, covered: readonly string[] | null): string {
    const upstream = byId.get(on)
    if (upstream === undefined) return 'dangling'
    if (covered !== null && covered.length === 0) return 'fresh'
    const read = facts.reads?.find(({ from }) => from === on)
    if (read === undefined) return 'unknown'
    if (read.names !== null && read.names.length === 0) return 'unknown'
    if (read.digests === null) return 'unknown'
    const outputs = upstream.head === null ? [] : upstream.head.outputs
    if (outputs === null) return 'unknown'
    const digests = new Map(Object.entries(read.digests))
    const standing = new Map(outputs.map(({ name, digest }) => [name, digest]))
    const everything = [...digests.keys(), ...standing.keys()]
    const inputs = mapped(facts, on)
    const names = [...(covered ?? read.names ?? everything), ...inputs.map(([, output]) => output)]
    const seen = names.filter((name) => read.names === null || read.names.includes(name))
    if (seen.some((name) => digests.get(name) !== standing.get(name))) return 'changed'
    const { doubted } = read
    if (doubted === null) return 'unknown'
    if (seen.some((name) => doubted?.includes(name))) return 'unknown'
    // What an engine read as a remote state, it did not take as a variable.
    const given = read.inputs ?? (read.engine === true ? {} : undefined)
    if (given !== undefined && inputs.some(([variable, output]) => given[variable] !== output))
      return 'unknown'
    return seen.length === names.length ? 'fresh' : 'unknown'
  }

  /** Everything upstream at any distance; a unit of a cycle finds itself. */
  function upstreamOf(id: string, found = new Set<string>()): Set<string> {
    const facts = byId.get(id)
    for (const on of facts === undefined ? [] : uses(facts).keys()) {
      if (found.has(on)) continue
      found.add(on)
      upstreamOf(on, found)
    }
    return found
  }

  function isMoving(id: string): boolean {
    return ['never-applied', 'stale', 'stale, ready', 'waiting'].includes(status(id))
  }

  /** Ends, because a unit of a cycle is unknown before anybody asks further. */
  function status(id: string): string {
    const facts = byId.get(id)
    if (facts === undefined) return 'gone'
    if (facts.missing !== undefined) return 'state-missing'
    if (facts.head === null) return 'never-applied'
    const upstream = upstreamOf(id)
    if (upstream.has(id)) return 'unknown'
    const states = [...uses(facts)].map(([on, covered]) => dependency(facts, on, covered))
    const isBelowMoving = [...upstream].some((up) => isMoving(up))
    if (facts.failed !== undefined || states.includes('changed'))
      return isBelowMoving ? 'stale' : 'stale, ready'
    if (isBelowMoving) return 'waiting'
    if (states.includes('unknown') || states.includes('dangling')) return 'unknown'
    if (facts.head.outputs === null) return 'unknown'
    if ([...upstream].some((up) => ['unknown', 'state-missing'].includes(status(up)))) return 'unknown'
    return 'up-to-date'
  }

  return Object.fromEntries(all.map(({ id }) => [id, status(id)]))
}
