import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../support/cli.ts'
import type { TestWorld } from '../support/cli.ts'
import { openEmbedded } from '../../src/wire/embed.ts'

/** A repository, and a folder as bucket beside it. */
function repository(files: Readonly<Record<string, string>> = {}): TestWorld {
  const world = testWorld({ openEmbedded, now: Date.now })
  onTestFinished(world.dispose)
  world.env['TACO_BUCKET'] = join(world.cwd, 'bucket')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(world.cwd, path)), { recursive: true })
    writeFileSync(join(world.cwd, path), text)
  }
  return world
}

async function taco(world: TestWorld, ...args: readonly string[]) {
  const { cwd, home } = world
  const env = { ...world.env }
  const repositoryTools = () => import('../../src/wire/repository.ts')
  const fresh = testWorld({ openEmbedded, now: Date.now, repository: repositoryTools, cwd, home, env })
  onTestFinished(fresh.dispose)
  const code = await fresh.run(...args)
  return { code, out: fresh.out(), err: fresh.err() }
}

let serial = 0
async function push(world: TestWorld, unit: string, outputs: Readonly<Record<string, unknown>>) {
  const state = { version: 4, serial: ++serial, lineage: unit, outputs, resources: [] }
  writeFileSync(join(world.cwd, 'state.json'), JSON.stringify(state))
  expect(await taco(world, 'state', 'push', unit, 'state.json')).toMatchObject({ code: 0 })
}

const yaml = `units:
  network: { labels: { team: platform } }
  app:
    dir: services/app
    dependencies:
      network: { outputs: [vpc_id], inputs: { vpc: vpc_id } }
`

test('sync removes an edge that taco.yaml no longer has, and asks first', async () => {
  const world = repository({ 'taco.yaml': yaml })
  await taco(world, 'sync', '--yes')
  writeFileSync(join(world.cwd, 'taco.yaml'), 'units: { network: {}, app: {} }\n')

  // There is no one to say yes.
  expect((await taco(world, 'sync')).code).not.toBe(0)
  expect((await taco(world, 'dep', 'ls', 'app')).out).toContain('network')

  const { code, out } = await taco(world, 'sync', '--yes', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out).changes).toEqual([expect.objectContaining({ unit: 'app', on: 'network' })])
  expect((await taco(world, 'dep', 'ls', 'app')).out).not.toContain('network')
})

const code = {
  'network/main.tf': 'terraform {\n  backend "http" {}\n}\noutput "vpc_id" { value = "vpc-1" }\n',
  'app/main.tf': `terraform {
  backend "http" {}
}
data "terraform_remote_state" "network" {
  backend = "http"
  config  = { address = "http://127.0.0.1:8226/v1/backend/default/network" }
}
resource "terraform_data" "x" { input = data.terraform_remote_state.network.outputs.vpc_id }
`,
  'modules/part/main.tf': 'variable "x" {}\n',
}

test('scan proposes units and what they use, and what it writes is what sync takes', async () => {
  const world = repository(code)

  const shown = await taco(world, 'scan')
  expect(shown).toMatchObject({ code: 0 })
  expect(shown.out).toMatch(/app +app +http, completed at init +network:vpc_id/)
  expect(existsSync(join(world.cwd, 'taco.yaml'))).toBe(false)
  expect(JSON.parse((await taco(world, 'scan', '--json')).out).units).toMatchObject([
    { name: 'app', dependencies: [{ on: 'network', outputs: ['vpc_id'] }] },
    { name: 'network', dependencies: [] },
  ])

  const written = await taco(world, 'scan', '--write')
  expect(written).toMatchObject({ code: 0, err: expect.stringContaining('wrote taco.yaml') })
  expect((await taco(world, 'sync', '--yes')).code).toBe(0)
  expect((await taco(world, 'dep', 'ls', 'app')).out).toMatch(/network +vpc_id/)
})

test('scan reports code that cannot be read, and continues with the rest', async () => {
  const world = repository({ ...code, 'broken/main.tf': 'terraform {\n  backend "http" {\n' })

  const { code: exit, out, err } = await taco(world, 'scan')

  expect(exit).toBe(0)
  expect(err).toContain('broken/main.tf:')
  expect(out).toContain('network')
  expect((await taco(world, 'scan', 'nowhere')).code).not.toBe(0)
})

