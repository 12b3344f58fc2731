import { expect, test } from 'vitest'
import { createMetrics } from '../../entry/http/index.ts'
import { sumCounters, sumMetrics } from './sum-metrics.ts'

function metricsAfter(requests: number): string {
  const metrics = createMetrics('1.2.3')
  metrics.inFlight = 1
  for (let i = 0; i < requests; i++) metrics.request('/v1/units', 'GET', 200, 3)
  return metrics.text()
}

test('counters, histograms and gauges of several processes are added up', () => {
  const sum = sumMetrics([metricsAfter(2), metricsAfter(3), ''])

  expect(sum).toContain('opentaco_http_requests_total{route="/v1/units",method="GET",status="200"} 5\n')
  expect(sum).toContain(
    'opentaco_http_request_duration_seconds_bucket{route="/v1/units",method="GET",le="0.005"} 5\n',
  )
  expect(sum).toContain('opentaco_http_request_duration_seconds_sum{route="/v1/units",method="GET"} 0.015\n')
  expect(sum).toContain('opentaco_http_requests_in_flight 2\n')
  expect(sum).toContain('opentaco_build_info{version="1.2.3"} 1\n')
  expect(sum.match(/# TYPE opentaco_http_requests_total counter/g)).toHaveLength(1)
})

test('a series that only one process has keeps its value', () => {
  expect(sumMetrics([metricsAfter(0), metricsAfter(4)])).toContain('status="200"} 4\n')
})

test('of processes that are gone, the counters stay and the gauges go', () => {
  const past = sumCounters([sumCounters(['', metricsAfter(2)]), metricsAfter(3)])

  expect(past).toContain('opentaco_http_requests_total{route="/v1/units",method="GET",status="200"} 5\n')
  expect(past).toContain('_count{route="/v1/units",method="GET"} 5\n')
  expect(past).not.toContain('opentaco_http_requests_in_flight')
  expect(sumMetrics([metricsAfter(1), past])).toContain('status="200"} 6\n')
})
