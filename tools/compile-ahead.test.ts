import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const node = promisify(execFile)
const tool = fileURLToPath(new URL('compile-ahead.mjs', import.meta.url))
const bin = fileURLToPath(new URL('../bin', import.meta.url))

/** A package whose program says one word. */
async function packageThatSays(word: string, expression?: string) {
  const root = await mkdtemp(join(tmpdir(), 'taco-ahead-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const program = join(root, 'dist/cli.cjs')
  const cache = join(root, `dist/cli-abc-${process.platform}-${process.arch}.cache`)
  const says = (text: string) =>
    writeFile(
      program,
      `//abc\nexports.main = async () => { process.stdout.write(${expression ?? `'${text}'`}); return 3 }\n`,
    )
  await mkdir(join(root, 'dist'))
  await cp(bin, join(root, 'bin'), { recursive: true })
  await writeFile(join(root, 'dist/more.mjs'), "export const word = 'more'")
  await says(word)
  await node(process.execPath, [tool, program, cache])
  return {
    program,
    cache,
    says,
    run: async () => {
      const ended = await node(process.execPath, [join(root, 'bin/taco'), 'x']).catch(
        (error: unknown) => error,
      )
      return ended as { readonly stdout: string; readonly code?: number }
    },
  }
}

const keepsByItself = 'enableCompileCache' in module

test.skipIf(keepsByItself)('what was compiled ahead is what runs', async () => {
  const { program, says, run } = await packageThatSays('one')
  await says('two')
  await utimes(program, 1, 1)

  expect(await run()).toMatchObject({ stdout: 'one', code: 3 })
})

test.skipIf(keepsByItself)('what was compiled ahead can load the rest', async () => {
  const { run } = await packageThatSays('one', "(await module.lazily('./more.mjs')).word")

  expect(await run()).toMatchObject({ stdout: 'more', code: 3 })
})

test('a program that was edited runs as it is', async () => {
  const { cache, says, run } = await packageThatSays('one')
  await says('two')
  await utimes(cache, 1, 1)

  expect(await run()).toMatchObject({ stdout: 'two', code: 3 })
})

test('what another version of V8 compiled is not used', async () => {
  const { cache, run } = await packageThatSays('one')
  await writeFile(cache, 'something else')

  expect(await run()).toMatchObject({ stdout: 'one', code: 3 })
})

test('what was compiled for another machine is not used', async () => {
  const { program, cache, says, run } = await packageThatSays('one')
  for (const name of ['cli-abc.cache', 'cli-abc-plan9-pdp11.cache'])
    await cp(cache, join(dirname(cache), name))
  await rm(cache)
  await says('two')
  await utimes(program, 1, 1)

  expect(await run()).toMatchObject({ stdout: 'two', code: 3 })
})