const typed = {
  vpc_id: { value: "vpc-1's", type: 'string' },
  count: { value: 12, type: 'number' },
  password: { value: 'hunter2', type: 'string', sensitive: true },
}
const taking = `units:
  network: {}
  app:
    dir: services/app
    dependencies:
      network:
        outputs: [vpc_id, count, password]
        inputs: { vpc: vpc_id, size: count, secret: password }
`

async function withInputs(): Promise<TestWorld> {
  const world = repository({ 'taco.yaml': taking, 'services/app/main.tf': '' })
  await push(world, 'network', typed)
  expect((await taco(world, 'sync', '--yes')).code).toBe(0)
  return world
}

test('inputs shows which variable takes which output, and secrets only on request', async () => {
  const world = await withInputs()

  const shown = await taco(world, 'inputs', 'app')
  expect(shown.out).toMatch(/size +network\.count +1 +12/)
  expect(shown.out).toMatch(/secret +network\.password +1 +\(sensitive\)/)
  const { out } = await taco(world, 'inputs', 'app', '--json')
  expect(JSON.parse(out).inputs).toMatchObject([
    { variable: 'secret', sensitive: true },
    { variable: 'size', value: 12 },
    { variable: 'vpc', value: "vpc-1's" },
  ])
  expect(shown.out + out).not.toContain('hunter2')
  expect((await taco(world, 'inputs', 'app', '--sensitive')).out).toContain('hunter2')
})

test('inputs are written into the folder of the unit, where only their owner can read them', async () => {
  const world = await withInputs()
  const file = join(world.cwd, 'services/app/taco.auto.tfvars.json')

  // Half of the inputs would make another plan.
  expect(await taco(world, 'inputs', 'app', '--write')).toMatchObject({
    code: 5,
    err: expect.stringContaining('--sensitive'),
  })
  expect(existsSync(file)).toBe(false)
  expect((await taco(world, 'inputs', 'app', '--write', '--sensitive')).code).toBe(0)

  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ vpc: "vpc-1's", size: 12, secret: 'hunter2' })
  expect(statSync(file).mode & 0o077).toBe(0)
})

test('sensitive inputs go into a new private file, whatever a checkout has put there', async () => {
  const world = await withInputs()
  const file = join(world.cwd, 'services/app/taco.auto.tfvars.json')
  const elsewhere = join(world.cwd, 'readable-by-all')
  writeFileSync(elsewhere, 'theirs', { mode: 0o644 })
  symlinkSync(elsewhere, file)

  expect((await taco(world, 'inputs', 'app', '--write', '--sensitive')).code).toBe(0)

  expect(readFileSync(elsewhere, 'utf8')).toBe('theirs')
  expect(lstatSync(file).isSymbolicLink()).toBe(false)
  expect(lstatSync(file).mode & 0o777).toBe(0o600)
})

test('exported inputs survive the shell, and both targets at once are refused', async () => {
  const world = await withInputs()

  const { out } = await taco(world, 'inputs', 'app', '--export', '--sensitive')

  expect(out).toContain(`export TF_VAR_vpc='vpc-1'\\''s'`)
  expect(out).toContain(`export TF_VAR_size='12'`)
  expect(await taco(world, 'inputs', 'app', '--export', '--write')).toMatchObject({ code: 2 })
})

test('inputs of a unit that takes none, or does not exist, says so', async () => {
  const world = await withInputs()

  expect((await taco(world, 'inputs', 'network')).err).toContain('network has no inputs')
  expect(await taco(world, 'inputs', 'apps')).toMatchObject({
    code: 3,
    err: expect.stringContaining('Did you mean app?'),
  })
  await push(world, 'network', { vpc_id: typed.vpc_id })
  expect(await taco(world, 'inputs', 'app')).toMatchObject({
    code: 3,
    err: expect.stringContaining('The inputs of app are not available'),
  })
})

test('taking inputs is a read: the unit turns stale when they change after its next write', async () => {
  const world = await withInputs()
  await taco(world, 'inputs', 'app', '--sensitive', '--export')
  await push(world, 'app', {})
  expect((await taco(world, 'status', 'app')).out).toContain('up to date')

  await push(world, 'network', { ...typed, count: { value: 13, type: 'number' } })

  expect((await taco(world, 'status', 'app')).out).toMatch(/stale[^]*count/)
})
