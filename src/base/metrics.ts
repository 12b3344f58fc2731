/** Series in Prometheus' text format. Any layer can add its own. Few and fixed label values: a pattern, never a path. */
export interface MetricsRegistry {
  /** Asking for a name again gives the same series; its help and its labels are those of the first time. */
  counter(name: string, help: string, labels?: readonly string[]): Series<Counter>
  gauge(name: string, help: string, labels?: readonly string[]): Series<Gauge>
  /** Of durations. */
  histogram(name: string, help: string, labels?: readonly string[]): Series<Histogram>
  text(): string
}

export interface Series<S> {
  /** The series with these values of the labels, in order. */
  at(...values: readonly string[]): S
}

export interface Counter {
  add(count?: number): void
  /** Sets the total, for something that is counted elsewhere. */
  set(total: number): void
}

export interface Gauge {
  value: number
}

export interface Histogram {
  observe(ms: number): void
}

type Kind = 'counter' | 'gauge' | 'histogram'

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000]

export function createMetricsRegistry(): MetricsRegistry {
  const families = new Map<string, Family<Sampled>>()

  function family<S extends Sampled>(kind: Kind, make: () => S) {
    return (name: string, help: string, labels: readonly string[] = []): Series<S> => {
      const known = families.get(name)
      if (known !== undefined && known.kind !== kind)
        throw new Error(`${name} is a ${known.kind}, not a ${kind}`)
      const found = known ?? new Family<Sampled>(name, help, { kind, labels, make })
      families.set(name, found)
      return found as Family<S>
    }
  }

  return {
    counter: family('counter', () => new Count()),
    gauge: family('gauge', () => new Count()),
    histogram: family('histogram', () => new Times()),
    text: () => [...families.values()].map((each) => each.text()).join(''),
  }
}

interface Sampled {
  /** `labels` is empty, or ends with a comma. */
  lines(name: string, labels: string): readonly string[]
}

class Count implements Counter, Gauge, Sampled {
  value = 0

  add(count = 1): void {
    this.value += count
  }

  set(total: number): void {
    this.value = total
  }

  lines(name: string, labels: string): readonly string[] {
    return [sample(name, labels, this.value)]
  }
}

class Times implements Histogram, Sampled {
  readonly #buckets = BOUNDS_MS.map(() => 0)
  #count = 0
  #sumMs = 0

  observe(ms: number): void {
    this.#count++
    this.#sumMs += ms
    for (let at = 0; at < BOUNDS_MS.length; at++) {
      if (ms > Number(BOUNDS_MS[at])) continue
      this.#buckets[at] = (this.#buckets[at] ?? 0) + 1
      return
    }
  }

  lines(name: string, labels: string): readonly string[] {
    let below = 0
    return [
      ...BOUNDS_MS.map((bound, i) => {
        below += this.#buckets[i] ?? 0
        return sample(`${name}_bucket`, `${labels}le="${bound / 1000}",`, below)
      }),
      sample(`${name}_bucket`, `${labels}le="+Inf",`, this.#count),
      sample(`${name}_sum`, labels, this.#sumMs / 1000),
      sample(`${name}_count`, labels, this.#count),
    ]
  }
}

interface Branch<S> {
  readonly below: Map<string, Branch<S>>
  labels: string
  series: S | undefined
}

class Family<S extends Sampled> implements Series<S> {
  readonly kind: Kind
  readonly #name: string
  readonly #help: string
  readonly #labels: readonly string[]
  readonly #make: () => S
  readonly #root: Branch<S> = { below: new Map(), labels: '', series: undefined }

  constructor(
    name: string,
    help: string,
    options: { readonly kind: Kind; readonly labels: readonly string[]; readonly make: () => S },
  ) {
    this.kind = options.kind
    this.#name = name
    this.#help = help
    this.#labels = options.labels
    this.#make = options.make
  }

  at(...values: readonly string[]): S {
    // Maps in maps instead of joined keys: this runs for every request.
    let branch = this.#root
    let i = 0
    for (const value of values) {
      const label = this.#labels[i++]
      let next = branch.below.get(value)
      if (next === undefined) {
        const labels = `${branch.labels}${label}="${escaped(value)}",`
        branch.below.set(value, (next = { below: new Map(), labels, series: undefined }))
      }
      branch = next
    }
    return (branch.series ??= this.#make())
  }

  text(): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} ${this.kind}`]
    const visit = ({ below, labels, series }: Branch<S>): void => {
      if (series !== undefined) lines.push(...series.lines(this.#name, labels))
      for (const branch of below.values()) visit(branch)
    }
    visit(this.#root)
    return `${lines.join('\n')}\n`
  }
}

function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}` : `${name}{${labels.slice(0, -1)}} ${value}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
