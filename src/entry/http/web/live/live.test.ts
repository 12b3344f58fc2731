import { expect, test } from 'vitest'
import { followFeed } from '../../../../../test/rig/event-feed.ts'
import { type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { bind, putRole } from '../../../../access/organization/transitions.ts'
import type { Graph, NodeView } from '../../../../graph/index.ts'
import { changesBetween, lookPrint } from './look-changes.ts'

function node(name: string, status: NodeView['status'] = 'up-to-date'): NodeView {
  return { id: name, name, status, ready: true, marks: [], commit: 1, at: null, by: null, who: null }
}

test('what changed on a map is named; a map with other units is made anew', () => {
  const before = [node('a'), node('b'), node('c', 'waiting')]

  expect(changesBetween(before, [node('a'), node('b', 'stale'), node('c', 'stale')])).toEqual([
    ['b', 'stale', 'stale, ready'],
    ['c', 'stale', 'stale, ready'],
  ])
  expect(changesBetween(before, [...before, node('d')])).toBeUndefined()
  expect(changesBetween(before, [node('a'), node('b'), node('d')])).toBeUndefined()
  expect(lookPrint(before)).toBe(lookPrint([...before]))
  expect(lookPrint(before)).not.toBe(lookPrint([node('a'), node('b'), node('c')]))
})

const printOf = async ({ deps }: Pick<SsoFace, 'deps'>) =>
  lookPrint(
    (await deps.graph.view({ org: 'default' }, { principal: { kind: 'system', name: 'graph' } })).nodes,
  )

test('an open page learns which unit changed its look, and of the event', async () => {
  const face = await startWebFace()
  await push(face.deps.control, 'base', stateText(1))
  await face.deps.control.units.create(
    { org: 'default', name: 'empty' },
    { principal: { kind: 'system', name: 'graph' } },
  )
  const feed = await followFeed(face.port, `/app/default/live?looks=${await printOf(face)}`)
  await expect.poll(() => feed.text()).toContain('still here')

  await push(face.deps.control, 'empty', stateText(1))

  await expect
    .poll(() => feed.text())
    .toContain('event: looks\ndata: {"units":[["empty","ok","up to date"]]}')
  await expect.poll(() => feed.text()).toMatch(/event: journal\ndata: \{[^\n]*"type":"state.written"/)
  expect(feed.text()).not.toContain('reload')
})

test('a page learns of a look that the graph shows only a moment after the event', async () => {
  const [before, after] = [[node('app', 'stale')], [node('app')]]
  let shownFrom = Infinity
  const view = () => Promise.resolve({ asOf: '', nodes: Date.now() < shownFrom ? before : after, edges: [] })
  const face = await startWebFace({ graph: { view } as unknown as Graph })
  const feed = await followFeed(face.port, `/app/default/live?looks=${lookPrint(before)}`)
  await expect.poll(() => feed.text()).toContain('still here')

  await push(face.deps.control, 'app', stateText(1))
  await expect.poll(() => feed.text()).toContain('state.written')
  shownFrom = Date.now() + 500

  await expect.poll(() => feed.text(), { timeout: 10_000 }).toContain('["app","ok","up to date"]')
})

test('a page that shows something else than there is fetches it anew', async () => {
  const face = await startWebFace()

  const feed = await followFeed(face.port, '/app/default/live?looks=another')

  await expect.poll(() => feed.text()).toContain('event: reload')
})

test('a page learns of events, but not of status, without the right to read the graph', async () => {
  const face = await startSsoFace()
  const bob = await face.person('bob')
  const rules = [{ effect: 'allow' as const, actions: ['unit:read', 'events:read'] }]
  await face.policy('default', (all) =>
    bind(putRole(all, { name: 'reader-of-events', rules }), {
      role: 'reader-of-events',
      to: `user:${bob.id}`,
    }),
  )
  await push(face.deps.control, 'dev/app', stateText(1))
  const feed = await followFeed(face.port, '/app/default/live?looks=x', await face.session(bob))
  await expect.poll(() => feed.text()).toContain('still here')

  await push(face.deps.control, 'dev/app', stateText(2))

  await expect.poll(() => feed.text()).toContain('state.written')
  expect(feed.text()).not.toMatch(/event: (looks|reload)/)
})

test('a page learns nothing of units that its person may not see', async () => {
  const face = await startSsoFace()
  const bob = await face.person('bob')
  await face.policy('default', (all) =>
    bind(putRole(all, { name: 'dev', rules: [{ effect: 'allow', actions: ['*'], units: ['dev/**'] }] }), {
      role: 'dev',
      to: `user:${bob.id}`,
    }),
  )
  await push(face.deps.control, 'dev/app', stateText(1))
  await push(face.deps.control, 'prod/secret', stateText(1))
  const feed = await followFeed(face.port, '/app/default/live?looks=x', await face.session(bob))
  await expect.poll(() => feed.text()).toContain('event: reload')

  await push(face.deps.control, 'prod/secret', stateText(2))
  await push(face.deps.control, 'dev/app', stateText(2))

  await expect.poll(() => feed.text()).toContain('dev/app')
  expect(feed.text()).not.toContain('secret')
})
