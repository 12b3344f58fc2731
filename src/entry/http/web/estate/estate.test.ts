import { expect, test } from 'vitest'
import { browserOf, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { systemCaller } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import type { Graph, GraphEdgeView, NodeView } from '../../../../graph/index.ts'
import { collapseGraph, linesToDraw } from './collapse.ts'
import { groupUnits } from './groups.ts'
import { EstateQuery, leftOut, momentOf, selectUnits } from './selection.ts'
import { sortUnits, sortingIn } from './table.tsx'

function node(name: string, more: Partial<NodeView> = {}): NodeView {
  return {
    id: `ws-${name}`,
    name,
    status: 'up-to-date',
    ready: false,
    marks: [],
    commit: 1,
    at: null,
    by: null,
    who: null,
    ...more,
  }
}

function edge(from: string, to: string, state: GraphEdgeView['state'] = 'fresh'): GraphEdgeView {
  const ends = { from: `ws-${from}`, to: `ws-${to}`, name: to }
  return { ...ends, outputs: ['url'], source: 'declared', state, changed: [] }
}

const names = (nodes: readonly NodeView[]) => nodes.map(({ name }) => name)

test('what an address asks for is taken, and what is wrong in it left out', () => {
  const query = EstateQuery.parse({
    view: 'nonsense',
    status: ['stale', 'constructor'],
    label: 'env=prod',
    path: 'prod/',
    search: ' ',
    page: 'x',
    format: 'exe',
  })

  expect(query).toMatchObject({ view: 'map', status: ['stale'], label: ['env=prod'], path: 'prod', page: 1 })
  expect(query.search).toBeUndefined()
  expect(query.format).toBeUndefined()
})

test('what is left out of an address is said', async () => {
  const face = await startWebFace()
  await push(face.deps.control, 'prod/vpc', stateText(1))

  const page = await createTestBrowser(face).get(
    '/app/default?status=stale&status=bogus&label=prod&label=env=prod&view=&search=x',
  )

  expect(leftOut('status=stale&label=env=prod&view=graph&label=')).toEqual([])
  expect(leftOut('status=ok&status=bogus&label==x&view=list')).toEqual([
    expect.stringMatching(/^“bogus” is not a status. Use fail, .* ok.$/),
    '“=x” is not a label. Write a name and a value, such as env=prod.',
    '“list” is not a view.',
  ])
  expect(page.text).toContain('“bogus” is not a status.')
  expect(page.text).toContain('“prod” is not a label.')
  expect(page.text).not.toContain('is not a view')
})

test('before the first unit, the estate was empty, whatever the filters are', async () => {
  const face = await startWebFace()
  await push(face.deps.control, 'prod/vpc', stateText(1))

  const page = await createTestBrowser(face).get('/app/default?at=2020-01-01')

  expect(page.text).toContain('There were no units then')
})

test('units are selected by status, path, name and label, all at once', () => {
  const nodes = [
    node('prod/vpc', { status: 'stale' }),
    node('prod/dns'),
    node('production/vpc', { status: 'stale' }),
    node('prod/VPC-2', { status: 'stale', marks: ['running'] }),
  ]
  const select = (query: object, labelled?: ReadonlySet<string>) =>
    names(selectUnits(nodes, EstateQuery.parse(query), labelled))

  expect(select({ path: 'prod' })).toEqual(['prod/vpc', 'prod/dns', 'prod/VPC-2'])
  expect(select({ status: 'stale' })).toEqual(['prod/vpc', 'production/vpc'])
  expect(select({ search: 'Vpc' })).toEqual(['prod/vpc', 'production/vpc', 'prod/VPC-2'])
  expect(select({ status: ['stale', 'run'], path: 'prod' })).toEqual(['prod/vpc', 'prod/VPC-2'])
  expect(select({}, new Set(['ws-prod/dns']))).toEqual(['prod/dns'])
})

test('a time is a day or a moment of the past, in UTC', () => {
  const now = Date.parse('2026-03-02T12:00:00Z')

  expect(momentOf('2026-03-01', now)).toBe(Date.parse('2026-03-01T00:00:00Z'))
  expect(momentOf('2026-03-01T10:30', now)).toBe(Date.parse('2026-03-01T10:30:00Z'))
  for (const wrong of ['2026-03-03', 'yesterday', '2026-99-01', ''])
    expect(momentOf(wrong, now)).toBeUndefined()
})

test('a map groups by two parts of the path, after what all have in common', () => {
  const shape = (all: readonly string[]) =>
    groupUnits(all.map((name) => node(name))).map(({ path, count, rows }) => [
      path,
      count,
      rows.map(({ label }) => label),
    ])

  expect(shape(['prod/net/eu/vpc', 'prod/net/us/vpc', 'prod/apps/shop', 'dev/x', 'top'])).toEqual([
    ['', 1, ['']],
    ['dev', 1, ['']],
    ['prod/apps', 1, ['']],
    ['prod/net', 2, ['eu', 'us']],
  ])
  expect(shape(['a/b/c/d/e/one', 'a/b/c/d/e/two'])).toEqual([['a/b/c/d/e', 2, ['']]])
  expect(shape(['acme/prod/x/1', 'acme/dev/x/1'])).toEqual([
    ['acme/dev', 1, ['x']],
    ['acme/prod', 1, ['x']],
  ])
  const many = Array.from({ length: 2_000 }, (_, i) => `prod/team-${i % 20}/area-${i % 7}/unit-${i}`)
  expect(shape(many), 'rows of a large estate').toHaveLength(20)
  expect(shape(many)[0]).toEqual(['prod/team-0', 100, ['']])
  const wide = Array.from({ length: 200 }, (_, i) => `team/${i}/unit`)
  expect(shape([...wide, 'other/x'])).toHaveLength(2)
})

test('a graph closes folders until it can be read, and opens those that the person asks for', () => {
  const nodes = ['net', 'data', 'apps'].flatMap((area) =>
    Array.from({ length: 30 }, (_, i) => node(`prod/${area}/u${i}`)),
  )
  const edges = [
    edge('prod/data/u1', 'prod/net/u1'),
    edge('prod/data/u2', 'prod/net/u1', 'changed'),
    edge('prod/data/u3', 'prod/data/u2'),
  ]
  const none = { open: [], shut: [] }

  const closed = collapseGraph(nodes, edges, none)
  expect(closed.boxes.map(({ id }) => id)).toEqual(['prod/net/', 'prod/data/', 'prod/apps/'])
  expect(closed.edges).toMatchObject([{ from: 'prod/net/', to: 'prod/data/' }])
  expect(closed.edges[0]?.edges).toHaveLength(2)

  const opened = collapseGraph(nodes, edges, { open: ['prod/data'], shut: [] })
  expect(opened.boxes).toHaveLength(32)
  expect(opened.edges).toHaveLength(3)
  expect(collapseGraph(nodes, edges, { open: [], shut: ['prod'] }).boxes).toHaveLength(1)

  const small = collapseGraph(nodes.slice(0, 20), [], none)
  expect(small.boxes).toHaveLength(20)
  const huge = Array.from({ length: 1000 }, (_, i) => node(`all/u${i}`))
  expect(collapseGraph(huge, [], { open: ['all'], shut: [] }).boxes, 'more than can be drawn').toHaveLength(1)
})

test('of too many lines, a graph draws those of the selection, those with changes, and the heaviest', () => {
  const line = (i: number, edges: readonly GraphEdgeView[]) => ({ from: `a${i}/`, to: `b${i}/`, edges })
  const plain = edge('x', 'y')
  const lines = Array.from({ length: 100 }, (_, i) => line(i, i % 2 === 0 ? [plain, plain] : [plain]))
  const changed = line(100, [edge('x', 'y', 'changed')])
  const own = { from: 'c/', to: 'ws-x', edges: [plain] }

  const few = linesToDraw(lines.slice(0, 48), undefined)
  expect(few).toEqual({ lines: lines.slice(0, 48), leftOut: 0 })
  const many = linesToDraw([...lines, changed, own], 'ws-x')
  expect(many.lines.slice(0, 2)).toEqual([own, changed])
  expect(many.lines.slice(2).every(({ edges }) => edges.length === 2)).toBe(true)
  expect([many.lines.length, many.leftOut]).toEqual([48, 54])
})

test('a table is sorted by what wants attention, and what has no value comes last', () => {
  const nodes = [
    node('a', { commit: null }),
    node('b', { status: 'stale', commit: 3 }),
    node('c', { marks: ['failed'], commit: 2 }),
  ]

  expect(names(sortUnits(nodes, sortingIn('status')))).toEqual(['c', 'b', 'a'])
  expect(names(sortUnits(nodes, sortingIn('-status')))).toEqual(['a', 'b', 'c'])
  expect(names(sortUnits(nodes, sortingIn('commit')))).toEqual(['c', 'b', 'a'])
  expect(names(sortUnits(nodes, sortingIn('-commit')))).toEqual(['b', 'c', 'a'])
  expect(names(sortUnits(nodes, sortingIn('nonsense')))).toEqual(['a', 'b', 'c'])
})

async function startEstate() {
  const face = await startWebFace()
  const { control } = face.deps
  await push(control, 'prod/network/vpc', stateText(1))
  await push(control, 'prod/data/orders', stateText(1))
  await push(control, 'dev/app', stateText(1))
  await control.units.update(
    { org: 'default', unit: 'dev/app' },
    { labels: { env: 'dev' } },
    systemCaller('opentaco'),
  )
  return { face, browser: createTestBrowser(face) }
}

test('every view shows the same selection, and every filter is in the address', async () => {
  const { browser } = await startEstate()

  for (const view of ['map', 'graph', 'table', 'tree']) {
    const { status, text } = await browser.get(`/app/default?view=${view}&path=prod`)
    expect(status).toBe(200)
    expect(text).toContain('orders')
    expect([view, text.includes('dev/app: ')]).toEqual([view, false])
    // The other views keep the filter.
    expect(text).toContain(`/app/default?path=prod`)
  }
  const labelled = await browser.get('/app/default?label=env%3Ddev&format=json')
  expect(labelled.json()).toMatchObject([{ name: 'dev/app', status: 'up to date' }])
  expect((await browser.get('/app/default?search=ORD&format=csv')).text.split('\r\n')).toHaveLength(3)
  expect((await browser.get('/app/default?status=fail')).text).toContain('No units match')
})

test('the panel shows the selected unit alone to scripts, and beside the map to everyone', async () => {
  const { browser } = await startEstate()

  const whole = await browser.get('/app/default?unit=prod/data/orders')
  const part = await browser.get('/app/default?unit=prod/data/orders&part=panel')
  const gone = await browser.get('/app/default?unit=nothing')

  expect(whole.text).toContain('taco status prod/data/orders')
  expect(part.text).toMatch(/^<div id="panel"/)
  expect(part.text).not.toContain('part=panel')
  expect(gone.text).toContain('No unit has this name here')
})

test('the estate as it was is shown as such, and a time that is none is named', async () => {
  const { browser } = await startEstate()

  const past = await browser.get('/app/default?at=2020-01-01')
  const wrong = await browser.get('/app/default?at=%3Cscript%3E')

  expect(past.text).toContain('The estate as it was at')
  expect(past.text).not.toContain('data-live')
  expect(wrong.text).toContain('“&lt;script&gt;” is not a time in the past')
})

test('an empty organization shows three steps with the commands filled in', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  const headers = { 'content-type': 'application/json' }
  await face.send('/v1/orgs', { method: 'POST', headers, body: '{"name":"acme"}' })

  const { text } = await browser.get('/app/acme', { host: 'localhost:7070' })
  const forged = await browser.get('/app/default', { host: '<b>.example' })

  expect(text).toContain('taco use http://localhost:7070 --org acme')
  expect(text).toContain('taco backend prod/network --write --org acme')
  expect(forged.text).not.toContain('<b>.example')
})

