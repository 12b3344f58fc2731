import { createHmac } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type HookReceiver, startHookReceiver } from '../../test/peers/hook-receiver.ts'
import { memoryControl } from '../../test/rig/http-face.ts'
import { testKey } from '../../test/support/tokens.ts'
import { createKeyRing } from '../access/secrets/key-ring.ts'
import { systemCaller } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import type { NewConfiguration } from '../notifications/index.ts'
import { createServices } from './services.ts'

const caller = systemCaller('opentaco')
const org = 'default'
const EVERY_MS = 100
const bucketOf = () => openMemoryBucket()

/** A server on the bucket, without a face. */
async function server(bucket = bucketOf()) {
  const control = await memoryControl(bucket)
  const keys = createKeyRing([testKey('k1')])
  const services = createServices({ bucket, clock: systemClock, ids: randomIds, control, sealKeys: keys })
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
  ])
    await expect(a.notifications.create(org, hook(receiver, { url }), caller)).rejects.toThrow('not allowed')
})
