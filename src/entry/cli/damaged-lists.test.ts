import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld, unitView } from './testing.ts'

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
  expect(JSON.parse(versions.out())).toEqual({ items: [], next: null, damaged: gaps })
})

test('a list is not called empty because all that is in it is damaged', async () => {
  const server = await testServer(({ url }, res) =>
    sendJson(res, {
      items: [],
      next: null,
      damaged: url.includes('/versions') ? [{ seq: 1, object: null }] : 1,
    }),
  )
  onTestFinished(server.close)
  const said = async (...command: readonly string[]) => {
    const world = worldFor()
    await world.run('--server', server.url, ...command)
    return world.err()
  }

  expect(await said('unit', 'ls')).not.toContain('no units yet')
  expect(await said('state', 'versions', 'a')).toContain('no versions that can be read')
})
