import { alice } from './caller.ts'
import type { Clock } from '../../src/base/clock.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Ids } from '../../src/base/ids.ts'
import { randomIds } from '../../src/base/ids.ts'
import type { Log } from '../../src/base/log.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Spool } from '../../src/base/spool.ts'
import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import type { Bucket } from '../../src/bucket/index.ts'
import { bodyOf } from '../../src/bucket/index.ts'
import type { DoctorFinding, StateControl, StateSettings } from '../../src/state/index.ts'
import { createStateControl } from '../../src/state/index.ts'

/** For tests of state control over a bucket in memory or in a folder. */
export { alice }

const noSpool: Spool = {
  create: () => Promise.reject(new Error('nothing here is large enough for the spool')),
}

export function openControl(
  bucket: Bucket = openMemoryBucket(),
  clock: Clock = systemClock,
  ids: Ids = randomIds,
): Promise<StateControl> {
  const settings = {
    tidyAfterMs: null,
    gatherEventsMs: 0,
    catalogLagMs: 0,
    catalogVerifyMs: 0,
    announceMs: 0,
  }
  return createStateControl({
    bucket,
    clock,
    ids,
    log: silentLog,
    spool: noSpool,
    settings,
  })
}

/** As a server has it but for the settings given, at a time that the test moves; several may share a bucket. */
export function movedControl(bucket: Bucket) {
  let ahead = 0
  return {
    pass: (ms: number) => (ahead += ms),
    open: (settings: Partial<StateSettings> = {}, world: { bucket?: Bucket; log?: Log } = {}) =>
      createStateControl({
        bucket,
        clock: { ...systemClock, now: () => Date.now() + ahead },
        ids: randomIds,
        log: silentLog,
        spool: noSpool,
        settings,
        ...world,
      }),
  }
}

export const named = (unit: string) => ({ org: 'default', unit })

export function stateText(serial: number, value = `v${serial}`, lineage = 'L'): string {
  const outputs = { value: { value, type: 'string' } }
  return JSON.stringify({ version: 4, terraform_version: '1.11.4', serial, lineage, outputs, resources: [] })
}

export function withResources(serial: number, count: number, lineage = 'L'): string {
  const one = (name: string) => ({
    mode: 'managed',
    type: 'terraform_data',
    name,
    provider: 'provider["terraform.io/builtin/terraform"]',
    instances: [{ schema_version: 0, attributes: { id: name } }],
  })
  const resources = Array.from({ length: count }, (_, i) => one(`r${i}`))
  return JSON.stringify({ version: 4, terraform_version: '1.11.4', serial, lineage, outputs: {}, resources })
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

export async function push(
  control: StateControl,
  unit: string,
  text: string,
  options: { force?: boolean; keepSerial?: boolean; lockId?: string } = {},
) {
  const state = await control.states.receive(chunks(text), { maxBytes: 1e9, org: 'default' }, alice)
  try {
    return await control.states.write(
      named(unit),
      state,
      { how: 'push', createUnit: true, ...options },
      alice,
    )
  } finally {
    await state.dispose()
  }
}

export async function pull(control: StateControl, unit: string): Promise<string | undefined> {
  const found = await control.states.read(named(unit), {}, alice)
  return found === undefined || found === 'unchanged' ? undefined : (await found.bytes()).toString()
}

export async function findings(
  control: StateControl,
  options: { deep?: boolean; repair?: boolean } = {},
): Promise<DoctorFinding[]> {
  const all: DoctorFinding[] = []
  for await (const finding of control.upkeep.doctor({ deep: true, repair: false, ...options }, alice))
    all.push(finding)
  return all
}

export const wrong = (all: readonly DoctorFinding[]) =>
  all.filter(({ level, repaired }) => (level === 'error' || level === 'warning') && !repaired)

export async function keysUnder(bucket: Bucket, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const page of bucket.list(prefix)) keys.push(...page.map(({ key }) => key))
  return keys
}

/** As somebody with access to the bucket might. */
export async function overwrite(bucket: Bucket, key: string, text: string): Promise<void> {
  const entry = await bucket.head(key)
  const answer = await bucket.put(key, bodyOf(text), entry?.tag ?? 'absent')
  if (answer.kind !== 'written') throw new Error(`${key} could not be written`)
}

export async function lose(bucket: Bucket, key: string): Promise<void> {
  const entry = await bucket.head(key)
  if (entry === undefined) throw new Error(`there is no ${key}`)
  await bucket.delete(key, entry.tag)
}
