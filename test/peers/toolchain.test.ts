import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { temporaryFolder } from './program.ts'
import type { TemporaryFolder } from './program.ts'
import { findOrBuildIn } from './toolchain.ts'

const folders: TemporaryFolder[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.remove()
})

async function machine(go: string | undefined) {
  const folder = await temporaryFolder('toolchain')
  folders.push(folder)
  const bin = path.join(folder.path, 'path')
  await mkdir(bin)
  if (go !== undefined) {
    await writeFile(path.join(bin, 'go'), `#!/bin/sh\n${go}\n`)
    await chmod(path.join(bin, 'go'), 0o755)
  }
  const leftOut = path.join(folder.path, 'left-out')
  const cache = path.join(folder.path, 'cache')
  return { env: { PATH: bin, TACO_TOOLCHAIN_DIR: cache, TACO_LEFT_OUT: leftOut }, leftOut, cache }
}

test('a program in the cache folder is used', async () => {
  const { env, cache } = await machine(undefined)
  await mkdir(path.join(cache, 'bin'), { recursive: true })
  await writeFile(path.join(cache, 'bin', 'versitygw'), '')

  expect(await findOrBuildIn('versitygw', env)).toBe(path.join(cache, 'bin', 'versitygw'))
})

test('what cannot be built without Go is left out by name', async () => {
  const { env, leftOut } = await machine(undefined)

  expect(await findOrBuildIn('versitygw', { ...env, CI: 'true' })).toBeUndefined()

  expect(await readFile(leftOut, 'utf8')).toMatch(/^versitygw v[\d.]+: go is not on PATH\n$/)
})

test('on CI with Go at hand, a build that fails is a failure', async () => {
  const { env } = await machine('exit 1')

  await expect(findOrBuildIn('versitygw', { ...env, CI: 'true' })).rejects.toThrow('nothing may be left out')
})

test('with Go at hand a program is built into the cache folder, at its pinned version', async () => {
  const { env, cache } = await machine('echo "$@" > "$GOBIN/fake-gcs-server"')

  const program = await findOrBuildIn('fake-gcs-server', env)

  expect(program).toBe(path.join(cache, 'bin', 'fake-gcs-server'))
  expect(await readFile(program ?? '', 'utf8')).toMatch(
    /^install github.com\/fsouza\/fake-gcs-server@v[\d.]+\n$/,
  )
})
