import { type MetricsRegistry, createMetricsRegistry } from '../../../base/metrics.ts'

/** The series of a server. Other layers add theirs with `counter`, `gauge` and `histogram`. */
export interface Metrics extends MetricsRegistry {
  request(route: string, method: string, status: number, ms: number): void
  bucketRequest(operation: string, outcome: string, ms: number): void
  /** A credential was wrong, or was not looked at because too many wrong ones came before it. */
  refusedCredential(reason: 'wrong' | 'limited'): void
  /** Requests that began and are not over. */
  inFlight: number
  /** States that were emptied or deleted around OpenTaco, as of the last look at all units. */
  statesMissing: number
}

export function createMetrics(version: string): Metrics {
  const registry = createMetricsRegistry()
  const { counter, gauge, histogram } = registry
  gauge('opentaco_build_info', 'The version that runs.', ['version']).at(version).value = 1
  const requests = counter('opentaco_http_requests_total', 'HTTP requests answered.', [
    'route',
    'method',
    'status',
  ])
  const requestTimes = histogram(
    'opentaco_http_request_duration_seconds',
    'From the head of a request to the end of its answer.',
    ['route', 'method'],
  )
  const inFlight = gauge('opentaco_http_requests_in_flight', 'HTTP requests being answered.').at()
  const refused = counter('opentaco_refused_credentials_total', 'Credentials that were refused.', ['reason'])
  for (const reason of ['wrong', 'limited']) refused.at(reason)
  const statesMissing = gauge(
    'opentaco_states_missing',
    'States that were emptied or deleted around OpenTaco, as of the last look.',
  ).at()
  const operations = counter('opentaco_bucket_requests_total', 'Operations on the bucket.', [
    'operation',
    'outcome',
  ])
  const operationTimes = histogram(
    'opentaco_bucket_request_duration_seconds',
    'Time of operations on the bucket.',
    ['operation'],
  )

  return {
    ...registry,
    get inFlight() {
      return inFlight.value
    },
    set inFlight(count) {
      inFlight.value = count
    },
    get statesMissing() {
      return statesMissing.value
    },
    set statesMissing(count) {
      statesMissing.value = count
    },
    request(route, method, status, ms) {
      requests.at(route, method, String(status)).add()
      requestTimes.at(route, method).observe(ms)
    },
    bucketRequest(operation, outcome, ms) {
      operations.at(operation, outcome).add()
      operationTimes.at(operation).observe(ms)
    },
    refusedCredential(reason) {
      refused.at(reason).add()
    },
    text() {
      noteProcess(registry)
      return registry.text()
    },
  }
}

function noteProcess({ counter, gauge }: MetricsRegistry): void {
  const memory = process.memoryUsage()
  const cpu = process.cpuUsage()
  gauge('process_resident_memory_bytes', 'Resident memory.').at().value = memory.rss
  gauge('nodejs_heap_used_bytes', 'Heap in use.').at().value = memory.heapUsed
  gauge('nodejs_external_memory_bytes', 'Memory of buffers and the like.').at().value = memory.external
  counter('process_cpu_seconds_total', 'Processor time.')
    .at()
    .set((cpu.user + cpu.system) / 1e6)
  gauge('process_start_time_seconds', 'When the process started.').at().value =
    Date.now() / 1000 - process.uptime()
}
