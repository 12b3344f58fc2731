import { createHmac } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type HookReceiver, startHookReceiver } from '../../test/peers/hook-receiver.ts'
import { startMailSink } from '../../test/peers/mail-sink.ts'
import { memoryControl } from '../../test/rig/http-face.ts'
import { push, stateText } from '../../test/support/state.ts'
import { testKey } from '../../test/support/tokens.ts'
import { createKeyRing } from '../access/secrets/key-ring.ts'
import { type OrgPolicy, bind, systemCaller } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import type { NewConfiguration } from '../notifications/index.ts'
import { settingsChange } from '../projects/index.ts'
import type { NotifySettings } from './notifications.ts'
import { createServices } from './services.ts'

const caller = systemCaller('opentaco')
const org = 'default'
const EVERY_MS = 100
const bucketOf = () => openMemoryBucket()

/** A server on the bucket, without a face. */
async function server(bucket = bucketOf(), notify: NotifySettings = {}) {
  const control = await memoryControl(bucket)
  const keys = createKeyRing([testKey('k1')])
  const services = createServices({ bucket, clock: systemClock, ids: randomIds, control, keys, notify })
  onTestFinished(() => control.close())
  return {
    ...services,
    control,
    deliver() {
      const deliverer = services.startDelivery(EVERY_MS)
      onTestFinished(() => deliverer.stop())
      return deliverer
    },
  }
}
type TestServer = Awaited<ReturnType<typeof server>>

function hook(receiver: HookReceiver, more: Partial<NewConfiguration> = {}): NewConfiguration {
  const scope = { kind: 'organization' as const }
  const triggers = ['unit:created', 'unit:deleted', 'unit:renamed']
  return { name: 'h', destination: 'generic', isEnabled: true, triggers, scope, url: receiver.url, ...more }
}

async function createUnits({ control }: TestServer, ...names: string[]): Promise<void> {
  for (const name of names) await control.units.create({ org, name }, caller)
}

/** The units that it was told about, a verification left out. */
function toldTo({ got }: HookReceiver): string[] {
  return got.flatMap((one) => {
    const name = one.json()['workspace_name']
    return typeof name === 'string' ? [name] : []
  })
}

const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 20 })

test('an enabled webhook is verified, then told of what happens, signed', async () => {
  const [a, receiver] = [await server(), await startHookReceiver()]
  await createUnits(a, 'before')
  const made = await a.notifications.create(org, hook(receiver, { token: 'secret' }), caller)
  a.deliver()
  await createUnits(a, 'prod/vpc')

  await soon(() => expect(toldTo(receiver)).toEqual(['prod--vpc']))
  const [verification, told] = receiver.got
  expect(verification?.json()).toMatchObject({
    payload_version: 1,
    notification_configuration_id: made.id,
    notifications: [{ trigger: 'verification', message: 'Verification of h' }],
  })
  expect(told?.json()).toMatchObject({
    organization_name: 'default',
    workspace_name: 'prod--vpc',
    notifications: [{ trigger: 'unit:created' }],
    event: { type: 'unit.created', unit: { name: 'prod/vpc' } },
  })
  expect(told?.headers['x-tfe-notification-signature']).toBe(
    createHmac('sha512', 'secret')
      .update(told?.body ?? '')
      .digest('hex'),
  )
  await soon(async () => {
    const { responses, waiting } = await a.notifications.deliveriesOf(org, made.id)
    expect([waiting, responses]).toMatchObject([
      0,
      [
        { trigger: 'unit:created', code: '200', isSuccessful: true, body: 'ok' },
        { trigger: 'verification', code: '200' },
      ],
    ])
  })
})

test('what is refused is sent again in its order, and keeps no other destination waiting', async () => {
  const a = await server()
  const [broken, fine] = [await startHookReceiver(), await startHookReceiver()]
  await a.notifications.create(org, hook(broken), caller)
  await a.notifications.create(org, hook(fine), caller)
  broken.answer.status = 503
  a.deliver()
  await createUnits(a, 'one', 'two', 'three')

  await soon(() => expect(toldTo(fine)).toEqual(['one', 'two', 'three']))
  await soon(() => expect(new Set(toldTo(broken))).toEqual(new Set(['one'])))
  broken.answer.status = 200
  await soon(() => expect(toldTo(broken).slice(-3)).toEqual(['one', 'two', 'three']))
  expect(toldTo(fine)).toHaveLength(3)
})

test('another server goes on where one ended, and sends nothing twice', async () => {
  const bucket = bucketOf()
  const [a, b, receiver] = [await server(bucket), await server(bucket), await startHookReceiver()]
  await a.notifications.create(org, hook(receiver), caller)
  const first = a.deliver()
  await createUnits(a, 'one')
  await soon(() => expect(toldTo(receiver)).toEqual(['one']))
  await first.stop()
  await createUnits(a, 'two')
  b.deliver()
  await soon(() => expect(toldTo(receiver)).toEqual(['one', 'two']))
  await createUnits(a, 'three')
  await soon(() => expect(toldTo(receiver)).toEqual(['one', 'two', 'three']))
})

test('of several servers one delivers', async () => {
  const bucket = bucketOf()
  const servers = await Promise.all([1, 2, 3].map(() => server(bucket)))
  const [a] = servers
  if (a === undefined) throw new Error()
  const receiver = await startHookReceiver()
  for (const one of servers) one.deliver()
  await a.notifications.create(org, hook(receiver), caller)
  const names = Array.from({ length: 30 }, (_, i) => `unit-${i}`)
  for (const [i, name] of names.entries()) await createUnits(servers[i % 3] ?? a, name)
  await soon(() => expect(toldTo(receiver).toSorted()).toEqual(names.toSorted()))
})

