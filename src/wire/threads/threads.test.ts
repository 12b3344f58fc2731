import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { inThisThread } from '../../state/index.ts'
import { defaultThreadOptions, openThreads, type ThreadOptions } from './threads.ts'

let folder = ''
let entry: URL

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'threads-'))
  const outfile = join(folder, 'thread.mjs')
  const source = fileURLToPath(new URL('thread.ts', import.meta.url))
  // The real build leaves out what a thread does not use; some of that is CommonJS.
  const js = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js },
  })
  entry = pathToFileURL(outfile)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

function open(options: Partial<ThreadOptions> = {}) {
  const threads = openThreads(entry, { ...defaultThreadOptions, handOverFrom: 0, ...options })
  onTestFinished(() => threads.close())
  return threads.work
}

/** Transferred, so each is made again. */
function state(serial: number, more: object = {}): Buffer {
  const outputs = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`o${i}`, { value: serial * i, type: 'number' }]),
  )
  return Buffer.from(JSON.stringify({ version: 4, serial, lineage: 'l', outputs, resources: [], ...more }))
}

test('a thread gives the same results as this one, for several jobs at once', async () => {
  const work = open()
  const key = Buffer.alloc(32, 1)
  const output = () => Buffer.from('{"value":[1,2.50],"type":["list","number"],"sensitive":true}')

  const [diffs, digest, value] = await Promise.all([
    Promise.all([1, 2, 3, 4, 5].map((i) => work.diff(state(i), state(i + 1)))),
    work.digestOutput('a', output(), key),
    work.outputValue(output()),
  ])

  for (const [i, diff] of diffs.entries())
    expect(Buffer.from(diff).toString()).toBe(
      Buffer.from(await inThisThread.diff(state(i + 1), state(i + 2))).toString(),
    )
  expect(digest).toEqual(await inThisThread.digestOutput('a', output(), Buffer.alloc(32, 1)))
  expect(value).toEqual({ type: '["list","number"]', json: '[1,2.5]' })
  // Its owner continues to use it.
  expect(key).toEqual(Buffer.alloc(32, 1))
})

test('a refusal keeps its code, its facts and its hint', async () => {
  const work = open()

  await expect(work.diff(state(1, { version: 3 }), state(2))).rejects.toMatchObject({
    code: 'STATE_FORMAT',
    facts: { field: 'version' },
    hint: expect.stringContaining('Upgrade') as unknown,
  })
  expect(await work.outputValue(Buffer.from('{"value":1}'))).toMatchObject({ json: '1' })
})

test('a job that takes too long or too much memory is ended, and the next one runs', async () => {
  const endless = () => Buffer.from(`{"value":[${'[],'.repeat(3_000_000)}1]}`)

  const slow = open({ mostMs: 1 })
  await expect(slow.outputValue(endless())).rejects.toMatchObject({ code: 'TOO_LARGE' })
  const small = open({ mostMegabytes: 16, atOnce: 1 })
  await expect(small.outputValue(endless())).rejects.toMatchObject({ code: 'TOO_LARGE' })
  expect(await small.outputValue(Buffer.from('{"value":1}'))).toMatchObject({ json: '1' })
})

test('a few bytes are worked on here', async () => {
  const work = openThreads(new URL('file:///nowhere/thread.mjs')).work

  expect(await work.outputValue(Buffer.from('{"value":1}'))).toMatchObject({ json: '1' })
})
