import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { startServer } from '../../rig/server.ts'
import { runTaco } from '../../rig/taco.ts'
import { tempFolder } from '../../rig/temp.ts'

const files: Readonly<Record<string, string>> = {
  'network/main.tf': `terraform {
  backend "s3" {
    bucket = "states"
    key    = "prod/network/terraform.tfstate"
  }
}
output "vpc_id" {
  value = "vpc-1"
}
`,
  'app/main.tf': `data "terraform_remote_state" "network" {
  backend = "s3"
  config = {
    bucket = "states"
    key    = "prod/network/terraform.tfstate"
  }
}
resource "terraform_data" "app" {
  input = data.terraform_remote_state.network.outputs.vpc_id
}
`,
  'app/.terraform/modules/copy/main.tf': 'resource "terraform_data" "copy" {}\n',
  'broken/main.tf': 'resource "terraform_data" {\n  input = \n}\n',
}

async function repository(): Promise<string> {
  const folder = await tempFolder()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

test('from code to units: scan proposes, writes taco.yaml, and sync makes it so once', async () => {
  const { url } = await startServer()
  const folder = await repository()
  const taco = (...args: string[]) => runTaco([...args, '--server', url], { cwd: folder })

  const scanned = await taco('scan', '.', '--write')
  const again = await taco('scan', '.', '--write')
  const json = await taco('scan', '.', '--json')
  const unasked = await taco('sync')
  const dry = await taco('sync', '--dry-run')
  const synced = await taco('sync', '--yes')
  const second = await taco('sync', '--yes')
  const shown = await taco('unit', 'show', 'app', '--json')

  expect(scanned, scanned.output).toMatchObject({ code: 0 })
  expect(scanned.stdout).toMatch(/^app +app +local +prod\/network:vpc_id$/m)
  expect(scanned.stderr).toContain('broken/main.tf:2:11: Invalid expression')
  expect(again).toMatchObject({ code: 2 })
  expect(JSON.parse(json.stdout)).toMatchObject({ units: [{ name: 'app' }, { name: 'prod/network' }] })
  expect(await readFile(join(folder, 'taco.yaml'), 'utf8')).toContain('prod/network')
  expect(unasked).toMatchObject({ code: 2 })
  expect(dry.stdout).toContain('+ app uses prod/network: vpc_id')
  expect(synced).toMatchObject({ code: 0, stdout: dry.stdout })
  expect(second).toMatchObject({ code: 0, stdout: '' })
  expect(JSON.parse(shown.stdout)).toMatchObject({
    dependencies: [{ name: 'prod/network', outputs: ['vpc_id'], source: 'code' }],
  })
})

test('a wrong taco.yaml is told line by line, and changes nothing', async () => {
  const { url } = await startServer()
  const folder = await tempFolder()
  await writeFile(join(folder, 'taco.yaml'), 'units:\n  a:\n    dependncies: [b]\n  b:\n    dir: /etc\n')

  const refused = await runTaco(['sync', '--yes', '--server', url], { cwd: folder })

  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toContain(
    'taco.yaml:3:5: The key "dependncies" is unknown. Did you mean dependencies?',
  )
  expect(refused.stderr).toContain('taco.yaml:5:10: The folder "/etc" is outside the project.')
})
