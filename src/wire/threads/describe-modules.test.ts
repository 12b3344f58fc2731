import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { threadDescriber } from './describe-modules.ts'

let folder = ''
let entry: URL

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'describe-'))
  const outfile = join(folder, 'thread.mjs')
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
  const parser = pathToFileURL(createRequire(import.meta.url).resolve('@cdktn/hcl2json')).href
  await build({
    entryPoints: [fileURLToPath(new URL('describe-thread.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    define: { TACO_HCL_PARSER: JSON.stringify(parser) },
    banner: { js },
  })
  entry = pathToFileURL(outfile)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const good = { path: 'main.tf', text: 'variable "size" {}' }

test('modules are read in threads, several at once, and hostile ones take nothing with them', async () => {
  const describeModule = threadDescriber(entry)
  const evil = [
    `a = ${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'a {\n'.repeat(30_000) + '}\n'.repeat(30_000),
  ]

  const [first, ...others] = await Promise.allSettled([
    describeModule([good]),
    ...evil.map((text) => describeModule([{ path: 'evil.tf', text }])),
    describeModule([good]),
  ])

  expect(first).toMatchObject({ status: 'fulfilled', value: { root: { inputs: [{ name: 'size' }] } } })
  expect(others.at(-1)).toEqual(first)
  // A parser that gives up says so, or ends with its thread.
  for (const one of others.slice(0, -1))
    expect(one.status === 'rejected' || one.value.faults.length > 0).toBe(true)
})

test('code that takes too long is given up', async () => {
  const describeModule = threadDescriber(entry, { mostMs: 1, mostMegabytes: 256 })

  await expect(describeModule([good])).rejects.toThrow('it takes more than')
})
