import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cloudBlock, cloudCode, credentials, hostBlock } from '../../rig/cloud.ts'
import { type Engine, engines } from '../../rig/engines.ts'
import { oneResource } from '../../rig/hcl.ts'
import { startServer } from '../../rig/server.ts'
import { personalToken, startSignInServer } from '../../rig/sign-in-server.ts'
import { runTaco } from '../../rig/taco.ts'
import { tempFolder } from '../../rig/temp.ts'
import { workdir } from '../../rig/workdir.ts'

/** One that every machine has, and one of the other kind if there is one. */
const some: readonly Engine[] = [engines()[0], engines().at(-1)].filter((engine) => engine !== undefined)

const main = (host: string) => cloudBlock(host, 'name = "prod--app"') + oneResource('first')

test.each(some)('$name asks a server with a root token', async (engine) => {
  const rootToken = 'the-root-token-of-this-test-0123456789abcdef'
  const server = await startServer({ args: ['--auth', 'token'], env: { TACO_ROOT_TOKEN: rootToken } })
  const stranger = await cloudCode(engine, server, main, 'wrong')
  expect((await stranger.run(['init'])).code).toBe(1)
  const code = await cloudCode(engine, server, main, rootToken)
  await code.must(['init'])
  await code.must(['apply', '-auto-approve'])
  expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('first')
})

test.each(some)('taco exec gives $name the token of its run', async (engine) => {
  const rootToken = 'the-root-token-of-this-test-0123456789abcdef'
  const server = await startServer({ args: ['--auth', 'token'], env: { TACO_ROOT_TOKEN: rootToken } })
  const url = server.url.replace('127.0.0.1', 'localhost')
  const code = await cloudCode(engine, server, main, 'wrong')
  // Only the addresses, no token.
  const services = hostBlock(code.host, 'wrong').replace(credentials(code.host, 'wrong'), '')
  await writeFile(code.env['TF_CLI_CONFIG_FILE'] ?? '', services)
  const exec = (...args: readonly string[]) =>
    runTaco(['exec', 'prod/app', '--server', url, '--', engine.path, ...args], {
      cwd: code.folder,
      env: { ...code.env, TACO_TOKEN: rootToken },
    })
  const [init, apply] = [await exec('init'), await exec('apply', '-auto-approve')]
  expect([init.code, apply.code], init.output + apply.output).toEqual([0, 0])
})

test.each(some)('$name discovers a server with TLS, and people sign in', async (engine) => {
  const home = await tempFolder()
  const server = await startSignInServer([], { home })
  const caFile = join(home, '.local/share/opentaco/tls/ca.crt')
  const token = await personalToken(server, 'ann')
  const granted = await runTaco(
    ['access', 'grant', 'admin', '--to', 'ann', '--server', server.publicUrl, '--ca-file', caFile],
    { cwd: home, env: { TACO_TOKEN: server.rootToken, HOME: home } },
  )
  expect(granted.code, granted.output).toBe(0)
  const host = `localhost:${server.port}`
  const code = await workdir(engine, main(host), { SSL_CERT_FILE: caFile })
  await writeFile(code.env['TF_CLI_CONFIG_FILE'] ?? '', credentials(host, token))
  await code.must(['init'])
  await code.must(['apply', '-auto-approve'])
  expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('first')
  const listed = await runTaco(
    ['state', 'versions', 'prod/app', '--json', '--server', server.publicUrl, '--ca-file', caFile],
    {
      cwd: home,
      env: { TACO_TOKEN: token, HOME: home },
    },
  )
  expect(listed.stdout).toContain('user:ann')
})
