import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { engines } from '../rig/engines.ts'
import { httpBackend, oneResource } from '../rig/hcl.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'
import { workdir } from '../rig/workdir.ts'

const encrypted = `
terraform {
  encryption {
    key_provider "pbkdf2" "word" {
      passphrase = "correct horse battery staple"
    }
    method "aes_gcm" "seal" {
      keys = key_provider.pbkdf2.word
    }
    state {
      method   = method.aes_gcm.seal
      enforced = true
    }
    plan {
      method = method.aes_gcm.seal
    }
  }
}
`

describe.each(engines().filter(({ canEncrypt }) => canEncrypt))('$name with state encryption', (engine) => {
  test('runs its whole life on a state that the server cannot read', async () => {
    const server = await startServer()
    const address = `${server.url}/v1/backend/default/secret/app`
    const code = await workdir(
      engine,
      httpBackend(server.url, 'secret/app') + encrypted + oneResource('top secret'),
    )

    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    const first = await (await fetch(address)).text()
    expect((await code.run(['plan', '-detailed-exitcode'])).code).toBe(0)
    await code.write(
      'main.tf',
      httpBackend(server.url, 'secret/app') + encrypted + oneResource('another secret'),
    )
    await code.must(['apply', '-auto-approve'])
    const versions = await runTaco(['state', 'versions', 'secret/app', '--json', '--server', server.url])
    await code.must(['destroy', '-auto-approve'])

    expect(first).toContain('encrypted_data')
    expect(first).not.toContain('top secret')
    expect(versions.code).toBe(0)
    expect(
      z.looseObject({ items: z.array(z.unknown()) }).parse(JSON.parse(versions.stdout)).items.length,
    ).toBeGreaterThanOrEqual(2)
  })

  test('a plain state over the encrypted one is refused until the unit allows it', async () => {
    const server = await startServer()
    const address = `${server.url}/v1/backend/default/secret/app`
    const code = await workdir(
      engine,
      httpBackend(server.url, 'secret/app') + encrypted + oneResource('top secret'),
    )
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    const sealed = await (await fetch(address)).text()
    const plain = (await code.must(['state', 'pull'])).stdout
    const next = JSON.stringify({ ...z.looseObject({}).parse(JSON.parse(plain)), serial: 99 })

    const refused = await fetch(address, { method: 'POST', body: next })
    const after = await (await fetch(address)).text()

    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ code: 'STATE_WOULD_DECRYPT' })
    expect(after).toBe(sealed)
    await code.must(['plan'])
  })

  test('a roll-back of an encrypted state is one that the engine can read', async () => {
    const server = await startServer()
    const code = await workdir(engine, httpBackend(server.url, 'secret/app') + encrypted + oneResource('one'))
    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    await code.write('main.tf', httpBackend(server.url, 'secret/app') + encrypted + oneResource('two'))
    await code.must(['apply', '-auto-approve'])

    const rollBack = (...options: string[]) =>
      runTaco(['state', 'rollback', 'secret/app', '1', '--yes', ...options, '--server', server.url])
    const refused = await rollBack()
    const rolledBack = await rollBack('--keep-serial')

    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--keep-serial') })
    expect(rolledBack).toMatchObject({ code: 0 })
    expect((await code.must(['output', '-raw', 'value'])).stdout).toBe('one')
  })
})
