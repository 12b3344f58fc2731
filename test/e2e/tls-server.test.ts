import { writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { certificateFor } from '../rig/certificate.ts'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { tempFolder } from '../rig/temp.ts'
import { workdir } from '../rig/workdir.ts'

const made = (name: string) =>
  certificateFor([name, '127.0.0.1'], new Date(0), new Date(Date.now() + 86_400_000))

/** A server as a person starts it for the first time, and where its authority is. */
async function startAuto(...args: readonly string[]) {
  const home = await tempFolder()
  const env = { HOME: home }
  const server = await startServer({
    args: ['--auth', 'none', '--tls', 'auto', ...args],
    env,
    isSecure: true,
  })
  return { server, env, caFile: join(home, '.local/share/opentaco/tls/ca.crt') }
}

describe.each(engines())('$name', (engine) => {
  test('uses the backend over TLS once it trusts the local authority', async () => {
    const { server, caFile } = await startAuto()
    const code = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))

    expect((await code.run(['init'], { TF_HTTP_RETRY_MAX: '0' })).output).toMatch(/certificate/)
    await code.must(['init'], { SSL_CERT_FILE: caFile })
    await code.must(['apply', '-auto-approve'], { SSL_CERT_FILE: caFile })

    expect((await code.must(['output', '-raw', 'value'], { SSL_CERT_FILE: caFile })).stdout).toBe('first')
  })

  test('needs no setting when taco runs it', async () => {
    const { server, env } = await startAuto()
    const code = await workdir(engine, `terraform {\n  backend "http" {}\n}\n${oneResource('first')}`)
    const exec = (...args: readonly string[]) =>
      runTaco(['exec', 'prod/app', '--server', server.url, '--', engine.path, ...args], {
        cwd: code.folder,
        env: { ...code.env, ...env },
      })

    const init = await exec('init')
    const apply = await exec('apply', '-auto-approve')

    expect([init.code, apply.code], init.output + apply.output).toEqual([0, 0])
    const units = await runTaco(['unit', 'ls', '--json', '--server', server.url], { env })
    expect(units.stdout).toContain('prod/app')
  })
})

test('several workers serve one certificate, and it stays the same at the next start', async () => {
  const { server, env, caFile } = await startAuto('--workers', '2', '--tls-name', 'taco.test')
  const url = server.url.replace('127.0.0.1', 'localhost')

  const answers = await Promise.all([1, 2, 3, 4].map(() => runTaco(['org', 'ls', '--server', url], { env })))
  const trust = await runTaco(['tls', 'trust'], { env })
  const first = await nameAndPrint(server.port)
  expect(await server.stop()).toBe(0)
  const again = await startServer({
    args: ['--auth', 'none', '--tls', 'auto', '--tls-name', 'taco.test'],
    env,
    isSecure: true,
  })

  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(trust.stdout).toContain(`SSL_CERT_FILE='${caFile}'`)
  expect(first.names).toContain('DNS:taco.test')
  expect(await nameAndPrint(again.port)).toEqual(first)
})

test('a renewed certificate is served by all workers, without a restart', async () => {
  const home = await tempFolder()
  const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')]
  async function install(name: string) {
    const next = made(name)
    await writeFile(cert, next.cert)
    await writeFile(key, next.key)
  }
  await install('old.test')
  const args = ['--auth', 'none', '--workers', '2', '--tls-cert', cert, '--tls-key', key]
  const server = await startServer({ args, isSecure: true })
  expect((await nameAndPrint(server.port)).names).toContain('old.test')

  await install('new.test')

  await expect
    .poll(async () => {
      const seen = await Promise.all([1, 2, 3, 4, 5, 6].map(() => nameAndPrint(server.port)))
      return seen.every(({ names }) => names.includes('new.test'))
    })
    .toBe(true)
})

test('a client that speaks plain HTTP is told to use https', async () => {
  const { server, env } = await startAuto()

  const refused = await runTaco(['org', 'ls', '--server', server.url.replace('https', 'http')], { env })

  expect(refused).toMatchObject({ code: 6 })
  expect(refused.stderr).toContain('it expects TLS, not plain HTTP')
})

test('a certificate that does not fit its key ends the start', async () => {
  const home = await tempFolder()
  const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')]
  await writeFile(cert, made('a.test').cert)
  await writeFile(key, made('b.test').key)

  const refused = await runTaco(['serve', '--listen', '0', '--tls-cert', cert, '--tls-key', key], {
    cwd: home,
  })

  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain(`The key in ${key} does not belong to the first certificate in ${cert}.`)
})

function nameAndPrint(port: number): Promise<{ readonly names: string; readonly print: string }> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/healthz', agent: false, rejectUnauthorized: false }, (reply) => {
      const { subjectaltname = '', fingerprint256 } = (reply.socket as TLSSocket).getPeerCertificate()
      reply.resume()
      resolve({ names: subjectaltname, print: fingerprint256 })
    }).on('error', reject)
  })
}
