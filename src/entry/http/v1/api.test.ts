import { alice } from '../../../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { memoryControl, startFace } from '../../../../test/rig/http-face.ts'
import { openMemoryBucket } from '../../../bucket/adapters/memory.ts'
import {
  AdoptFinding,
  EventView,
  GcReport,
  LockView,
  OrgView,
  UnitView,
  VersionView,
} from '../../../state/index.ts'
import { overwrite } from '../../../../test/support/state.ts'
import { trustingGuard } from '../auth/auth.ts'

async function open() {
  const face = await startFace({ guard: trustingGuard('alice') })

  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await face.send(path, {
      method,
      headers: {
        'x-request-id': 'r-1',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { ...answer, headers: new Headers(answer.headers as Record<string, string>) }
  }

  async function push(unit: string, serial: number, resources: readonly unknown[] = []) {
    const bytes = Buffer.from(
      JSON.stringify({
        version: 4,
        terraform_version: '1.11.4',
        serial,
        lineage: 'aaaa',
        outputs: {},
        resources,
      }),
    )
    async function* stream() {
      yield bytes
    }
    const { states } = face.deps.control
    const caller = { ...alice, requestId: 'r-1' }
    const state = await states.receive(stream(), { org: 'default', maxBytes: 1e6 }, caller)
    try {
      return await states.write({ org: 'default', unit }, state, { how: 'push', createUnit: true }, caller)
    } finally {
      await state.dispose()
    }
  }
  return { send, push }
}

test('a unit is created, shown, changed, renamed, deleted and restored', async () => {
  const { send } = await open()

  const created = await send('POST', '/v1/units', { name: 'prod/vpc', labels: { team: 'net' } })
  expect(created.status).toBe(201)
  const unit = UnitView.parse(created.json())
  expect(unit).toMatchObject({ name: 'prod/vpc', key: 'prod/vpc/terraform.tfstate', createdWho: 'alice' })
  for (const path of ['/v1/units/prod--vpc', '/v1/units/prod%2Fvpc', `/v1/units/${unit.id}`]) {
    expect((await send('GET', path)).json()).toEqual(unit)
  }
  const changed = await send('PATCH', '/v1/units/prod--vpc', {
    description: 'the network',
    labels: { team: null, tier: '1' },
  })
  expect(changed.json()).toMatchObject({ description: 'the network', labels: { tier: '1' } })
  expect((await send('POST', '/v1/units/prod--vpc/rename', { name: 'prod/net' })).json()).toMatchObject({
    name: 'prod/net',
  })
  expect((await send('GET', '/v1/units/prod--vpc')).status).toBe(404)
  expect((await send('DELETE', '/v1/units/prod--net')).json()).toMatchObject({
    deleted: { by: 'anonymous', who: 'alice' },
  })
  expect((await send('GET', '/v1/units?deleted=only')).json()).toMatchObject({
    items: [{ name: 'prod/net' }],
  })
  expect((await send('POST', '/v1/units/prod--net/restore', {})).json()).toMatchObject({ deleted: null })
})

test('ETags: an unchanged unit is not sent again, and a change of another revision is refused', async () => {
  const { send } = await open()
  const etag = (await send('POST', '/v1/units', { name: 'a' })).headers.get('etag') ?? ''

  expect((await send('GET', '/v1/units/a', undefined, { 'if-none-match': etag })).status).toBe(304)
  expect((await send('PATCH', '/v1/units/a', { description: 'one' }, { 'if-match': etag })).status).toBe(200)
  const late = await send('PATCH', '/v1/units/a', { description: 'two' }, { 'if-match': etag })
  expect(late.json()).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' })
  expect((await send('GET', '/v1/units/a')).json()).toMatchObject({ description: 'one' })
})

test('units are listed by name, page by page, with filters', async () => {
  const { send } = await open()
  for (const name of ['b/two', 'a/one', 'b/one'])
    await send('POST', '/v1/units', { name, labels: { tier: name.slice(0, 1), all: 'yes' } })

  const first = (await send('GET', '/v1/units?limit=2')).json()
  const second = (
    await send('GET', `/v1/units?limit=2&cursor=${encodeURIComponent(String(first['next']))}`)
  ).json()

  expect(first).toMatchObject({ items: [{ name: 'a/one' }, { name: 'b/one' }] })
  expect(second).toMatchObject({ items: [{ name: 'b/two' }], next: null })
  expect((await send('GET', '/v1/units?prefix=b/')).json()['items']).toHaveLength(2)
  expect((await send('GET', '/v1/units?search=one')).json()['items']).toHaveLength(2)
  expect((await send('GET', '/v1/units?label=tier%3Db&label=all%3Dyes')).json()['items']).toHaveLength(2)
})

test.each([
  ['GET', '/v1/units?limit=0', undefined, 'limit'],
  ['GET', '/v1/units?limit=many', undefined, 'limit'],
  ['GET', '/v1/units?locked=true', undefined, 'locked'],
  ['GET', '/v1/units/a?deep=true', undefined, 'deep'],
  ['GET', '/v1/orgs?org=acme', undefined, 'org'],
  ['POST', '/v1/doctor?org=acme', {}, 'org'],
  ['POST', '/v1/units', { name: 'a', retention: { versions: -1 } }, 'retention.versions'],
  ['PATCH', '/v1/orgs/default', { retention: { versions: 3 } }, 'retention.versions'],
  ['GET', '/v1/units?label=nonsense', undefined, 'label'],
  ['GET', '/v1/events?type=nonsense', undefined, 'type'],
  ['POST', '/v1/units', { name: 1 }, 'name'],
  ['POST', '/v1/units', { name: 'a', colour: 'red' }, 'colour'],
  ['POST', '/v1/units', { name: '../a' }, 'unit'],
  ['POST', '/v1/units', { name: 'a', key: '../../etc/passwd' }, 'key'],
  ['POST', '/v1/units', { name: 'a', key: '.taco/orgs/x' }, 'key'],
  ['POST', '/v1/orgs', { name: 'Not Good' }, 'org'],
  ['POST', '/v1/units/a/lock/renew', { id: 'x', leaseMs: 'long' }, 'leaseMs'],
  ['DELETE', '/v1/units/a/lock', undefined, 'id'],
])('%s %s with %j is refused, naming %s', async (method, path, body, field) => {
  const { send } = await open()

  const refused = await send(method, path, body)

  expect(refused.headers.get('content-type')).toBe('application/problem+json')
  expect(refused.json()).toMatchObject({
    status: 400,
    code: 'BAD_REQUEST',
    field,
    requestId: 'r-1',
    hint: expect.any(String),
  })
  expect(refused.text).not.toMatch(/expected|received|NaN|nvalid input/)
})

test('a lock is taken, shown, renewed, refused to others, released and broken', async () => {
  const { send } = await open()
  await send('POST', '/v1/units', { name: 'a' })

  const lock = LockView.parse(
    (
      await send('POST', '/v1/units/a/lock', { reason: 'maintenance', who: 'alice@laptop', leaseMs: 60_000 })
    ).json(),
  )
  expect(lock).toMatchObject({ reason: 'maintenance', info: { Who: 'alice@laptop' } })
  expect((await send('GET', '/v1/units/a/lock')).json()).toMatchObject({ lock: { id: lock.id } })
  expect((await send('POST', '/v1/units/a/lock/renew', { id: lock.id, leaseMs: 120_000 })).status).toBe(200)
  const refused = await send('POST', '/v1/units/a/lock', { id: 'other' })
  expect(refused.json()).toMatchObject({
    status: 423,
    code: 'LOCKED',
    holder: { ID: lock.id, Who: 'alice@laptop' },
  })
  expect((await send('DELETE', `/v1/units/a/lock?id=${lock.id}`)).status).toBe(204)
  expect((await send('GET', '/v1/units/a/lock')).json()).toEqual({ lock: null })
  await send('POST', '/v1/units/a/lock', { id: 'stuck' })
  expect((await send('DELETE', '/v1/units/a/lock?force=true')).json()).toMatchObject({ id: 'stuck' })
  expect((await send('DELETE', '/v1/units/a/lock?force=true')).status).toBe(204)
})

test('versions are listed, shown, compared and rolled back to', async () => {
  const { send, push } = await open()
  await push('a', 1)
  expect((await send('GET', '/v1/units/a/diff')).json()).toMatchObject({
    code: 'NOT_FOUND',
    detail: 'a has no version before its current one.',
  })
  const resource = {
    mode: 'managed',
    type: 't',
    name: 'n',
    provider: 'p',
    instances: [{ schema_version: 0, attributes: { id: '1' } }],
  }
  await push('a', 2, [resource])

  const { items } = (await send('GET', '/v1/units/a/versions')).json() as { items: unknown[] }
  const [newest] = items.map((item) => VersionView.parse(item))

  expect(items).toHaveLength(2)
  expect(newest).toMatchObject({ serial: 2, resources: 1, status: 'current', by: 'user:alice', how: 'push' })
  expect((await send('GET', '/v1/units/a/versions/previous')).json()).toMatchObject({ serial: 1 })
  expect((await send('GET', `/v1/units/a/versions/${newest?.id}`)).json()).toEqual(newest)
  expect((await send('GET', '/v1/units/a/diff')).json()).toMatchObject({
    resources: [{ address: 't.n', change: 'added' }],
  })
  const back = await send('POST', '/v1/units/a/rollback', { version: '1', message: 'oops' })
  expect(back.status).toBe(201)
  expect(back.json()).toMatchObject({ serial: 3, how: 'rollback', message: 'oops' })
})

test('organizations are created, listed and changed', async () => {
  const { send } = await open()

  expect((await send('POST', '/v1/orgs', { name: 'acme', retention: { count: 5 } })).status).toBe(201)
  expect((await send('POST', '/v1/orgs', { name: 'acme' })).json()).toMatchObject({
    status: 409,
    code: 'ALREADY_EXISTS',
  })
  expect((await send('PATCH', '/v1/orgs/acme', { retention: null })).json()).toMatchObject({
    retention: null,
  })
  const { items } = (await send('GET', '/v1/orgs')).json() as { items: unknown[] }
  expect(items.map((item) => OrgView.parse(item).name)).toEqual(['acme', 'default'])
})

test('one damaged organization does not hide the others', async () => {
  const bucket = openMemoryBucket()
  await (await memoryControl(bucket)).orgs.create({ name: 'acme' }, alice)
  await overwrite(bucket, '.taco/orgs/acme/org.json', '{"v":1')
  const { send } = await startFace({ control: await memoryControl(bucket) })

  expect((await send('/v1/orgs')).json()).toMatchObject({ items: [{ name: 'default' }], damaged: ['acme'] })
  expect((await send('/v1/orgs/acme')).json()).toMatchObject({ status: 500, code: 'BUCKET_CORRUPT' })
})

test('events can be read on from where one stopped', async () => {
  const { send } = await open()
  for (const name of ['a', 'b']) await send('POST', '/v1/units', { name })

  async function readAll(query: string): Promise<EventView[]> {
    const all: EventView[] = []
    for (let after = '', more = true; more;) {
      const page = (await send('GET', `/v1/events?${query}${after}`)).json() as {
        items: unknown[]
        next: string
        more: boolean
      }
      all.push(...page.items.map((item) => EventView.parse(item)))
      after = `&after=${encodeURIComponent(page.next)}`
      more = page.more
    }
    return all
  }
  await expect.poll(async () => (await readAll('type=unit.created&limit=100')).length).toBe(2)
  const [first, second, ...more] = await readAll('type=unit.created&limit=1')

  expect(first).toMatchObject({
    type: 'unit.created',
    by: 'anonymous',
    who: 'alice',
    requestId: 'r-1',
    unit: { name: 'a' },
  })
  expect(second).toMatchObject({ unit: { name: 'b' } })
  expect(more).toEqual([])
})

test('adopt, gc and doctor give findings line by line', async () => {
  const { send, push } = await open()
  await push('a', 1)

  const lines = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const adopted = lines((await send('POST', '/v1/adopt', { dryRun: true })).text)
  const doctor = await send('POST', '/v1/doctor', { deep: true })

  expect(AdoptFinding.parse(adopted[0])).toMatchObject({
    key: 'a/terraform.tfstate',
    outcome: 'already-adopted',
  })
  expect(adopted.at(-1)).toEqual({
    summary: { adopted: 0, wouldAdopt: 0, alreadyAdopted: 1, skipped: 0, warnings: [] },
  })
  expect(doctor.headers.get('content-type')).toBe('application/x-ndjson')
  expect(lines(doctor.text).every((line) => line['level'] !== 'error')).toBe(true)
  expect(GcReport.parse((await send('POST', '/v1/gc', { dryRun: true })).json())).toMatchObject({
    dryRun: true,
  })
})

test('a unit has at most 64 labels, given at once or one by one', async () => {
  const { send } = await open()
  const labels = (from: number, to: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, i) => [`label-${from + i}`, 'x']))

  const refused = await send('POST', '/v1/units', { name: 'a', labels: labels(0, 25_000) })
  expect(refused.json()).toMatchObject({ status: 400, field: 'labels' })
  expect((await send('POST', '/v1/units', { name: 'a', labels: labels(0, 60) })).status).toBe(201)
  expect((await send('PATCH', '/v1/units/a', { labels: labels(60, 64) })).status).toBe(200)
  expect((await send('PATCH', '/v1/units/a', { labels: labels(64, 65) })).json()).toMatchObject({
    status: 400,
    field: 'labels',
  })
  const swapped = await send('PATCH', '/v1/units/a', { labels: { 'label-0': null, more: 'x' } })
  expect(Object.keys(swapped.json()['labels'] as object)).toHaveLength(64)
})
