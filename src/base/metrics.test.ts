import { expect, test } from 'vitest'
import { createMetricsRegistry } from './metrics.ts'

test('any layer adds counters, gauges and histograms, with labels or without', () => {
  const metrics = createMetricsRegistry()
  const ended = metrics.counter('runs_total', 'Runs that ended.', ['org', 'outcome'])
  ended.at('acme', 'failed').add()
  ended.at('acme', 'failed').add(2)
  ended.at('acme', 'applied').add()
  metrics.gauge('queue_length', 'Runs that wait.').at().value = 7
  metrics.histogram('run_seconds', 'Time of a run.', ['org']).at('acme').observe(40)

  expect(metrics.text().split('\n')).toEqual(
    expect.arrayContaining([
      '# HELP runs_total Runs that ended.',
      '# TYPE runs_total counter',
      'runs_total{org="acme",outcome="failed"} 3',
      'runs_total{org="acme",outcome="applied"} 1',
      '# TYPE queue_length gauge',
      'queue_length 7',
      '# TYPE run_seconds histogram',
      'run_seconds_bucket{org="acme",le="0.025"} 0',
      'run_seconds_bucket{org="acme",le="0.05"} 1',
      'run_seconds_bucket{org="acme",le="+Inf"} 1',
      'run_seconds_sum{org="acme"} 0.04',
      'run_seconds_count{org="acme"} 1',
    ]),
  )
})

test('a name that is asked for again is the same series, and cannot change its kind', () => {
  const metrics = createMetricsRegistry()
  metrics.counter('runs_total', 'Runs.').at().add()
  metrics.counter('runs_total', 'Runs.').at().add()

  expect(metrics.text()).toContain('runs_total 2\n')
  expect(() => metrics.gauge('runs_total', 'Runs.')).toThrow('runs_total is a counter, not a gauge')
})

test('the value of a label cannot break out of its line', () => {
  const metrics = createMetricsRegistry()
  metrics.counter('a_total', 'A.', ['b']).at('x"} 1\nfake 2\\').add()

  expect(metrics.text()).toContain(String.raw`a_total{b="x\"} 1\nfake 2\\"} 1`)
  expect(metrics.text().trimEnd().split('\n')).toHaveLength(3)
})
