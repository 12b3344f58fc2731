import { expect, test } from 'vitest'
import { TacoError } from '../base/errors.ts'
import { MOST_HCL_BYTES } from './hcl/hcl.ts'
import { readProject } from '../project/read.ts'
import { projectText } from './write.ts'
import { scan } from './scan.ts'
import { scanned } from '../../test/support/graph.ts'

const resource = 'resource "terraform_data" "x" {}\n'
const backend = (kind: string, inside: string) => `terraform {\n  backend "${kind}" {\n${inside}\n  }\n}\n`
const remote = (name: string, kind: string, config: string) =>
  `data "terraform_remote_state" "${name}" {\n  backend = "${kind}"\n  config = {\n${config}\n  }\n}\n`

test('root modules are distinguished from modules that others call', async () => {
  const { units } = await scanned({
    'network/main.tf': `module "vpc" {\n  source = "../modules/vpc"\n}\n`,
    'modules/vpc/main.tf': resource,
    'modules/with-state/main.tf': backend('local', '') + resource,
    'docs/empty.tf': '# nothing',
    'main.tf.json': '{"resource": {"terraform_data": {"x": {}}}}',
  })

  expect(units.map(({ name, dir }) => [name, dir])).toEqual([
    ['estate', '.'],
    ['modules/with-state', 'modules/with-state'],
    ['network', 'network'],
  ])
})

test.each([
  [
    'http',
    'address = "https://taco.example/v1/backend/default/prod/network"',
    'address = "https://taco.example/v1/backend/default/prod/network?consumer=app"',
    'prod/network',
  ],
  [
    's3',
    'bucket = "b"\nkey = "prod/network/terraform.tfstate"',
    'bucket = "b"\nkey = "prod/${local.net}/terraform.tfstate"',
    'prod/network',
  ],
  ['gcs', 'bucket = "b"\nprefix = "prod/network"', 'bucket = "b"\nprefix = var.prefix', 'prod/network'],
  [
    'azurerm',
    'storage_account_name = "a"\ncontainer_name = "c"\nkey = "network.tfstate"',
    'storage_account_name = "a"\ncontainer_name = "c"\nkey = "network.tfstate"',
    'network',
  ],
  ['local', '', 'path = "${path.module}/../net/terraform.tfstate"', 'net'],
  [
    'remote',
    'organization = "acme"\nworkspaces {\nname = "prod--network"\n}',
    'organization = "acme"\nworkspaces = { name = "prod--network" }',
    'prod/network',
  ],
])('a remote state in %s leads to the unit that keeps it', async (kind, settings, config, name) => {
  const { units, unresolved } = await scanned({
    'net/main.tf': backend(kind, settings) + resource,
    'app/main.tf':
      remote('net', kind, config) +
      'locals {\n net = "network"\n a = data.terraform_remote_state.net.outputs.vpc_id\n' +
      ' b = "x-${data.terraform_remote_state.net.outputs["zone"]}"\n}\n' +
      'variable "prefix" {\n default = "prod/network"\n}\n',
  })

  expect(unresolved).toEqual([])
  expect(units.find(({ dir }) => dir === 'net')?.name).toBe(name)
  expect(units.find(({ dir }) => dir === 'app')?.dependencies).toEqual([
    { on: name, outputs: ['vpc_id', 'zone'], inputs: {}, via: ['data.terraform_remote_state.net'] },
  ])
})

test('tfe_outputs and the cloud block meet in the workspace', async () => {
  const { units } = await scanned({
    'net/main.tf':
      'terraform {\n  cloud {\n    organization = "acme"\n    workspaces {\n      name = "net"\n    }\n  }\n}\n',
    'app/main.tf': `data "tfe_outputs" "n" {\n  organization = "acme"\n  workspace = "net"\n}\noutput "x" {\n  value = data.tfe_outputs.n.values.vpc\n}\n`,
  })

  expect(units.find(({ dir }) => dir === 'app')?.dependencies).toMatchObject([
    { on: 'net', outputs: ['vpc'] },
  ])
})

test('terragrunt declares what is used, and which input takes it', async () => {
  const { units, unresolved } = await scanned({
    'root.hcl': 'remote_state {\n  backend = "s3"\n}\n',
    'live/vpc/terragrunt.hcl': 'terraform {\n  source = "../../modules//vpc"\n}\n',
    'live/dns/terragrunt.hcl': 'include "root" {\n  path = find_in_parent_folders("root.hcl")\n}\n',
    'live/app/terragrunt.hcl': `dependency "vpc" {
  config_path = "../vpc"
}
dependency "odd" {
  config_path = local.somewhere
}
dependencies {
  paths = ["../dns"]
}
inputs = {
  network_id = dependency.vpc.outputs.vpc_id
  name       = "app-\${dependency.vpc.outputs.zone}"
}
`,
    'modules/vpc/main.tf': resource,
  })

  expect(units.map(({ name }) => name)).toEqual(['live/app', 'live/dns', 'live/vpc'])
  expect(units[0]?.dependencies).toEqual([
    {
      on: 'live/vpc',
      outputs: ['vpc_id', 'zone'],
      inputs: { network_id: 'vpc_id' },
      via: ['dependency.vpc'],
    },
    { on: 'live/dns', outputs: [], inputs: {}, via: ['dependencies'] },
  ])
  expect(unresolved).toMatchObject([{ dir: 'live/app', uses: 'dependency.odd' }])
})

