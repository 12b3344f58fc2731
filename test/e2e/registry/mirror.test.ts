import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engines } from '../../rig/engines.ts'
import { apiClient, publishProvider } from '../../rig/registry-client.ts'
import { startServer } from '../../rig/server.ts'
import { tempFolder } from '../../rig/temp.ts'
import { workdir } from '../../rig/workdir.ts'
import { createSigningKey } from '../../support/open-pgp.ts'

const token = '0123456789abcdef'.repeat(4)

test('engines install providers of another registry through the mirror, also while that one is down', async () => {
  const home = await tempFolder()
  const caFile = join(home, '.local/share/opentaco/tls/ca.crt')
  const secure = { isSecure: true, env: { HOME: home, TACO_ROOT_TOKEN: token } }
  const upstream = await startServer({ ...secure, args: ['--auth', 'none', '--tls', 'auto'] })
  const key = createSigningKey()
  const api = await apiClient(upstream.url, caFile)
  await publishProvider(api, { name: 'demo', version: '0.3.1', key })
  const host = new URL(upstream.url).host
  const mirror = await startServer({
    isSecure: true,
    env: { ...secure.env, NODE_EXTRA_CA_CERTS: caFile },
    args: ['--auth', 'token', '--tls', 'auto', `--provider-mirror=registry.example.com=${host}`],
  })
  const mirrorHost = new URL(mirror.url).host

  async function prepared(
    engine: ReturnType<typeof engines>[number],
    source = 'registry.example.com/default/demo',
  ) {
    const code = await workdir(
      engine,
      `terraform {\n  required_providers {\n    demo = {\n      source = "${source}"\n    }\n  }\n}\n`,
      { SSL_CERT_FILE: caFile },
    )
    await code.write(
      '../cli.tfrc',
      `provider_installation {
  network_mirror {
    url = "${mirror.url}/mirror/providers/"
  }
}
credentials "${mirrorHost}" {
  token = "${token}"
}
`,
    )
    return code
  }

  const [first, ...others] = engines()
  if (first === undefined) throw new Error('there is no engine')
  const code = await prepared(first)
  await code.must(['init'])
  expect(await readFile(join(code.folder, '.terraform.lock.hcl'), 'utf8')).toContain('0.3.1')
  expect((await (await prepared(first, 'other.example.com/a/b')).run(['init'])).code).toBe(1)

  await upstream.stop()
  for (const engine of others) await (await prepared(engine)).must(['init'])
})
