import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bind } from '../../src/access/organization/transitions.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Engine } from './engines.ts'
import { startSsoFace } from './sso-face.ts'
import { runTaco, startTaco } from './taco.ts'
import { tempFolder } from './temp.ts'

const DAY = 86_400_000

/**
 * By unit: its code. `prod/app` and `prod/web` use `prod/network`; `dev/tool` is alone. While there is a file
 * `prod/armed`, an apply of `prod/app` waits for `prod/go`.
 */
const CODE: Readonly<Record<string, string>> = {
  'prod/network': `
resource "terraform_data" "vpc" { input = "vpc-1" }
resource "terraform_data" "subnet" {
  count = 2
  input = "subnet-\${count.index}"
}
output "vpc_id" { value = terraform_data.vpc.output }
output "cidr" { value = "10.0.0.0/8" }
output "secret" {
  value     = "hunter2"
  sensitive = true
}
`,
  'prod/app': `
variable "vpc_id" { type = string }
resource "terraform_data" "app" {
  input            = var.vpc_id
  triggers_replace = var.vpc_id
  provisioner "local-exec" {
    command = "if [ -e ../armed ]; then touch ../started; until [ -e ../go ] || [ ! -e ../armed ]; do sleep 0.05; done; fi"
  }
}
output "url" { value = "http://app/\${terraform_data.app.output}" }
`,
  'prod/web': `
variable "cidr" { type = string }
resource "terraform_data" "web" { input = var.cidr }
`,
  'dev/tool': 'resource "terraform_data" "tool" { input = "hammer" }\n',
}

const PROJECT = `
units:
  prod/network: { dir: prod/network, labels: { tier: base } }
  prod/app:
    labels: { tier: front }
    dependencies:
      prod/network: { outputs: [vpc_id], inputs: { vpc_id: vpc_id } }
  prod/web:
    labels: { tier: front }
    dependencies:
      prod/network: { outputs: [cidr], inputs: { cidr: cidr } }
  dev/tool: { dir: dev/tool }
`

/**
 * An estate that a real engine applied ten days ago: alice owns it. Two days ago she changed `vpc_id` of
 * `prod/network`, so `prod/app` is stale, and nothing else is. The server is in this process, so that it has a past.
 */
export async function startEngineEstate(engine: Engine) {
  let ahead = -10 * DAY
  const face = await startSsoFace({ clock: { ...systemClock, now: () => Date.now() + ahead } })
  const url = `http://127.0.0.1:${face.port}`
  const alice = await face.person('alice')
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${alice.id}` }))
  const root = await tempFolder()
  const env = {
    TACO_SERVER: url,
    TACO_TOKEN: (alice.token['authorization'] ?? '').replace('Bearer ', ''),
    TF_CLI_CONFIG_FILE: join(root, 'cli.tfrc'),
    CHECKPOINT_DISABLE: '1',
  }
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  async function taco(...args: readonly string[]): Promise<string> {
    const { code, output, stdout } = await runTaco(args, { cwd: root, env })
    if (code !== 0) throw new Error(`taco ${args.join(' ')} ended with ${code}:\n${output}`)
    return stdout.trim()
  }
  async function apply(unit: string, from: string, to: string): Promise<void> {
    const main = join(root, unit, 'main.tf')
    await writeFile(main, (await readFile(main, 'utf8')).replace(from, to))
    await taco('exec', unit, '--', 'sh', '-c', `cd ${unit} && "${engine.path}" apply -auto-approve`)
  }

  await write('cli.tfrc', '')
  await write('taco.yaml', `engine: ${JSON.stringify(engine.path)}\n${PROJECT}`)
  for (const [unit, code] of Object.entries(CODE))
    await write(`${unit}/main.tf`, `terraform {\n  backend "http" {}\n}\n${code}`)
  await taco('sync', '--yes')
  const first = await taco('rollout', 'start', '-q', '--from', 'prod/network,dev/tool')
  await taco('rollout', 'work', first, '-j', '2')
  ahead = -2 * DAY
  await apply('prod/network', 'vpc-1', 'vpc-2')
  ahead = 0

  return {
    face,
    url,
    /** Where the code is. */
    root,
    env,
    taco,
    /** A command that runs beside the test. */
    start: (...args: readonly string[]) => startTaco(args, { cwd: root, env }),
    /** A file among the code. */
    write,
    /** The rollout of ten days ago. */
    first,
  }
}

export type EngineEstate = Awaited<ReturnType<typeof startEngineEstate>>
