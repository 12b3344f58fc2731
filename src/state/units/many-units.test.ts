import { expect, test } from 'vitest'
import { tempFolder } from '../../../test/rig/temp.ts'
import { nodeFs, openFileBucket } from '../../bucket/adapters/file/index.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import { alice, movedControl, named, push, stateText } from '../../../test/support/state.ts'

interface Counting {
  readonly bucket: Bucket
  /** Since the last call of it. */
  take(): number
}

/** Every call of the file system, and every name that reading a folder gives. */
async function countingFolder(root: string): Promise<Counting> {
  let count = 0
  const fs = nodeFs()
  const countedFs = Object.fromEntries(
    Object.entries(fs).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        if (name !== 'now') count++
        return (call as (...args: unknown[]) => unknown).apply(fs, args)
      },
    ]),
  ) as unknown as typeof fs
  const readdir = async (path: string) => {
    const names = await countedFs.readdir(path)
    count += names?.length ?? 0
    return names
  }
  const bucket = await openFileBucket({ root, fs: { ...countedFs, readdir } })
  return { bucket, take: () => [count, (count = 0)][0] ?? 0 }
}

/** Every request, and every entry that a list gives. */
function countingStore(store: Bucket): Counting {
  let count = 0
  const counted = <A extends unknown[], R>(call: (...args: A) => R) => {
    return (...args: A) => {
      count++
      return call(...args)
    }
  }
  const bucket: Bucket = {
    ...store,
    get: counted(store.get) as Bucket['get'],
    head: counted(store.head),
    put: counted(store.put),
    delete: counted(store.delete),
    async *list(prefix, options) {
      for await (const page of store.list(prefix, options)) {
        count += 1 + page.length
        yield page
      }
    },
  }
  return { bucket, take: () => [count, (count = 0)][0] ?? 0 }
}

/** What each operation costs both servers together, where there are so many units. */
async function costs(one: Counting, two: Counting, units: number): Promise<Record<string, number>> {
  const { pass, open } = movedControl(one.bucket)
  const settings = { tidyAfterMs: null, gatherEventsMs: 0 }
  const [ours, other] = [await open(settings), await open(settings, { bucket: two.bucket })]
  const list = (control: StateControl) => control.units.list({ org: 'default', limit: 5 }, alice)
  for (let i = 0; i < units; i++) {
    await ours.units.create({ org: 'default', name: `seed/${i}` }, alice)
    if (i % 2 === 0) await ours.units.update(named(`seed/${i}`), { description: 'changed' }, alice)
  }
  // Full listings are due after a minute; their cost is not part of this. After three, no reader of the journal looks at
  // the minutes in which the units were created, whatever the second at which this test started.
  pass(180_000)
  for (const control of [ours, other, ours, other]) {
    await list(control)
    await control.units.create({ org: 'default', name: `first/${Math.random()}` }, alice)
    await control.close()
    pass(2_000)
  }
  await list(ours)
  const costs: Record<string, number> = {}
  const measure = async (name: string, work: () => Promise<unknown>) => {
    await Promise.all([ours.close(), other.close()])
    pass(1_500)
    one.take()
    two.take()
    await work()
    await Promise.all([ours.close(), other.close()])
    costs[name] = one.take() + two.take()
  }
  await measure('create', () => other.units.create({ org: 'default', name: 'new' }, alice))
  await measure('list after a unit was created elsewhere', () => list(ours))
  await measure('first write', () => push(ours, 'new', stateText(1)))
  await measure('write of what the other wrote', () => push(other, 'new', stateText(2)))
  await measure('list after a unit was written elsewhere', () => list(ours))
  await measure('create after that', () => ours.units.create({ org: 'default', name: 'newer' }, alice))
  return costs
}

test.each(['folder', 'store with requests'])(
  'what an operation of one of two servers costs does not depend on the number of units: %s',
  async (kind) => {
    const costsOf = async (units: number) => {
      if (kind === 'folder') {
        const root = await tempFolder()
        return costs(await countingFolder(root), await countingFolder(root), units)
      }
      const store = openMemoryBucket({ pageSize: 1000 })
      return costs(countingStore(store), countingStore(store), units)
    }
    const few = await costsOf(20)
    const many = await costsOf(200)

    // The clock decides whether a minute of the journal ends in between, which costs a folder or two.
    for (const [name, cost] of Object.entries(few))
      expect(many[name], `${name}: ${JSON.stringify({ few, many })}`).toBeLessThan(cost + 40)
  },
  60_000,
)
