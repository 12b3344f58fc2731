import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const node = promisify(execFile)
const bin = fileURLToPath(new URL('../bin', import.meta.url))

/** A package whose program prints one word, after a first start. */
async function packageThatSays(word: string, expression?: string) {
  const root = await mkdtemp(join(tmpdir(), 'taco-start-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const program = join(root, 'dist/cli.cjs')
  const compiled = join(root, 'dist/compiled')
  const says = (text: string) =>
    writeFile(
      program,
      `//abc\nexports.main = async () => { process.stdout.write(${expression ?? `'${text}'`}); return 3 }\n`,
    )
  await mkdir(join(root, 'dist'))
  await cp(bin, join(root, 'bin'), { recursive: true })
  await writeFile(join(root, 'dist/more.mjs'), "export const word = 'more'")
  await says(word)
  const run = async () => {
    const ended = await node(process.execPath, [join(root, 'bin/taco'), 'x']).catch((error: unknown) => error)
    return ended as { readonly stdout: string; readonly code?: number }
  }
  const first = await run()
  return { program, compiled, says, run, first, kept: () => readdir(compiled).catch(() => []) }
}

const keepsByItself = 'enableCompileCache' in module

test.skipIf(keepsByItself)('the first start keeps what was compiled, and the next one runs it', async () => {
  const { program, says, run, first, kept } = await packageThatSays('one')
  expect(first).toMatchObject({ stdout: 'one', code: 3 })
  expect(await kept()).toEqual([
    `cli-abc-${process.platform}-${process.arch}-v8-${process.versions.v8}.cache`,
  ])
  await says('two')
  await utimes(program, 1, 1)

  expect(await run()).toMatchObject({ stdout: 'one', code: 3 })
})

test('what was compiled can load the rest', async () => {
  const more = "(await (module.lazily ?? ((name) => import(name)))('./more.mjs')).word"
  const { first, run } = await packageThatSays('one', more)

  expect(first).toMatchObject({ stdout: 'more', code: 3 })
  expect(await run()).toMatchObject({ stdout: 'more', code: 3 })
})

test('a program that was edited runs as it is', async () => {
  const { compiled, says, run, kept } = await packageThatSays('one')
  await says('two')
  for (const name of await kept()) await utimes(join(compiled, name), 1, 1)

  expect(await run()).toMatchObject({ stdout: 'two', code: 3 })
  expect(await run()).toMatchObject({ stdout: 'two', code: 3 })
})

test.skipIf(keepsByItself)('what V8 refuses is not used, and made again', async () => {
  const { compiled, run, kept } = await packageThatSays('one')
  const [name = ''] = await kept()
  await writeFile(join(compiled, name), 'something else')

  expect(await run()).toMatchObject({ stdout: 'one', code: 3 })
  expect(await kept()).toEqual([name])
})

test.skipIf(keepsByItself)('what was compiled for another machine is not used', async () => {
  const { program, compiled, says, run, kept } = await packageThatSays('one')
  const [name = ''] = await kept()
  await rename(join(compiled, name), join(compiled, 'cli-abc-plan9-pdp11-v8-1.cache'))
  await says('two')
  await utimes(program, 1, 1)

  expect(await run()).toMatchObject({ stdout: 'two', code: 3 })
})

test.skipIf(process.getuid?.() === 0)(
  'a package that may not be written to starts all the same',
  async () => {
    const { program, compiled, run, kept } = await packageThatSays('one')
    await rm(compiled, { recursive: true })
    await chmod(join(program, '..'), 0o555)

    expect(await run()).toMatchObject({ stdout: 'one', code: 3 })
    expect(await kept()).toEqual([])
    await chmod(join(program, '..'), 0o755)
  },
)
