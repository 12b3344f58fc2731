import { among } from '../../base/text/among.ts'
import type { PendingRead, Read } from '../documents/model.ts'

/** Merges several reads, when we do not know which one counted, into one per unit. Pure. */

/** Of each output the oldest counts; where a newer one saw another value, that is in doubt. */
export function mergedReads(reads: readonly Read[]): Read[] {
  const byUnit = new Map<string, Read>()
  for (const read of reads.toSorted((a, b) => a.commit - b.commit)) {
    const known = byUnit.get(read.from)
    byUnit.set(read.from, known === undefined ? bare(read) : merge(known, read))
  }
  return [...byUnit.values()]
}

/** What `read` saw counts; where one of the others saw another value, that is in doubt. */
export function doubtedBy(read: Read, others: readonly Read[]): Read {
  return others.reduce((known, other) => merge(known, other), read)
}

/** What later reads of the same unit do not cover. */
export function leftOf(read: Read, later: readonly Read[]): Read[] {
  if (later.length === 0 || read.digests === null) return later.length === 0 ? [read] : []
  // A consumer that takes inputs takes all of them.
  if (later.some(({ names, inputs }) => names === null || inputs !== undefined)) return []
  const isCovered = among(later.flatMap(({ names }) => names ?? []))
  const names = (read.names ?? Object.keys(read.digests)).filter((name) => !isCovered(name))
  const digests = Object.fromEntries(Object.entries(read.digests).filter(([name]) => !isCovered(name)))
  return names.length === 0 ? [] : [{ ...read, names, digests }]
}

/**
 * The state was made from what was read before or from what was read now. Null before: that is unknown too. An apply
 * would have repeated a read that only an engine made; anything else may come from a file older than that read.
 */
export function readsOfEither(before: readonly Read[] | null, now: readonly Read[]): Read[] {
  // The first of each unit counts.
  const earlier = new Map((before ?? []).toReversed().map((read) => [read.from, read]))
  const again = new Set(now.map(({ from }) => from))
  const changed = now.map((read): Read => {
    const old = earlier.get(read.from)
    if (old === undefined) return { ...read, doubted: null }
    return merge(read, old, 'both')
  })
  const gone = (before ?? []).filter(({ from }) => !again.has(from))
  return [...changed, ...gone.map((read) => (read.engine === true ? read : { ...read, doubted: null }))]
}

/** `first` counts. `both`: what only one of them saw is in doubt, too. */
function merge(first: Read, other: Read, doubt: 'where they differ' | 'both' = 'where they differ'): Read {
  const names =
    first.names === null || other.names === null ? null : [...new Set([...first.names, ...other.names])]
  const at = Math.min(first.at, other.at)
  const isOfEngine = first.engine === true && other.engine === true
  const { doubted: _doubted, engine: _engine, inputs: _inputs, mixed: _mixed, ...same } = bare(first)
  const merged = {
    ...same,
    names,
    at,
    ...byEngine(isOfEngine),
    ...inputsOf(first, other),
    ...commitsOf(first, other),
  }
  if (first.digests === null || other.digests === null) return { ...merged, digests: null }
  const known = [...new Set([...Object.keys(first.digests), ...Object.keys(other.digests), ...(names ?? [])])]
  const [inFirst, inOther] = [among(first.names), among(other.names)]
  const digests = known.flatMap((name) => {
    const digest = digestIn(inFirst(name) ? first : other, name)
    return digest === undefined ? [] : [[name, digest]]
  })
  const doubted = known.filter((name) =>
    inFirst(name) && inOther(name) ? digestIn(first, name) !== digestIn(other, name) : doubt === 'both',
  )
  return {
    ...merged,
    digests: Object.fromEntries(digests) as Record<string, string>,
    ...doubts([first.doubted, other.doubted, doubted.length === 0 ? undefined : doubted]),
  }
}

function doubts(all: readonly Read['doubted'][]): Pick<Read, 'doubted'> {
  if (all.includes(null)) return { doubted: null }
  const names = [...new Set(all.flatMap((some) => some ?? []))]
  return names.length === 0 ? {} : { doubted: names }
}

function digestIn({ digests }: Read, name: string): string | undefined {
  return digests === null ? undefined : valueIn(digests, name)
}

/** Of a read that no write had taken up yet, what stays once one has. */
function bare(read: Read & Partial<PendingRead>): Read {
  const { lock: _lock, plan: _plan, run: _run, taken: _taken, ...own } = read
  return own
}

/** A variable that was given one output and then another: we do not know which was used. */
function inputsOf({ inputs: first }: Read, { inputs: other }: Read): Pick<Read, 'inputs'> {
  if (first === undefined || other === undefined) {
    const inputs = first ?? other
    return inputs === undefined ? {} : { inputs }
  }
  const all = Object.entries({ ...other, ...first })
  const agreed = all.filter(([variable, output]) => (valueIn(other, variable) ?? output) === output)
  return { inputs: Object.fromEntries(agreed) }
}

function valueIn(record: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function commitsOf(first: Read, other: Read): Pick<Read, 'mixed'> {
  const adds =
    first.names !== null &&
    !(other.names ?? [null]).every((name) => name !== null && first.names?.includes(name))
  const isMixed = first.mixed === true || other.mixed === true || (first.commit !== other.commit && adds)
  return isMixed ? { mixed: true } : {}
}

function byEngine(isOfEngine: boolean): Pick<Read, 'engine'> {
  return isOfEngine ? { engine: true } : {}
}
