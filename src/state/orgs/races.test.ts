import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import { alice, openControl, stateText } from '../../../test/support/state.ts'

/** Every request to the bucket waits for so many turns, one number after another. */
function delayed(bucket: Bucket, turns: () => number): Bucket {
  const late =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      for (let left = turns(); left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
      return work(...args)
    }
  return {
    ...bucket,
    get: late(bucket.get.bind(bucket)) as Bucket['get'],
    head: late(bucket.head.bind(bucket)),
    put: late(bucket.put.bind(bucket)),
    delete: late(bucket.delete.bind(bucket)),
    list: bucket.list.bind(bucket),
  }
}

type Step = (control: StateControl) => Promise<unknown>
const names = ['acme', 'apex', 'summit', 'rival'] as const
const folders = [undefined, 'teams/', 'teams/a/', 'teams/a/b/', 'rival/', 'other/'] as const

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(...folders)).map(
    ([name, prefix]): Step =>
      (control) =>
        control.orgs.create({ name, ...(prefix === undefined ? {} : { prefix }) }, alice),
  ),
  fc.tuple(fc.constantFrom('default', ...names), fc.constantFrom(...names)).map(
    ([org, to]): Step =>
      (control) =>
        control.orgs.rename(org, to, alice),
  ),
  fc.constantFrom('default', ...names).map(
    (org): Step =>
      (control) =>
        control.orgs.remove(org, { force: true }, alice),
  ),
  fc.constantFrom('default', ...names).map(
    (org): Step =>
      (control) =>
        control.orgs.restore(org, alice),
  ),
)

test('whatever servers do to organizations at the same time, a name leads to one of them and no folder holds another', async () => {
  const plan = fc.record({
    steps: fc.array(step, { minLength: 2, maxLength: 8 }),
    turns: fc.array(fc.nat(3), { minLength: 1, maxLength: 30 }),
  })
  await fc.assert(
    fc.asyncProperty(plan, async ({ steps, turns }) => {
      const bucket = openMemoryBucket()
      let next = 0
      const servers = await Promise.all(
        [0, 1, 2].map(() => openControl(delayed(bucket, () => turns[next++ % turns.length] ?? 0))),
      )
      const done = await Promise.allSettled(
        steps.map((work, i) => {
          const server = servers[i % servers.length]
          return server === undefined ? Promise.resolve() : work(server)
        }),
      )
      for (const one of done)
        if (one.status === 'rejected')
          expect(['ALREADY_EXISTS', 'NOT_FOUND']).toContain((one.reason as { code?: unknown }).code)

      const control = await openControl(bucket)
      const page = { limit: 50 }
      const all = [
        ...(await control.orgs.list(page, alice)).items,
        ...(await control.orgs.list({ ...page, deleted: 'only' }, alice)).items,
      ]
      const taken = new Map<string, string>()
      for (const { id, name, formerNames, folder } of all) {
        for (const one of new Set([id, name, ...formerNames])) {
          expect(taken.get(one) ?? id).toBe(id)
          taken.set(one, id)
          expect(control.orgNames.idOf(one)).toBe(id)
        }
        for (const other of all)
          if (other.id !== id && folder !== '' && other.folder !== '')
            expect(other.folder.startsWith(folder)).toBe(false)
      }
    }),
    { numRuns: 60 },
  )
})

test('a unit that is created while its organization is deleted is refused, or is there after the restore', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(4), { minLength: 1, maxLength: 20 }), async (turns) => {
      const bucket = openMemoryBucket()
      let next = 0
      const open = () => openControl(delayed(bucket, () => turns[next++ % turns.length] ?? 0))
      const [one, two] = [await open(), await open()]
      await one.orgs.create({ name: 'acme' }, alice)
      async function* bytes() {
        yield Buffer.from(stateText(1))
      }
      const ref = { org: 'acme', unit: 'app' }
      const state = await two.states.receive(bytes(), { maxBytes: 1e9, org: 'acme' }, alice)
      const [, written] = await Promise.allSettled([
        one.orgs.remove('acme', { force: true }, alice),
        two.states.write(ref, state, { how: 'backend', createUnit: true }, alice),
      ])
      await one.orgs.restore('acme', alice)

      const found = await two.states.read(ref, {}, alice)
      if (written.status === 'fulfilled') expect(found).toMatchObject({ size: stateText(1).length })
      else expect((written.reason as { code?: unknown }).code).toBe('ORG_DELETED')
    }),
    { numRuns: 30 },
  )
})
