import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { engines } from '../../rig/engines.ts'
import { startServer } from '../../rig/server.ts'
import { runTaco } from '../../rig/taco.ts'
import { tempFolder } from '../../rig/temp.ts'
import { workdir } from '../../rig/workdir.ts'
import { zipOf } from '../../support/archives.ts'
import { createSigningKey } from '../../support/open-pgp.ts'

async function must(args: readonly string[], cwd: string) {
  const finished = await runTaco(args, { cwd, env: { HOME: cwd } })
  expect(finished.code, finished.output).toBe(0)
  return finished.stdout
}

async function moduleFolder(): Promise<string> {
  const folder = await tempFolder()
  await mkdir(join(folder, '.terraform/providers'), { recursive: true })
  await mkdir(join(folder, 'examples'))
  await writeFile(join(folder, 'main.tf'), 'output "answer" {\n  value = "published"\n}\n')
  await writeFile(join(folder, 'terraform.tfstate'), '{"secret":true}')
  await writeFile(join(folder, '.terraform/providers/large'), 'x')
  await writeFile(join(folder, 'examples/main.tf'), 'this is no HCL {')
  await writeFile(join(folder, '.terraformignore'), 'examples/\n')
  return folder
}

async function providerFolder(version: string, key: ReturnType<typeof createSigningKey>): Promise<string> {
  const folder = await tempFolder()
  const prefix = `terraform-provider-demo_${version}`
  const names = ['linux_amd64', 'darwin_arm64'].map((platform) => `${prefix}_${platform}.zip`)
  const lines: string[] = []
  for (const name of names) {
    const zip = zipOf(`terraform-provider-demo_v${version}`, name)
    await writeFile(join(folder, name), zip)
    lines.push(`${createHash('sha256').update(zip).digest('hex')}  ${name}\n`)
  }
  await writeFile(join(folder, `${prefix}_SHA256SUMS`), lines.join(''))
  await writeFile(join(folder, `${prefix}_SHA256SUMS.sig`), key.sign(Buffer.from(lines.join(''))))
  await writeFile(join(folder, 'key.asc'), key.asciiArmor)
  return folder
}

test('what taco publishes, engines install over plain HTTP', async () => {
  const server = await startServer({ args: ['--auth', 'none'] })
  const at = ['--server', server.url]
  const folder = await moduleFolder()
  const publishing = ['registry', 'module', 'publish', 'answers/null', '1.0.0', ...at]
  const first = await must(publishing, folder)
  expect(first).toContain('published answers/null 1.0.0: 2 files')
  expect(await must(publishing, folder)).toBe(first)
  await writeFile(join(folder, 'more.tf'), '')
  const changed = await runTaco(publishing, { cwd: folder, env: { HOME: folder } })
  expect([changed.code, changed.output]).toEqual([4, expect.stringContaining('another archive')])

  const one = ['answers/null', '1.0.0', ...at]
  expect(await must(['registry', 'module', 'show', ...one], folder)).toMatch(/OUTPUT +DESCRIPTION\s+answer/)
  const reason = ['--reason', 'Use 2.0.0.', '--link', 'https://example.com/why']
  await must(['registry', 'module', 'deprecate', ...one, ...reason], folder)
  expect(await must(['registry', 'module', 'show', 'answers/null', ...at], folder)).toContain('Use 2.0.0.')
  expect(await must(['registry', 'module', 'show', ...one], folder)).toContain(
    'deprecated: Use 2.0.0. https://example.com/why',
  )
  await must(['registry', 'module', 'undeprecate', ...one], folder)
  expect(await must(['registry', 'module', 'show', ...one], folder)).not.toContain('deprecated')

  const key = createSigningKey()
  const built = await providerFolder('0.1.0', key)
  const provider = ['registry', 'provider', 'publish', 'demo', '0.1.0', built, ...at]
  expect((await runTaco(provider, { cwd: folder, env: { HOME: folder } })).output).toContain('no signing key')
  expect(await must([...provider, '--key', join(built, 'key.asc')], folder)).toContain('for 2 platforms')
  expect(await must(provider, folder)).toContain(`signed with ${key.keyId}`)

  const [host] = server.url.split('//').slice(1)
  for (const engine of engines()) {
    const code = await workdir(
      engine,
      `terraform {
  required_providers {
    demo = {
      source = "${host}/default/demo"
    }
  }
}
module "answers" {
  source  = "${host}/default/answers/null"
  version = "1.0.0"
}
`,
    )
    const services = ['modules', 'providers'].map(
      (name) => `    "${name}.v1" = "${server.url}/api/registry/v1/${name}/"\n`,
    )
    await code.write('../cli.tfrc', `host "${host}" {\n  services = {\n${services.join('')}  }\n}\n`)
    expect((await code.must(['init', '-no-color'])).output).toContain(`signed, key ID ${key.keyId}`)
  }

  expect(await must(['registry', 'module', 'ls', ...at], folder)).toMatch(/answers\/null +1\.0\.0 +1 /)
  expect(await must(['registry', 'module', 'show', 'answers/null', ...at], folder)).toContain('1.0.0')
  expect(await must(['registry', 'provider', 'ls', ...at], folder)).toMatch(/demo +0\.1\.0 +1/)
  expect(await must(['registry', 'provider', 'show', 'demo', ...at], folder)).toContain(
    'darwin_arm64, linux_amd64',
  )
  expect(await must(['registry', 'key', 'ls', ...at], folder)).toContain(key.keyId)
  const removals = [
    ['module', 'rm', 'answers/null', '1.0.0'],
    ['module', 'rm', 'answers/null'],
    ['provider', 'rm', 'demo', '0.1.0'],
    ['provider', 'rm', 'demo'],
    ['key', 'rm', key.keyId],
  ]
  for (const args of removals) await must(['registry', ...args, '--yes', ...at], folder)
  expect(await must(['registry', 'module', 'ls', '--json', ...at], folder)).toContain('"items":[]')
})
