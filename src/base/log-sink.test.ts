import { expect, test } from 'vitest'
import { createLog } from './log-sink.ts'

function collecting(format: 'json' | 'text', level: 'debug' | 'warn' = 'debug') {
  const written: string[] = []
  const clock = { now: () => 0, sleep: () => Promise.resolve() }
  const log = createLog({ level, format, clock, write: (text) => written.push(text) })
  return {
    log,
    text: () => {
      log.flush()
      return written.join('')
    },
  }
}

test('a json line has time, level, message and fields', () => {
  const { log, text } = collecting('json')

  log.info('request', { status: 200, path: '/v1/units' })

  expect(JSON.parse(text())).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    message: 'request',
    status: 200,
    path: '/v1/units',
  })
})

test('fields named like secrets are masked at any depth, in both formats', () => {
  for (const format of ['json', 'text'] as const) {
    const { log, text } = collecting(format)

    log.warn('look', {
      rootToken: 'hunter2',
      nested: { password: 'hunter2', Authorization: 'Bearer hunter2' },
    })

    expect(text()).not.toContain('hunter2')
    expect(text()).toContain('[hidden]')
  }
})

test('lines below the level are not written', () => {
  const { log, text } = collecting('text', 'warn')

  log.info('quiet')
  log.error('loud')

  expect(text()).toMatch(/^00:00:00\.000 ERROR loud\n$/)
})

test('an error is written with its code, message and cause', () => {
  const { log, text } = collecting('json')

  log.error('failed', { error: new Error('outer', { cause: new Error('inner') }) })

  expect(JSON.parse(text())).toMatchObject({ error: { message: 'outer', cause: { message: 'inner' } } })
})

test('without stacks an error is its code, message and cause alone', () => {
  const written: string[] = []
  const log = createLog({
    level: 'warn',
    format: 'text',
    hasStacks: false,
    write: (text) => written.push(text),
  })

  log.error('failed', { error: new Error('outer', { cause: new Error('inner') }) })

  expect(written.join('')).toContain('{"message":"outer","cause":{"message":"inner"}}')
})
