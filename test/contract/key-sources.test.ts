import { readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { commandKeys } from '../../src/access/secrets/adapters/command/command.ts'
import { environmentKeys } from '../../src/access/secrets/adapters/environment/environment.ts'
import { fileKeys } from '../../src/access/secrets/adapters/file/file.ts'
import { newKeyText } from '../../src/access/secrets/keys.ts'
import { tempFolder } from '../rig/temp.ts'
import { keySourceContract } from './key-source.ts'

async function keyFile(text: string, mode = 0o600): Promise<string> {
  const path = join(await tempFolder(), 'keys')
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}

const env = { PATH: process.env['PATH'] }

describe('environment', () => {
  keySourceContract((text) => Promise.resolve(environmentKeys('TACO_SECRET_KEY', text)))
})

describe('file', () => {
  keySourceContract(async (text) => fileKeys(await keyFile(text), () => {}))

  test.each([
    [0o600, 0],
    [0o400, 0],
    [0o640, 1],
    [0o604, 1],
  ])('a file of mode %o gives %i warnings', async (mode, warnings) => {
    const warn = vi.fn<() => void>()
    await fileKeys(await keyFile(newKeyText().text, mode), warn).read()

    expect(warn).toHaveBeenCalledTimes(warnings)
  })

  test.each(['missing', '.'])('a file that cannot be read is refused by name: %s', async (name) => {
    const path = join(await tempFolder(), name)

    await expect(fileKeys(path, () => {}).read()).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(path),
      hint: expect.stringContaining('--secret-key-file'),
    })
  })

  test('what is too large to be keys is not read', async () => {
    const path = await keyFile('#'.repeat(70_000))

    await expect(fileKeys(path, () => {}).read()).rejects.toThrow(/too large/)
  })
})

describe('command', () => {
  keySourceContract(async (text) => commandKeys(`cat '${await keyFile(text)}'`, { env }))

  test('a pipe works, as does a program that needs its environment', async () => {
    const path = await keyFile(Buffer.from('decrypted').toString('base64'))

    const source = commandKeys('base64 -d < "$KEY_FILE" | tr d-e D-E', { env: { ...env, KEY_FILE: path } })

    expect(await source.read()).toBe('DEcryptED')
  })

  test.each([
    ['exit 3', /failed: exit code 3\.$/],
    ["echo 'AccessDenied: no key.' >&2; exit 1", /failed: exit code 1; it printed: AccessDenied: no key\.$/],
    ['kill -9 $$', /failed: it was ended by SIGKILL\.$/],
    ['no-such-program-here', /failed: exit code 127; it printed: .*no-such-program-here/],
    ['yes', /failed: it printed too much/],
  ])('%s is refused with its reason', async (command, message) => {
    await expect(commandKeys(command, { env }).read()).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(message),
    })
  })

  test('what was printed before a failure is not in the message', async () => {
    const key = newKeyText().text

    await expect(commandKeys('echo "$KEY"; exit 1', { env: { ...env, KEY: key } }).read()).rejects.toSatisfy(
      (error) => !String(error).includes(key.slice(-20)),
    )
  })

  test('one that hangs is ended, with all that it started', async () => {
    const path = join(await tempFolder(), 'pid')
    const source = commandKeys(`sh -c 'echo $$ > ${path}; exec sleep 600' | cat`, { env, timeoutMs: 1000 })

    await expect(source.read()).rejects.toThrow(/did not end within 1 s/)

    const pid = Number(readFileSync(path, 'utf8'))
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // Ended, and not yet collected by whoever adopted it.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