test.each([
  ['inputs = dependency.db.outputs'],
  ['inputs = merge(dependency.db.outputs, { a = dependency.db.outputs.b })'],
  ['inputs = {\n  a = dependency.db.outputs.b\n  all = values(dependency.db.outputs)\n}'],
  ['inputs = {\n  a = dependency.db.outputs[local.name]\n}'],
  ['inputs = {\n  a = [for one in [dependency.db] : one.outputs.b]\n}'],
  ['inputs = {\n  a = "%{ if length(dependency.db.outputs) > 0 }x%{ endif }"\n}'],
])('terragrunt that takes the outputs as a whole uses all of them: %s', async (inputs) => {
  const { units } = await scanned({
    'db/terragrunt.hcl': 'terraform {\n  source = "x"\n}\n',
    'app/terragrunt.hcl': `dependency "db" {\n  config_path = "../db"\n}\n${inputs}\n`,
  })

  expect(units[0]?.dependencies).toMatchObject([{ on: 'db', outputs: null }])
})

test('a broken file is reported with its position, and the others are still read', async () => {
  const { units, faults } = await scanned({
    'a/main.tf': resource,
    'b/main.tf': 'resource "x" "y" {\n  z = \n}\n',
    'c/main.tf.json': '{',
    'd/main.tf': `# ${'x'.repeat(MOST_HCL_BYTES)}`,
  })

  expect(units.map(({ name }) => name)).toEqual(['a'])
  expect(faults).toMatchObject([
    {
      file: 'b/main.tf',
      line: 2,
      column: 7,
      message: expect.stringContaining('Invalid expression') as string,
    },
    { file: 'c/main.tf.json' },
    { file: 'd/main.tf', message: expect.stringContaining('not read') as string },
  ])
})

test('without its parser scan fails once, not once for each file', async () => {
  const broken = { read: () => Promise.reject(new TacoError('UNEXPECTED', 'no parser')) }
  const file = { path: 'a/main.tf', size: 1, read: () => Promise.resolve('') }

  await expect(scan([file], { hcl: broken, within: '.', rootName: 'estate' })).rejects.toThrow('no parser')
})

test('a state that is not kept here is reported; a unit of ours is used all the same', async () => {
  const { units, unresolved } = await scanned({
    'app/main.tf':
      remote('far', 's3', 'bucket = "b"\nkey = "far.tfstate"') +
      remote('ours', 'http', 'address = "http://h/v1/backend/default/prod/net"') +
      'output "x" {\n  value = data.terraform_remote_state.ours.outputs\n}\n',
  })

  expect(units[0]?.dependencies).toMatchObject([{ on: 'prod/net', outputs: null }])
  expect(unresolved).toMatchObject([
    {
      uses: 'data.terraform_remote_state.far',
      reason: expect.stringContaining('s3://b/far.tfstate') as string,
    },
  ])
})

test.each([
  ['of the unit', 'http://h/v1/backend/default/app', 'http://h/v1/backend/default/network'],
  ['of the one with the name', '', 'http://h/v1/backend/default/network'],
])(
  'a unit of another organization than that %s is not taken for one of the same name',
  async (_, own, net) => {
    const at = (address: string) =>
      `terraform {\n  backend "http" {${address && `\n    address = "${address}"\n  `}}\n}\n${resource}`
    const { units, unresolved } = await scanned({
      'app/main.tf': at(own) + remote('net', 'http', 'address = "http://h/v1/backend/acme/network"'),
      'net/main.tf': at(net),
    })

    expect(units).toMatchObject([{ name: 'app', dependencies: [] }, { name: 'network' }])
    expect(unresolved).toMatchObject([{ dir: 'app', reason: expect.stringContaining('acme') as string }])
  },
)

test('what is written as taco.yaml reads back as what was found', async () => {
  const report = await scanned({
    'vpc/terragrunt.hcl': 'terraform {\n  source = "x"\n}\n',
    'net/main.tf': backend('s3', 'bucket = "b"\nkey = "prod/net/terraform.tfstate"'),
    'app/terragrunt.hcl': `dependency "vpc" {\n  config_path = "../vpc"\n}\ninputs = {\n  id = dependency.vpc.outputs.vpc_id\n  n = "\${dependency.vpc.outputs.zone}!"\n}\n`,
    'web/main.tf': remote('n', 's3', 'bucket = "b"\nkey = "prod/net/terraform.tfstate"'),
  })

  const project = readProject(projectText(report), 'taco.yaml')

  expect(project.units.map(({ name, dir, dependencies }) => ({ name, dir, dependencies }))).toEqual(
    report.units.map(({ name, dir, dependencies }) => ({
      name,
      dir,
      dependencies: dependencies.map(({ on, outputs, inputs }) => ({
        on,
        outputs: outputs === null ? null : (expect.arrayContaining([...outputs]) as unknown),
        inputs,
      })),
    })),
  )
})

test('units that use each other in a cycle are reported', async () => {
  const uses = (other: string) =>
    `dependency "x" {\n  config_path = "../${other}"\n}\nterraform {\n  source = "x"\n}\n`

  const { cycle } = await scanned({ 'a/terragrunt.hcl': uses('b'), 'b/terragrunt.hcl': uses('a') })

  expect(cycle).toEqual(['a', 'b', 'a'])
})
