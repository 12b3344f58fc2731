import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld } from '../../../../test/support/cli.ts'

async function said(answers: Readonly<Record<string, unknown>>, ...command: readonly string[]) {
  const server = await testServer(({ url }, res) => {
    const path = Object.keys(answers).find((part) => url.includes(part))
    sendJson(res, path === undefined ? {} : answers[path])
  })
  onTestFinished(server.close)
  const world = testWorld()
  onTestFinished(world.dispose)
  expect(await world.run('--server', server.url, ...command)).toBe(0)
  return world.out()
}

test('a state diff shows large numbers with their digits, texts in quotes, and moves as moves', async () => {
  const size = { path: 'size', sensitive: false, before: '9007199254740993', after: '9007199254740993' }
  const moved = { mode: 'managed', type: 't', change: 'moved', from: 't.old', fields: [] }
  const resource = { ...moved, address: 't.new', attributes: [{ ...size, afterJson: '9007199254740993' }] }
  const out = await said(
    { '/diff': { encrypted: false, resources: [resource], outputs: [] } },
    'state',
    'diff',
    'a',
  )

  expect(out).toContain('→ t.new (moved from t.old)\n')
  expect(out).toContain('size: "9007199254740993" → 9007199254740993\n')
  expect(out).toContain('0 removed, 1 moved')
})

test('an outputs diff says that a value was sensitive before', async () => {
  const changed = [
    { name: 'pw', kind: 'changed', sensitive: false, wasSensitive: true, before: 'a', after: 'b' },
  ]
  const outputs = {
    unit: { id: 'ws-1', name: 'a' },
    commit: 2,
    version: 'sv-1',
    serial: 2,
    at: '',
    by: 'alice',
    changed: ['pw'],
  }
  const pw = { name: 'pw', sensitive: false, type: '"string"', digest: 'b', since: 2, value: '"now"' }
  const out = await said(
    { '/outputs/diff': { from: 1, to: 2, changed }, '/outputs': { ...outputs, outputs: [pw] } },
    'outputs',
    'diff',
    'a',
  )

  expect(out).toBe('~ pw = (was sensitive) → "now"\n')
})
