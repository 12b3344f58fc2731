/** Counts and durations in Prometheus' text format. Few and fixed labels: a route is a pattern, never a path. */
export interface Metrics {
  request(route: string, method: string, status: number, ms: number): void
  bucketRequest(operation: string, outcome: string, ms: number): void
  /** A credential was wrong, or was not looked at because too many wrong ones came before it. */
  refusedCredential(reason: 'wrong' | 'limited'): void
  /** Requests that began and are not over. */
  inFlight: number
  /** States that were emptied or deleted around OpenTaco, as of the last look at all units. */
  statesMissing: number
  text(): string
}

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000]

interface Series {
  readonly labels: string
  count: number
}

class Histogram {
  readonly labels: string
  readonly buckets = BOUNDS_MS.map(() => 0)
  count = 0
  sumMs = 0

  constructor(labels: string) {
    this.labels = labels
  }

  observe(ms: number): void {
    this.count++
    this.sumMs += ms
    for (let at = 0; at < BOUNDS_MS.length; at++) {
      if (ms > Number(BOUNDS_MS[at])) continue
      this.buckets[at] = (this.buckets[at] ?? 0) + 1
      return
    }
  }
}

/** How often with which outcome, and how long it took. */
class Tally {
  readonly times: Histogram
  readonly outcomes = new Map<string | number, Series>()
  readonly #outcomeLabel: string

  constructor(labels: string, outcomeLabel: string) {
    this.times = new Histogram(labels)
    this.#outcomeLabel = outcomeLabel
  }

  add(outcome: string | number, ms: number): void {
    const series = this.outcomes.get(outcome)
    if (series !== undefined) series.count++
    else
      this.outcomes.set(outcome, {
        labels: `${this.times.labels},${this.#outcomeLabel}="${outcome}"`,
        count: 1,
      })
    this.times.observe(ms)
  }
}

export function createMetrics(version: string): Metrics {
  // Maps in maps instead of joined keys: this runs for every request.
  const routes = new Map<string, Map<string, Tally>>()
  const operations = new Map<string, Tally>()
  const refusedCredentials = { wrong: 0, limited: 0 }

  const metrics: Metrics = {
    inFlight: 0,
    statesMissing: 0,
    request(route, method, status, ms) {
      let methods = routes.get(route)
      if (methods === undefined) routes.set(route, (methods = new Map()))
      let entry = methods.get(method)
      if (entry === undefined)
        methods.set(method, (entry = new Tally(`route="${route}",method="${method}"`, 'status')))
      entry.add(status, ms)
    },
    bucketRequest(operation, outcome, ms) {
      let entry = operations.get(operation)
      if (entry === undefined)
        operations.set(operation, (entry = new Tally(`operation="${operation}"`, 'outcome')))
      entry.add(outcome, ms)
    },
    refusedCredential(reason) {
      refusedCredentials[reason]++
    },
    text() {
      const requests = Array.from(routes.values(), (methods) => [...methods.values()]).flat()
      const bucketRequests = [...operations.values()]
      return [
        ...gauge('opentaco_build_info', 'The version that runs.', 1, `version="${version}"`),
        ...counters('opentaco_http_requests_total', 'HTTP requests answered.', requests),
        ...histograms(
          'opentaco_http_request_duration_seconds',
          'From the head of a request to the end of its answer.',
          requests,
        ),
        ...gauge('opentaco_http_requests_in_flight', 'HTTP requests being answered.', metrics.inFlight),
        ...head('opentaco_refused_credentials_total', 'Credentials that were refused.', 'counter'),
        ...Object.entries(refusedCredentials).map(
          ([reason, count]) => `opentaco_refused_credentials_total{reason="${reason}"} ${count}`,
        ),
        ...gauge(
          'opentaco_states_missing',
          'States that were emptied or deleted around OpenTaco, as of the last look.',
          metrics.statesMissing,
        ),
        ...counters('opentaco_bucket_requests_total', 'Operations on the bucket.', bucketRequests),
        ...histograms(
          'opentaco_bucket_request_duration_seconds',
          'Time of operations on the bucket.',
          bucketRequests,
        ),
        ...processMetrics(),
        '',
      ].join('\n')
    },
  }
  return metrics
}

function counters(name: string, help: string, all: readonly Tally[]): string[] {
  const series = all.flatMap(({ outcomes }) => [...outcomes.values()])
  return [...head(name, help, 'counter'), ...series.map(({ labels, count }) => `${name}{${labels}} ${count}`)]
}

function histograms(name: string, help: string, all: readonly Tally[]): string[] {
  const lines = head(name, help, 'histogram')
  for (const { labels, buckets, count, sumMs } of all.map(({ times }) => times)) {
    let below = 0
    for (const [i, bound] of BOUNDS_MS.entries()) {
      below += buckets[i] ?? 0
      lines.push(`${name}_bucket{${labels},le="${bound / 1000}"} ${below}`)
    }
    lines.push(
      `${name}_bucket{${labels},le="+Inf"} ${count}`,
      `${name}_sum{${labels}} ${sumMs / 1000}`,
      `${name}_count{${labels}} ${count}`,
    )
  }
  return lines
}

function processMetrics(): string[] {
  const memory = process.memoryUsage()
  const cpu = process.cpuUsage()
  const startedAt = Date.now() / 1000 - process.uptime()
  return [
    ...gauge('process_resident_memory_bytes', 'Resident memory.', memory.rss),
    ...gauge('nodejs_heap_used_bytes', 'Heap in use.', memory.heapUsed),
    ...gauge('nodejs_external_memory_bytes', 'Memory of buffers and the like.', memory.external),
    ...head('process_cpu_seconds_total', 'Processor time.', 'counter'),
    `process_cpu_seconds_total ${(cpu.user + cpu.system) / 1e6}`,
    ...gauge('process_start_time_seconds', 'When the process started.', startedAt),
  ]
}

function gauge(name: string, help: string, value: number, labels = ''): string[] {
  return [...head(name, help, 'gauge'), `${name}${labels === '' ? '' : `{${labels}}`} ${value}`]
}

function head(name: string, help: string, type: 'counter' | 'gauge' | 'histogram'): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}
