import { describe, expect, onTestFinished, test, vi, type TestContext } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import type { Bucket } from '../../src/bucket/index.ts'
import { createStateControl, LockInfo, type StateControl } from '../../src/state/index.ts'
import { alice, named, pull, push, stateText } from '../support/state.ts'
import { openBucket } from '../../src/wire/buckets.ts'
import { withCachedStates } from '../../src/wire/bucket-layers/cached-states.ts'
import { openSpool } from '../../src/wire/spool.ts'
import { startVersitygw } from '../peers/versitygw.ts'
import { tempFolder } from '../rig/temp.ts'

/** With every setting and every cache that a server has. */
async function openServer(bucket: Bucket): Promise<StateControl> {
  const control = await createStateControl({
    bucket: withCachedStates(bucket),
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    spool: openSpool(),
  })
  onTestFinished(() => control.close())
  return control
}

const stores: Readonly<Record<string, (context: TestContext) => Promise<() => Promise<Bucket>>>> = {
  async memory() {
    const { bucket } = await openBucket('memory:')
    return () => Promise.resolve(bucket)
  },
  async folder() {
    const url = `file://${await tempFolder()}/bucket`
    return async () => (await openBucket(url)).bucket
  },
  async s3(context) {
    const peer = await startVersitygw()
    if (peer === undefined) return context.skip('no S3 server')
    onTestFinished(() => peer.dispose())
    for (const [name, value] of Object.entries(peer.env)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    return async () => (await openBucket(peer.url)).bucket
  },
}

/** The bytes in memory if the server answers with them on the spot, as the backend's GET does. */
async function read(server: StateControl, unit: string): Promise<string | undefined> {
  return server.states.readNow(named(unit), alice)?.content.toString() ?? (await pull(server, unit))
}

/** Reads until the answer comes from memory where possible, so that all caches are filled. */
async function warm(server: StateControl, ...units: readonly string[]): Promise<void> {
  for (const unit of units) for (let i = 0; i < 3; i++) await read(server, unit)
}

const rename = (server: StateControl, from: string, to: string) => server.units.rename(named(from), to, alice)
const create = (server: StateControl, name: string) => server.units.create({ org: 'default', name }, alice)
const lock = (server: StateControl, unit: string) =>
  server.locks.lock(named(unit), LockInfo.parse({ ID: 'apply' }), {}, alice)

describe.each(Object.entries(stores))('%s', (_store, open) => {
  describe.each(['one server', 'two servers'] as const)('%s', (many) => {
    async function servers(context: TestContext): Promise<{ changing: StateControl; reading: StateControl }> {
      const openOne = await open(context)
      const changing = await openServer(await openOne())
      return { changing, reading: many === 'one server' ? changing : await openServer(await openOne()) }
    }

    test('an apply under a name that was given away does not read the state of the unit that had it', async (context) => {
      const { changing, reading } = await servers(context)
      await push(changing, 'ren/x', stateText(1, 'moved'))
      await warm(reading, 'ren/x')
      await rename(changing, 'ren/x', 'ren/z')
      await create(changing, 'ren/x')
      await lock(reading, 'ren/x')
      expect(await read(reading, 'ren/x')).toBeUndefined()
      expect(await read(reading, 'ren/z')).toBe(stateText(1, 'moved'))
    })

    test('an acknowledged write under a name that another unit had is read at once', async (context) => {
      const { changing, reading } = await servers(context)
      await push(changing, 'ry/a', stateText(1, 'first'))
      await warm(reading, 'ry/a')
      await rename(changing, 'ry/a', 'ry/z')
      await create(changing, 'ry/a')
      await push(changing, 'ry/a', stateText(1, 'second', 'M'))
      expect(await read(reading, 'ry/a')).toBe(stateText(1, 'second', 'M'))
    })

    test('two names that were swapped lead to the right states', async (context) => {
      const { changing, reading } = await servers(context)
      await push(changing, 'sw/a', stateText(1, 'a'))
      await push(changing, 'sw/b', stateText(1, 'b'))
      await warm(reading, 'sw/a', 'sw/b')
      await rename(changing, 'sw/a', 'sw/between')
      await rename(changing, 'sw/b', 'sw/a')
      await rename(changing, 'sw/between', 'sw/b')
      expect(await read(reading, 'sw/a')).toBe(stateText(1, 'b'))
      expect(await read(reading, 'sw/b')).toBe(stateText(1, 'a'))
    })

    test('a write after a rename and a delete is not read as "no state"', async (context) => {
      const { changing, reading } = await servers(context)
      await push(changing, 'd/b', stateText(1))
      await rename(changing, 'd/b', 'd/a')
      await warm(reading, 'd/a')
      await changing.units.remove(named('d/a'), { force: true }, alice)
      await read(reading, 'd/a').catch(() => undefined)
      await create(changing, 'd/a')
      await push(changing, 'd/a', stateText(1, 'new', 'M'))
      expect(await read(reading, 'd/a')).toBe(stateText(1, 'new', 'M'))
    })

    test('a new unit is found by a client that was just told it does not exist', async (context) => {
      const { changing, reading } = await servers(context)
      expect(await read(reading, 'n/a')).toBeUndefined()
      await push(changing, 'n/a', stateText(1))
      expect(await read(reading, 'n/a')).toBe(stateText(1))
    })
  })
})
