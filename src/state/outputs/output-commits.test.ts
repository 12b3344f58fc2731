import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OutputDigest } from '../documents/model.ts'
import { nextCommit, type ScannedOutput } from './output-commits.ts'

type Before = Parameters<typeof nextCommit>[0]

/** As it is defined: name by name, each looked up among all the others. */
function byDefinition(
  before: Before,
  outputs: readonly ScannedOutput[] | null,
): ReturnType<typeof nextCommit> {
  const number = before?.commit ?? 0
  if (outputs === null) return { commit: number, outputs: null, changed: [] }
  const known = before?.outputs ?? []
  const old = (name: string) => known.find((output) => output.name === name)
  const gone = known.filter(({ name }) => !outputs.some((output) => output.name === name))
  const fresh = outputs.filter(
    ({ name, digest, sensitive }) => old(name)?.digest !== digest || old(name)?.sensitive !== sensitive,
  )
  const changed = [...fresh, ...gone].map(({ name }) => name).sort()
  const commit = changed.length > 0 || before?.outputs === null ? number + 1 : number
  return {
    commit,
    outputs: outputs.map((output) => ({
      ...output,
      since: changed.includes(output.name) ? commit : (old(output.name)?.since ?? commit),
    })),
    changed,
  }
}

const scanned = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', ''),
    sensitive: fc.boolean(),
    digest: fc.constantFrom('x', 'y'),
  }),
  { selector: ({ name }) => name },
)
const before = fc.option(
  fc.record({
    commit: fc.nat(5),
    outputs: fc.option(scanned.map((all) => all.map((output) => ({ ...output, since: 1 })))),
  }),
)

test('agrees with its definition', () => {
  fc.assert(
    fc.property(before, fc.option(scanned), (given, outputs) => {
      expect(nextCommit(given, outputs)).toEqual(byDefinition(given, outputs))
    }),
    { numRuns: 1000 },
  )
})

test('looks at each output a few times, for any number of outputs', () => {
  let looks = 0
  const counted = <T extends object>(output: T): T =>
    new Proxy(output, {
      get(target, field) {
        looks++
        return Reflect.get(target, field) as unknown
      },
    })
  const count = 2000
  const made = (i: number, digest: string): OutputDigest => ({
    name: `output-${i}`,
    sensitive: false,
    digest,
    since: 1,
  })
  const old = Array.from({ length: count }, (_, i) => counted(made(i, 'x')))
  const next = Array.from({ length: count }, (_, i) => counted(made(i + count / 2, i % 2 === 0 ? 'x' : 'y')))
  const { changed } = nextCommit({ commit: 1, outputs: old }, next)
  expect(changed).toHaveLength(count + count / 4)
  expect(looks).toBeLessThanOrEqual(20 * count)
})
