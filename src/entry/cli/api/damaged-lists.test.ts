import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld, unitView } from '../../../../test/support/cli.ts'

function worldFor() {
  const world = testWorld()
  onTestFinished(world.dispose)
  return world
}

test('what a list leaves out as damaged is in its JSON, too', async () => {
  const gaps = [
    { seq: 2, object: '2.tfstate' },
    { seq: 3, object: null },
  ]
  const server = await testServer(({ url }, res) => {
    if (url.includes('/versions')) {
      const isFirst = !url.includes('cursor=')
      sendJson(res, { items: [], next: isFirst ? 'p2' : null, damaged: isFirst ? [gaps[0]] : [gaps[1]] })
    } else sendJson(res, { items: [unitView('a')], next: null, asOf: '', damaged: 2 })
  })
  onTestFinished(server.close)
  const units = worldFor()
  const versions = worldFor()

  expect(await units.run('--server', server.url, 'unit', 'ls', '--json')).toBe(0)
  expect(JSON.parse(units.out())).toMatchObject({ items: [{ name: 'a' }], damaged: 2 })
  expect(units.err()).toContain('2 units cannot be read and are left out')
  expect(await versions.run('--server', server.url, 'state', 'versions', 'a', '--json')).toBe(0)
  expect(JSON.parse(versions.out())).toEqual({ items: [], next: null, damaged: gaps, absences: [] })
})

test('versions are listed with the times at which there was no state', async () => {
  const version = { id: 'sv-1', lineage: 'l', size: 1, sha256: '', encrypted: false, unreadable: false }
  const item = (seq: number, at: string) => ({
    ...version,
    seq,
    serial: seq,
    at,
    by: 'alice',
    how: 'push',
    status: 'past',
    resources: 0,
  })
  const absences = [
    { what: 'state-deleted', seq: 1, at: '2026-01-02T00:00:00Z', by: 'bob', until: '2026-01-03T00:00:00Z' },
  ]
  const server = await testServer((_request, res) => {
    const items = [item(2, '2026-01-03T00:00:00Z'), item(1, '2026-01-01T00:00:00Z')]
    sendJson(res, { items, next: null, damaged: [], absences })
  })
  onTestFinished(server.close)
  const table = worldFor()
  const json = worldFor()

  expect(await table.run('--server', server.url, 'state', 'versions', 'a')).toBe(0)
  const rows = table.out().split('\n').slice(1, 4)
  expect(rows[0]).toMatch(/^2 /)
  expect(rows[1]).toMatch(/^- .* bob +state deleted +until /)
  expect(rows[2]).toMatch(/^1 /)
  expect(await json.run('--server', server.url, 'state', 'versions', 'a', '--json')).toBe(0)
  expect(JSON.parse(json.out())).toMatchObject({ absences })
})

test('organizations that cannot be read are named beside the others', async () => {
  const acme = { name: 'acme', createdAt: '', createdBy: 'a', retention: null, etag: 'e' }
  const server = await testServer(({ url }, res) => {
    const isFirst = !url.includes('cursor=')
    sendJson(res, {
      items: isFirst ? [acme] : [],
      next: isFirst ? 'p2' : null,
      damaged: [isFirst ? 'b' : 'c'],
    })
  })
  onTestFinished(server.close)
  const table = worldFor()
  const json = worldFor()

  expect(await table.run('--server', server.url, 'org', 'ls')).toBe(0)
  expect(table.out()).toContain('acme')
  expect(table.err()).toContain('the organizations b, c cannot be read')
  expect(await json.run('--server', server.url, 'org', 'ls', '--json')).toBe(0)
  expect(JSON.parse(json.out())).toEqual({ items: [acme], next: null, damaged: ['b', 'c'] })
})

test('a list is not called empty because all that is in it is damaged', async () => {
  const node = { id: 'ws-1', name: 'ws-1', status: 'unknown', ready: false, marks: [] }
  const server = await testServer(({ url }, res) => {
    if (url.includes('/graph')) sendJson(res, { asOf: '', nodes: [node], edges: [] })
    else if (url.includes('/versions'))
      sendJson(res, { items: [], next: null, damaged: [{ seq: 1, object: null }] })
    else sendJson(res, { items: [], next: null, damaged: 1 })
  })
  onTestFinished(server.close)
  const said = async (...command: readonly string[]) => {
    const world = worldFor()
    await world.run('--server', server.url, ...command)
    return world.err()
  }

  const units = await said('unit', 'ls')
  expect(units).toContain('1 unit cannot be read and is left out')
  expect(units).not.toContain('no units yet')
  expect(await said('state', 'versions', 'a')).toContain('no versions that can be read')
  const dependencies = await said('dep', 'ls')
  expect(dependencies).toContain('what ws-1 uses is left out')
  expect(dependencies).not.toContain('no dependencies yet')
})