test('the steps use the name that the first unit gets, and say what is wrong with one', async () => {
  const browser = createTestBrowser(await startWebFace())

  const { text } = await browser.get('/app/default?unit=demo/app')
  const wrong = await browser.get('/app/default?unit=a%2F%2Fb')

  expect(text).toContain('taco backend demo/app --write')
  expect(text).toContain('/v1/backend/default/demo/app')
  expect(wrong.text).toContain('has an empty, &quot;.&quot; or &quot;..&quot; part.')
  expect(wrong.text).toContain('taco backend prod/network --write')
})

test('where taco is, the page says only to those on the same machine', async () => {
  const browser = createTestBrowser(await startWebFace({ commandFile: '/opt/taco/bin/taco' }))

  const here = await browser.get('/app/default', { host: 'localhost:7070' })
  const elsewhere = await browser.get('/app/default', { host: 'taco.example' })

  expect(here.text).toContain('alias taco=&#39;/opt/taco/bin/taco&#39;')
  expect(elsewhere.text).not.toContain('/opt/taco')
})

test('people who may not create units see whom to ask instead of commands', async () => {
  const face = await startSsoFace()

  const { text } = await (await browserOf(face, 'bob', 'all', ['graph:read'])).get('/app/default')

  expect(text).toContain('you may not create any')
  expect(text).not.toContain('taco backend')
})

