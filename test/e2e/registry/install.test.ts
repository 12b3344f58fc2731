import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../rig/engines.ts'
import { apiClient, publishModule, publishProvider } from '../../rig/registry-client.ts'
import { startServer } from '../../rig/server.ts'
import { tempFolder } from '../../rig/temp.ts'
import { workdir } from '../../rig/workdir.ts'
import { archiveOf } from '../../support/archives.ts'
import { createSigningKey } from '../../support/open-pgp.ts'

const key = createSigningKey()
const token = '0123456789abcdef'.repeat(4)

async function startRegistry() {
  const home = await tempFolder()
  const server = await startServer({
    args: ['--auth', 'token', '--tls', 'auto'],
    env: { HOME: home, TACO_ROOT_TOKEN: token },
    isSecure: true,
  })
  const caFile = join(home, '.local/share/opentaco/tls/ca.crt')
  const host = new URL(server.url).host
  return { host, caFile, api: await apiClient(server.url, caFile, token) }
}

const moduleArchive = (answer: string) =>
  archiveOf([
    { path: 'main.tf', content: `output "answer" {\n  value = "${answer}"\n}\n` },
    { path: 'README.md', content: '# Answers' },
  ])

const providerBlock = (host: string, name: string) => `terraform {
  required_providers {
    ${name} = {
      source  = "${host}/default/${name}"
      version = ">= 0.3.0"
    }
  }
}
`

describe.each(engines())('$name', (engine) => {
  test('installs modules by version, and providers that are signed', async () => {
    const { host, caFile, api } = await startRegistry()
    for (const version of ['1.0.0', '1.2.0', '2.0.0'])
      await publishModule(api, { name: 'answers', version, archive: moduleArchive(version) })
    await publishProvider(api, { name: 'demo', version: '0.3.1', key })
    const code = await workdir(
      engine,
      `module "answers" {
  source  = "${host}/default/answers/null"
  version = "~> 1.1"
}
output "answer" {
  value = module.answers.answer
}
`,
      { SSL_CERT_FILE: caFile },
    )
    await code.write('../cli.tfrc', `credentials "${host}" {\n  token = "${token}"\n}\n`)

    await code.must(['init'])
    await code.must(['apply', '-auto-approve'])
    expect((await code.must(['output', '-raw', 'answer'])).stdout).toBe('1.2.0')

    await code.write('more.tf', providerBlock(host, 'demo'))
    const { output } = await code.must(['init', '-no-color'])
    expect(output).toContain(`signed, key ID ${key.keyId}`)
    const lock = await readFile(join(code.folder, '.terraform.lock.hcl'), 'utf8')
    expect(lock).toContain(`provider "${host}/default/demo"`)
    expect(lock).toContain('version     = "0.3.1"')

    await publishProvider(api, { name: 'forged', version: '1.0.0', key }, (sums) =>
      Buffer.concat([sums, Buffer.from(' ')]),
    )
    await code.write('more.tf', providerBlock(host, 'forged'))
    expect((await code.run(['init', '-no-color'])).output).toMatch(/signature|signed/i)
    await code.write('more.tf', providerBlock(host, 'demo'))

    await code.write('../cli.tfrc', `credentials "${host}" {\n  token = "wrong"\n}\n`)
    const refused = await code.run(['init', '-upgrade', '-no-color'])
    expect([refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(/401|unauthorized|credentials/i),
    ])
  })
})
