import { expect, test } from 'vitest'
import { createKeyRing } from '../access/secrets/key-ring.ts'
import { sealingWith, systemCaller } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import type { Bucket } from '../bucket/index.ts'
import { createOrgIds } from '../records/index.ts'
import { memoryControl } from '../../test/rig/http-face.ts'
import { testKey } from '../../test/support/tokens.ts'
import { NEW_POLICY_SET, createGovernance } from './index.ts'

const caller = systemCaller('opentaco')
const spool = { create: () => Promise.reject(new Error('nothing here is large')) }

async function open(hasKeys = true) {
  const bucket = openMemoryBucket()
  const control = await memoryControl(bucket)
  const sealing = sealingWith(hasKeys ? createKeyRing([testKey('k1')]) : undefined)
  const orgIds = createOrgIds({ orgs: control.orgs, clock: systemClock })
  const { outbox } = control
  const deps = { bucket, clock: systemClock, ids: randomIds, outbox, orgIds, sealing, spool }
  return {
    bucket,
    governance: createGovernance(deps),
    elsewhere: createGovernance(deps),
    close: control.close,
  }
}

async function everything(bucket: Bucket): Promise<string> {
  const texts: string[] = []
  for await (const page of bucket.list(''))
    for (const { key } of page) texts.push(key, String(await (await bucket.get(key))?.bytes()))
  return texts.join('\n')
}

const set = { ...NEW_POLICY_SET, name: 'base', kind: 'sentinel' }
const client = {
  provider: 'github',
  apiUrl: 'https://api.github.com',
  httpUrl: 'https://github.com',
  isOrgScoped: true,
  projects: [],
}
const task = { name: 'scan', url: 'https://example.com', description: '', category: 'task', isEnabled: true }

test('no secret is in plain in the bucket', async () => {
  const { bucket, governance, close } = await open()
  const { oauthClients, parameters, policySets, runTasks } = governance
  const { id } = await policySets.create('default', set, caller)
  const parameter = { key: 'visible-key', value: 'hunter-1', isSensitive: true }
  const { id: sealed } = await parameters.create('default', id, parameter, caller)
  await parameters.update('default', id, sealed, { value: 'hunter-2' }, caller)
  const made = await runTasks.create('default', task, 'hunter-3', caller)
  await runTasks.update('default', made.id, (one) => ({ ...one, description: 'd' }), 'hunter-4', caller)
  const secrets = { secret: 'hunter-5', privateKey: 'hunter-6', token: 'hunter-7' }
  const { token, id: ofClient } = await oauthClients.create('default', client, secrets, caller)
  await oauthClients.setSshKey('default', token?.id ?? '', 'hunter-8', caller)
  await oauthClients.update('default', ofClient, (one) => one, { token: 'hunter-9' }, caller)
  // Events are written after the fact.
  await close()

  const stored = await everything(bucket)
  expect(stored).toContain('visible-key')
  expect(stored).not.toContain('hunter')
})

test('without a secret key, a secret is refused and everything else is stored', async () => {
  const { governance } = await open(false)
  await governance.runTasks.create('default', task, undefined, caller)
  expect(() => governance.runTasks.create('default', { ...task, name: 'x' }, 'hunter', caller)).toThrow(
    'no secret key',
  )
})

test('servers that attach to one set at the same time lose nothing', async () => {
  const { governance, elsewhere } = await open()
  const { id } = await governance.policySets.create('default', set, caller)
  const units = Array.from({ length: 10 }, (_, i) => `ws-${i}`)
  await Promise.all(
    units.map((unit, i) =>
      (i % 2 === 0 ? governance : elsewhere).policySets.relate(
        'default',
        id,
        { relation: 'units', ids: [unit], isAdded: true },
        caller,
      ),
    ),
  )
  const [stored] = await governance.policySets.list({ org: 'default' })
  expect(new Set(stored?.units)).toEqual(new Set(units))
})