test('while the bucket does not answer, a page shows what it last knew, and says so', async () => {
  let isDown = false
  const nodes = [node('prod/vpc', { status: 'stale' }), node('prod/dns')]
  const answer = <T>(value: T) =>
    isDown ? Promise.reject(new TacoError('BUCKET_UNAVAILABLE', 'down')) : Promise.resolve(value)
  const asOf = '2026-03-01T12:00:00.000Z'
  const graph = {
    view: () => answer({ asOf, nodes, edges: [] }),
    status: () => answer({ asOf, counts: {}, items: [] }),
  } as unknown as Graph
  const browser = createTestBrowser(await startWebFace({ graph }))
  const { text: before } = await browser.get('/app/default')
  isDown = true

  const queries = ['', 'unit=prod/vpc', 'view=table', 'view=graph', 'label=a%3Db', 'unit=prod/vpc&part=panel']
  for (const query of queries) {
    const { status, text } = await browser.get(`/app/default?${query}`)
    // Browsers show a part only if its answer is a success.
    expect([query, status]).toEqual([query, query.endsWith('panel') ? 200 : 503])
    expect([query, text.includes('2026-03-01 12:00 UTC')]).toEqual([query, true])
    expect(text).toContain('The bucket does not answer.')
    const isLabelled = text.includes('Which units have the label cannot be told now.')
    expect([query, isLabelled]).toEqual([query, query.startsWith('label')])
  }
  expect(before).not.toContain('does not answer')
  expect((await browser.get('/app/default?format=csv')).status, 'a file has no mark').toBe(503)
  const other = await startWebFace({ graph: { ...graph } })
  expect((await createTestBrowser(other).get('/app/default')).status, 'nothing is known').toBe(503)
})