test('a configuration hears of its own unit only, and of nothing from before it was enabled', async () => {
  const [a, receiver] = [await server(), await startHookReceiver()]
  await createUnits(a, 'mine', 'other')
  const { id } = await a.control.units.get({ org, unit: 'mine' }, caller)
  const scope = { kind: 'unit' as const, id }
  const made = await a.notifications.create(org, hook(receiver, { scope, isEnabled: false }), caller)
  expect(receiver.got).toEqual([])
  a.deliver()
  await a.control.units.rename({ org, unit: 'mine' }, 'mine2', caller)
  await a.notifications.update(org, made.id, { isEnabled: true }, caller)
  await a.control.units.rename({ org, unit: 'other' }, 'other2', caller)
  await a.control.units.rename({ org, unit: 'mine2' }, 'mine3', caller)
  await soon(() => expect(toldTo(receiver)).toEqual(['mine3']))
})

test('a configuration of a project hears of its units', async () => {
  const [a, receiver] = [await server(), await startHookReceiver()]
  const fields = { name: 'apps', description: '', labels: {} }
  const project = await a.projects.create(org, fields, caller)
  await createUnits(a, 'in', 'out')
  const section = settingsChange((settings) => ({ ...settings, project: project.id }))
  await a.control.units.update({ org, unit: 'in' }, { section }, caller)
  const scope = { kind: 'project' as const, id: project.id }
  await a.notifications.create(org, hook(receiver, { scope }), caller)
  a.deliver()
  await a.control.units.rename({ org, unit: 'out' }, 'out2', caller)
  await a.control.units.rename({ org, unit: 'in' }, 'in2', caller)
  await soon(() => expect(toldTo(receiver)).toEqual(['in2']))
})

test('who uses outputs that change is stale, and each change is told once', async () => {
  const [a, receiver] = [await server(), await startHookReceiver()]
  await push(a.control, 'vpc', stateText(1, 'v1'))
  await push(a.control, 'app', stateText(1, 'x', 'A'))
  await a.graph.dependencies.add({ org, unit: 'app' }, { on: 'vpc' }, caller)
  await a.control.outputs.get({ org, unit: 'vpc' }, { consumer: 'app', sensitive: false }, caller)
  await push(a.control, 'app', stateText(2, 'y', 'A'))
  await a.notifications.create(org, hook(receiver, { triggers: ['unit:stale'] }), caller)
  // The second one leaves the outputs alone.
  const writes = [stateText(2, 'v2'), stateText(3, 'v2'), stateText(4, 'v3')]
  for (const text of writes) await push(a.control, 'vpc', text)
  a.deliver()
  await soon(() => expect(toldTo(receiver)).toEqual(['app', 'app']))
  expect(receiver.got.at(-1)?.json()).toMatchObject({
    event: { type: 'unit.stale', data: { because: 'vpc' } },
  })
})

test('people get e-mail as long as they may read the events', async () => {
  const sink = await startMailSink()
  const a = await server(bucketOf(), { smtp: { url: sink.url, from: 'taco@example.com' } })
  async function person(login: string): Promise<string> {
    const email = { address: `${login}@example.com`, isVerified: true }
    const made = await a.signIn?.people.signIn(
      { provider: 'p', subject: login, login, email, groups: [] },
      caller,
    )
    return made?.id ?? ''
  }
  const [alice, bob] = [await person('alice'), await person('bob')]
  const transition = <T extends OrgPolicy>(all: T) => bind(all, { role: 'reader', to: `user:${alice}` })
  await a.orgAccess.change(org, { type: 'role.granted', data: {}, transition }, caller)
  const mail = { destination: 'email' as const, url: undefined, users: [alice, bob] }
  await a.notifications.create(org, { ...hook(await startHookReceiver()), ...mail }, caller)
  a.deliver()
  await createUnits(a, 'prod/vpc')
  await soon(() => expect(sink.got).toMatchObject([{ text: expect.stringContaining('created prod/vpc.') }]))
  expect(sink.got[0]?.to).toEqual(expect.arrayContaining(['alice@example.com']))
  expect(sink.got[0]?.to).not.toContain('bob@example.com')
})

test('a destination that does not accept the test is refused, with what it answered', async () => {
  const [a, receiver] = [await server(), await startHookReceiver()]
  receiver.answer.status = 500
  receiver.answer.body = 'broken'
  await expect(a.notifications.create(org, hook(receiver), caller)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    facts: { field: 'url' },
    message: expect.stringMatching(/127\.0\.0\.1:\d+ did not accept a test .*500: broken/),
  })
  expect(await a.notifications.list(org)).toEqual([])
  const made = await a.notifications.create(org, hook(receiver, { isEnabled: false }), caller)
  await expect(a.notifications.verify(org, made.id, caller)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  await expect(a.notifications.update(org, made.id, { isEnabled: true }, caller)).rejects.toThrow('500')
  expect(await a.notifications.deliveriesOf(org, made.id)).toMatchObject({
    responses: [{ trigger: 'verification', code: '500', isSuccessful: false }],
  })
})

test('the addresses of cloud credentials are refused whatever their name', async () => {
  const [a, receiver] = [await server(), await startHookReceiver()]
  for (const url of [
    'http://169.254.169.254/latest',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::169.254.169.254]/',
  ])
    await expect(a.notifications.create(org, hook(receiver, { url }), caller)).rejects.toThrow('not allowed')
})
