import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newKeyText } from '../../src/access/secrets/keys.ts'
import { freePort } from '../peers/free-port.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'

const [first, second] = [newKeyText(), newKeyText()]
const sso = ['--auth', 'sso']

async function start() {
  const home = await tempFolder()
  const bucket = `file://${home}/bucket`
  return {
    home,
    serves: async (keys: string, ...args: readonly string[]) => {
      const env = keys === '' ? {} : { TACO_SECRET_KEY: keys }
      const server = await startServer({ bucket, args: [...sso, ...args], env })
      expect(await server.stop()).toBe(0)
    },
    refuses: async (keys: string, ...args: readonly string[]) => {
      const listen = `127.0.0.1:${await freePort()}`
      const env = keys === '' ? {} : { TACO_SECRET_KEY: keys }
      return runTaco(['serve', '--bucket', bucket, '--listen', listen, ...sso, ...args], { cwd: home, env })
    },
  }
}

test('without a key, a server that keeps secrets does not start, and says how to make one', async () => {
  const { refuses } = await start()

  const { code, stderr } = await refuses('')

  expect(code).toBe(2)
  expect(stderr).toContain('error: The secret key is missing.')
  expect(stderr).toContain('taco secret-key new')
})

test('a server with another key than the bucket does not start, as one process or as several', async () => {
  const { serves, refuses } = await start()
  await serves(first.text)

  const alone = await refuses(second.text)
  const several = await refuses(second.text, '--workers', '2')

  for (const { code, stderr } of [alone, several]) {
    expect(code, stderr).toBe(1)
    expect(stderr).toContain(
      `This bucket is used with the secret key ${first.id}, which this server does not have.`,
    )
    expect(stderr).not.toContain(second.text.slice(-20))
  }
})

test('a key is replaced: from a file, then from a command, then the old one is gone', async () => {
  const { home, serves, refuses } = await start()
  const file = join(home, 'keys')
  await serves(first.text)
  await writeFile(file, `${second.text} # since today\n${first.text}\n`, { mode: 0o600 })

  await serves('', '--secret-key-file', file)
  await serves('', '--secret-key-command', `head -n 1 '${file}' | cut -d ' ' -f 1`)

  expect((await refuses(first.text)).stderr).toContain(`with the secret key ${second.id}`)
})