test('a person sees only their units: on the map, in counts, as neighbours and in exports', async () => {
  const face = await startSsoFace()
  const { control } = face.deps
  await push(control, 'dev/app', stateText(1))
  await push(control, 'prod/secret', stateText(1))
  await face.deps.graph.dependencies.add(
    { org: 'default', unit: 'dev/app' },
    { on: 'prod/secret', outputs: ['value'] },
    systemCaller('opentaco'),
  )
  const browser = await browserOf(face, 'bob', ['dev/**'])

  for (const query of [
    '',
    'view=graph',
    'view=table',
    'view=tree',
    'unit=dev/app',
    'unit=dev/app&part=panel',
    'view=graph&around=dev/app',
    'format=csv',
    'format=json',
  ]) {
    const { status, text } = await browser.get(`/app/default?${query}`)
    expect([query, status]).toEqual([query, 200])
    expect([query, text.includes('dev')]).toEqual([query, true])
    expect([query, text.includes('secret')]).toEqual([query, false])
  }
  expect((await browser.get('/app/default')).text).toContain('1 unit, 0 dependencies')
  expect((await browser.get('/app/default?unit=prod/secret')).text).toContain('No unit has this name here')
})

test('a unit is created by a form, once, and what is wrong is said at its field', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  const { text } = await browser.get('/app/default/new-unit?name=prod/vpc')
  const once = /name="once" value="([^"]+)"/.exec(text)?.[1] ?? ''
  expect(text).toContain('value="prod/vpc"')

  const wrong = await browser.submit('/app/default/new-unit', {
    name: 'prod/vpc',
    description: '<kept>',
    labels: 'nonsense',
  })
  expect([wrong.status, wrong.text.includes('does not have the form name=value')]).toEqual([400, true])
  expect(wrong.text).toContain('value="&lt;kept&gt;"')
  expect(wrong.text).toMatch(/<textarea id="labels"[^>]* aria-invalid="true" autofocus=""/)
  expect((await browser.submit('/app/default/new-unit', { name: '' })).status).toBe(400)
  const long = await browser.submit('/app/default/new-unit', { name: 'ok', labels: 'x'.repeat(5000) })
  expect(/id="labels-error">([^<]*)</.exec(long.text)?.[1]).toMatch(
    /^&quot;x{59}….{0,200}does not have the form/,
  )
  const input = { name: 'prod/vpc', description: 'Net', labels: 'env=prod\nteam=net', once }
  for (let i = 0; i < 2; i++) {
    const made = await browser.submit('/app/default/new-unit', input)
    expect([made.status, made.location]).toEqual([303, '/app/default/units/prod--vpc'])
  }
  expect(
    await face.deps.control.units.get({ org: 'default', unit: 'prod/vpc' }, systemCaller('opentaco')),
  ).toMatchObject({ description: 'Net', labels: { env: 'prod', team: 'net' } })
  const taken = await browser.submit('/app/default/new-unit', { ...input, once: 'other' })
  expect([taken.status, taken.text.includes('id="name-error"')]).toEqual([400, true])
})

test('deleted units are listed for those who may see them, with the way to restore them', async () => {
  const face = await startSsoFace()
  const { control } = face.deps
  const remove = async (unit: string) => {
    await push(control, unit, stateText(1))
    const { id } = await control.units.remove(
      { org: 'default', unit },
      { force: true },
      systemCaller('opentaco'),
    )
    return id
  }
  const [own, hidden] = [await remove('dev/app'), await remove('prod/secret')]
  const browser = await browserOf(face, 'bob', ['dev/**'])

  for (const more of ['', '&format=json']) {
    const { status, text } = await browser.get(`/app/default?deleted=yes${more}`)
    expect([more, status, text.includes('dev/app'), text.includes('secret')]).toEqual([
      more,
      200,
      true,
      false,
    ])
  }
  expect((await browser.get(`/app/default/units/${hidden}/restore`)).status).toBe(404)
  expect((await browser.get('/app/default?deleted=yes')).text).toContain(`/app/default/units/${own}/restore`)
  expect((await browser.submit('/app/default/new-unit', { name: 'prod/mine' })).status).toBe(403)
})
