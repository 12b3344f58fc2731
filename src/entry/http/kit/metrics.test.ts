import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

test('requests are counted by route, method and status, with their times', () => {
  const metrics = createMetrics('1.2.3')

  metrics.request('/v1/units', 'GET', 200, 3)
  metrics.request('/v1/units', 'GET', 200, 700)
  metrics.request('/v1/units', 'GET', 404, 70_000)
  metrics.bucketRequest('put', 'conflict', 12)

  const text = metrics.text()
  expect(text).toContain('opentaco_build_info{version="1.2.3"} 1\n')
  expect(text).toContain('opentaco_http_requests_total{route="/v1/units",method="GET",status="200"} 2\n')
  expect(text).toContain(
    'opentaco_http_request_duration_seconds_bucket{route="/v1/units",method="GET",le="0.005"} 1\n',
  )
  expect(text).toContain(
    'opentaco_http_request_duration_seconds_bucket{route="/v1/units",method="GET",le="1"} 2\n',
  )
  expect(text).toContain(
    'opentaco_http_request_duration_seconds_bucket{route="/v1/units",method="GET",le="+Inf"} 3\n',
  )
  expect(text).toContain('opentaco_bucket_requests_total{operation="put",outcome="conflict"} 1\n')
  expect(text).toMatch(/process_resident_memory_bytes \d+\n/)
})

test('every line is a comment or a sample', () => {
  const lines = createMetrics('1').text().trimEnd().split('\n')

  for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? -?[\d.e+-]+)$/)
})
