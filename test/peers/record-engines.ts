/** Records the messages of this machine's engines when they fail: `npx tsx test/peers/record-engines.ts`. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { engines } from '../rig/engines.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './program.ts'

type Files = Readonly<Record<string, string>>

interface Failure {
  readonly files: Files
  /** What was done before, in order; files may change after a step. */
  readonly before?: readonly { readonly args: readonly string[]; readonly after?: Files }[]
  readonly args: readonly string[]
}

const holder = {
  ID: '5b5c8f2e-6f0a-4a57-9d5f-0d2f4f0e1a11',
  Operation: 'OperationTypeApply',
  Info: '',
  Who: 'alice@laptop',
  Version: '1.11.4',
  Created: '2026-01-02T03:04:05Z',
  Path: '',
}
/** The same for everyone who records, on any machine. */
const WHO = /(Who: +)\S+@\S+/

const port = await freePort()
const address = `http://127.0.0.1:${port}`
const http = `terraform {
  backend "http" {
    address        = "${address}"
    lock_address   = "${address}"
    unlock_address = "${address}"
  }
}
`
const resource = 'resource "terraform_data" "one" {}\n'
const provider = 'resource "null_resource" "one" {}\n'
const apply = ['apply', '-auto-approve', '-input=false']
const init = { args: ['init', '-input=false'] }
const variable = 'variable "size" {\n  type = number\n}\noutput "size" {\n  value = var.size\n}\n'

const failures: Readonly<Record<string, Failure>> = {
  'init-backend': { files: { 'main.tf': http + resource }, args: ['plan', '-input=false'] },
  'init-backend-changed': {
    files: { 'main.tf': http + resource },
    before: [{ ...init, after: { 'main.tf': http.replaceAll(address, `${address}/other`) + resource } }],
    args: apply,
  },
  'init-module': {
    files: { 'main.tf': resource },
    before: [{ ...init, after: { 'main.tf': 'module "m" {\n  source = "./m"\n}\n', 'm/main.tf': resource } }],
    args: apply,
  },
  'init-provider': {
    files: { 'main.tf': resource },
    before: [{ ...init, after: { 'main.tf': provider } }],
    args: apply,
  },
  'init-plugins': {
    files: {
      'main.tf': provider,
      '.terraform.lock.hcl': ['registry.opentofu.org', 'registry.terraform.io']
        .map((host) => `provider "${host}/hashicorp/null" {\n  version = "3.2.2"\n}\n`)
        .join(''),
    },
    args: apply,
  },
  'other-locked': { files: { 'main.tf': http + resource }, before: [init], args: apply },
  'other-apply': {
    files: {
      'main.tf': `resource "terraform_data" "one" {
  provisioner "local-exec" {
    command = "echo run the wrong thing; exit 3"
  }
}
`,
    },
    before: [init],
    args: apply,
  },
  'other-apply-says-init': {
    files: {
      'main.tf': `resource "terraform_data" "one" {
  provisioner "local-exec" {
    command = "echo 'Error: Module not installed. Run \\"terraform init\\"'; exit 1"
  }
}
`,
    },
    before: [init],
    args: apply,
  },
  'other-invalid': {
    files: { 'main.tf': 'resource "terraform_data" "one" {\n  input = var.nothing\n}\n' },
    before: [init],
    args: apply,
  },
  'other-syntax': {
    files: { 'main.tf': resource },
    before: [{ ...init, after: { 'main.tf': 'resource "terraform_data" {\n  input = \n' } }],
    args: apply,
  },
  'other-no-value': { files: { 'main.tf': variable }, before: [init], args: apply },
  'other-stale-plan': {
    files: { 'main.tf': resource },
    before: [init, { args: ['plan', '-out=saved'] }, { args: apply }],
    args: ['apply', '-input=false', 'saved'],
  },
  'saved-plan-variables': {
    files: { 'main.tf': variable },
    before: [
      init,
      { args: ['plan', '-var=size=1', '-out=saved'], after: { 'terraform.tfvars': 'size = 2\n' } },
    ],
    args: ['apply', '-input=false', 'saved'],
  },
}

const server = createServer((request, answer) => {
  request.resume()
  if (request.method === 'LOCK') answer.writeHead(423).end(JSON.stringify(holder))
  else answer.writeHead(404).end()
})
await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
const recorded = fileURLToPath(new URL('../../src/engines/recorded', import.meta.url))
for (const engine of engines()) {
  const env = { TF_CLI_CONFIG_FILE: '/dev/null', CHECKPOINT_DISABLE: '1' }
  const version = JSON.parse(execFileSync(engine.path, ['version', '-json'], { env }).toString()) as {
    terraform_version: string
  }
  // A program that was built here calls itself a development version.
  const name = `${path.basename(engine.path)}-${version.terraform_version.replace('-dev', '')}`
  await mkdir(path.join(recorded, name), { recursive: true })
  for (const [what, failure] of Object.entries(failures)) {
    const said = await fail(engine.path, failure)
    if (said !== undefined) await writeFile(path.join(recorded, name, `${what}.txt`), said)
    process.stdout.write(`${name} ${what}: ${said === undefined ? 'does not fail' : 'recorded'}\n`)
  }
}
server.close()

/** Both outputs, with colours; undefined if it did not fail. */
async function fail(program: string, { files, before = [], args }: Failure): Promise<string | undefined> {
  const folder = await temporaryFolder('record')
  const code = path.join(folder.path, 'code')
  try {
    await write(folder.path, { 'cli.tfrc': '' })
    await write(code, files)
    for (const step of before) {
      await run(program, step.args, folder.path)
      await write(code, step.after ?? {})
    }
    const { isFailed, said } = await run(program, args, folder.path)
    return isFailed
      ? said.replaceAll(address, 'http://127.0.0.1:8226').replace(WHO, `$1${holder.Who}`)
      : undefined
  } finally {
    await rm(folder.path, { recursive: true })
  }
}

async function write(folder: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
}

function run(
  program: string,
  args: readonly string[],
  home: string,
): Promise<{ readonly isFailed: boolean; readonly said: string }> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TF_CLI_CONFIG_FILE: path.join(home, 'cli.tfrc'),
    CHECKPOINT_DISABLE: '1',
    TF_IN_AUTOMATION: '1',
  }
  return new Promise((resolve) => {
    execFile(program, args, { cwd: path.join(home, 'code'), env }, (error, stdout, stderr) =>
      resolve({ isFailed: error !== null, said: stdout + stderr }),
    )
  })
}
