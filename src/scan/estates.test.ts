import { expect, test } from 'vitest'
import { readProject } from '../project/read.ts'
import { projectText } from './write.ts'
import { edgesOf, namesOf, scanned } from '../../test/support/graph.ts'

/** Repositories as people have them. */

const resource = 'resource "terraform_data" "x" {}\n'
const s3 = (key: string, more = 'bucket = "b"') =>
  `terraform {\n  backend "s3" {\n    key = "${key}"\n    ${more}\n  }\n}\n`
const takes = (name: string, settings: string, output = 'id') =>
  `data "terraform_remote_state" "${name}" {\n  backend = "s3"\n  ${settings}\n}\nlocals {\n  got_${name} = data.terraform_remote_state.${name}.outputs.${output}\n}\n`

test('a state whose bucket is not in the code is still named, and found by its key', async () => {
  const report = await scanned({
    'net/main.tf': s3('prod/net.tfstate', '') + resource,
    'app/main.tf': takes('net', 'config = {\n    bucket = var.bucket\n    key = "prod/net.tfstate"\n  }'),
    'web/main.tf': takes('net', 'config = {\n    bucket = "b"\n    key = "prod/net.tfstate"\n  }'),
  })

  expect(edgesOf(report)).toEqual(['app -> prod/net:id', 'web -> prod/net:id'])
})

test('modules that terragrunt runs are no units, and what they use is used by those that run them', async () => {
  const report = await scanned({
    'modules/app/main.tf': `terraform {\n  backend "s3" {}\n}\nvariable "env" {}\n${takes('net', 'config = {\n    bucket = "b"\n    key = "${var.env}/net.tfstate"\n  }')}`,
    'net/main.tf': s3('prod/net.tfstate') + resource,
    'live/app/terragrunt.hcl':
      'terraform {\n  source = "${get_repo_root()}//modules/app"\n}\ninputs = {\n  env = "prod"\n}\n',
  })

  expect(namesOf(report)).toEqual(['live/app in live/app', 'prod/net in net'])
  expect(edgesOf(report)).toEqual(['live/app -> prod/net:id'])
})

test('what a module uses is used by the root module that calls it, with the values it gives', async () => {
  const report = await scanned({
    'modules/app/main.tf': `variable "key" {}\n${takes('net', 'config = {\n    bucket = "b"\n    key = var.key\n  }')}`,
    'modules/wrap/main.tf':
      'variable "env" {}\nmodule "app" {\n  source = "../app"\n  key = "${var.env}/net"\n}\n',
    'net/main.tf': s3('prod/net') + resource,
    'stage/main.tf': s3('stage/net') + resource,
    'app/main.tf':
      'module "one" {\n  source = "../modules/wrap"\n  env = local.env\n}\nlocals {\n  env = "prod"\n}\n',
    'loop/main.tf': `${resource}module "self" {\n  source = "../loop"\n}\n`,
  })

  expect(edgesOf(report)).toEqual(['app -> prod/net:id'])
  expect(report.units[0]?.dependencies[0]?.via).toEqual([
    'module.one.module.app.data.terraform_remote_state.net',
  ])
})

test.each([
  ['settings in a local', 'config = local.config'],
  ['settings that are merged', 'config = merge(local.config, { key = "${local.env}/net" })'],
  [
    'a local in a local',
    'config = {\n    bucket = local.config.bucket\n    key = format("%s/net", local.env)\n  }',
  ],
  ['its own workspace', 'workspace = terraform.workspace\n  config = local.config'],
  ['the default workspace', 'workspace = "default"\n  config = local.config'],
])('a remote state with %s is found', async (_, settings) => {
  const report = await scanned({
    'net/main.tf': s3('prod/net') + resource,
    'app/main.tf': `locals {\n  env = "prod"\n  config = {\n    bucket = "b"\n    key = "prod/net"\n  }\n}\n${takes('net', settings)}`,
  })

  expect(report.unresolved).toEqual([])
  expect(edgesOf(report)).toEqual(['app -> prod/net:id'])
})

test.each([
  [
    'a workspace',
    'workspace = var.env\n  config = {\n    bucket = "b"\n    key = "prod/net"\n  }',
    'workspace is computed',
  ],
  ['settings', 'config = var.config', 'settings are computed'],
  ['a key', 'config = {\n    bucket = "b"\n    key = "${var.env}/net"\n  }', 's3, computed'],
])('%s that only a run knows leads nowhere, and is told', async (_, settings, reason) => {
  const report = await scanned({
    'net/main.tf': s3('prod/net') + resource,
    'app/main.tf': `variable "env" {}\nvariable "config" {}\n${takes('net', settings)}`,
  })

  expect(edgesOf(report)).toEqual([])
  expect(report.unresolved).toMatchObject([{ reason: expect.stringContaining(reason) as string }])
})

test('a prefix that only a run knows is not taken for none', async () => {
  const report = await scanned({
    'net/main.tf': 'terraform {\n  backend "gcs" {\n    bucket = "b"\n  }\n}\n',
    'app/main.tf':
      'variable "p" {}\ndata "terraform_remote_state" "n" {\n  backend = "gcs"\n  config = {\n    bucket = "b"\n    prefix = var.p\n  }\n}\n',
  })

  expect(edgesOf(report)).toEqual([])
  expect(report.unresolved).toHaveLength(1)
})

test.each([
  ['for_each = toset(["a", "b"])', '${each.key}/net'],
  ['for_each = {\n    one = "a"\n    two = "b"\n  }', '${each.value}/net'],
  ['count = 2', '${element(["a", "b"], count.index)}/net'],
])('one data source with %s may be several states', async (many, key) => {
  const report = await scanned({
    'a/main.tf': s3('a/net') + resource,
    'b/main.tf': s3('b/net') + resource,
    'c/main.tf': s3('c/net') + resource,
    'app/main.tf':
      `data "terraform_remote_state" "n" {\n  ${many}\n  backend = "s3"\n  config = {\n    bucket = "b"\n    key = "${key}"\n  }\n}\n` +
      'output "x" {\n  value = data.terraform_remote_state.n["a"].outputs.id\n}\n',
  })

  expect(edgesOf(report)).toEqual(['app -> a/net:id', 'app -> b/net:id'])
})

test('values of terraform.tfvars win over defaults, and those of *.auto.tfvars over both', async () => {
  const report = await scanned({
    'prod/main.tf': s3('prod/net') + resource,
    'dev/main.tf': s3('dev/net') + resource,
    'app/main.tf': `variable "env" {\n  default = "dev"\n}\n${takes('net', 'config = {\n    bucket = "b"\n    key = "${var.env}/net"\n  }')}`,
    'app/a.auto.tfvars': 'env = "prod"\n',
    'app/terraform.tfvars': 'env = "test"\n',
  })

  expect(edgesOf(report)).toEqual(['app -> prod/net:id'])
})

test('override files win, and a .tofu file replaces the .tf file of the same name', async () => {
  const report = await scanned({
    'a/main.tf': s3('one') + resource,
    'a/override.tf': s3('two'),
    'b/backend.tf': s3('three') + resource,
    'b/backend.tofu': s3('four') + resource,
    'c/main.tf': s3('five') + resource,
    'c/backend_override.tf.json': '{"terraform": [{"backend": {"s3": {"bucket": "b", "key": "six"}}}]}',
  })

  expect(report.units.map(({ name }) => name)).toEqual(['two', 'four', 'six'])
})

test('the JSON syntax means the same as HCL', async () => {
  const report = await scanned({
    'net/main.tf.json':
      '{"terraform": {"backend": {"s3": {"bucket": "b", "key": "net"}}}, "resource": {"terraform_data": {"x": {}}}}',
    'app/main.tf.json':
      '{"//": "why", "data": {"terraform_remote_state": {"n": {"backend": "s3", "config": {"bucket": "b", "key": "${local.k}"}}}}, "locals": {"k": "net"}, "output": {"x": {"value": "${data.terraform_remote_state.n.outputs[\\"zone\\"]}"}}}',
  })

  expect(edgesOf(report)).toEqual(['app -> net:zone'])
})

test('a JSON file that is nested too deeply is reported, and the others are still read', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const report = await scanned({
    'a/main.tf.json': `{"resource": {"x": {"y": {"z": ${deep}}}}}`,
    'b/main.tf': resource,
  })

  expect(report.faults).toMatchObject([{ file: 'a/main.tf.json', message: 'it is nested too deeply' }])
  expect(namesOf(report)).toEqual(['b in b'])
})

test('a broken JSON file is reported with the position', async () => {
  const { faults } = await scanned({ 'a/main.tf.json': '{\n  "a": 1,\n  b\n}\n', 'b/main.tf.json': '{\n' })

  expect(faults).toMatchObject([
    { file: 'a/main.tf.json', line: 3, column: 3 },
    { file: 'b/main.tf.json', line: 2, column: 1 },
  ])
})

test('two folders with one state are reported, and no two units get the same name', async () => {
  const report = await scanned({
    'a/main.tf': s3('same') + resource,
    'b/main.tf': s3('same') + resource,
    'x/main.tf': s3('prod/net') + resource,
    'prod/net/main.tf': resource,
  })

  expect(report.remarks).toEqual([
    { where: 'a, b', says: 'these store their states in the same place: s3://b/same' },
    {
      where: 'prod/net',
      says: 'it is called prod/net-2, because the state of x is that of a unit prod/net',
    },
  ])
  expect(namesOf(report)).toEqual(['a in a', 'b in b', 'prod/net-2 in prod/net', 'prod/net in x'])
  expect(readProject(projectText(report), 'taco.yaml').units).toHaveLength(4)
})

test('no folder takes the name of a unit whose state another folder keeps', async () => {
  const ours = `terraform {\n  backend "http" {\n    address = "https://t/v1/backend/default/network"\n  }\n}\n`
  const open = 'terraform {\n  backend "http" {}\n}\n'
  const one = await scanned({ 'live/net/main.tf': ours + resource, 'network/main.tf': open + resource })
  const keyed = await scanned({ 'net/main.tf': ours, 'x/main.tf': s3('network') })
  const shared = await scanned({ 'a/main.tf': ours, 'b/main.tf': ours, 'network/main.tf': open })
  const both = await scanned({
    'dr/main.tf': s3('network', 'bucket = "c"'),
    'network/main.tf': s3('network'),
  })

  expect(namesOf(one)).toEqual(['network in live/net', 'network-2 in network'])
  expect(one.remarks).toMatchObject([{ where: 'network' }])
  expect(namesOf(keyed)).toEqual(['network in net', 'x in x'])
  expect(namesOf(shared)).toEqual(['a in a', 'b in b', 'network-2 in network'])
  expect(namesOf(both)).toEqual(['dr in dr', 'network in network'])
})

test('modules that nothing here calls are reported and are not units', async () => {
  const report = await scanned({ 'modules/vpc/main.tf': resource, 'net/main.tf': resource })

  expect(namesOf(report)).toEqual(['net in net'])
  expect(report.remarks).toMatchObject([{ where: 'modules/vpc' }])
})

test('odd folders get names that can be used', async () => {
  const report = await scanned({
    'my--net/main.tf': resource,
    'a b/c#d/main.tf': resource,
    'ünit/-x-/main.tf': resource,
  })

  expect(readProject(projectText(report), 'taco.yaml').units.map(({ dir }) => dir)).toEqual([
    'a b/c#d',
    'my--net',
    'ünit/-x-',
  ])
})

test('a state that two folders keep leads to neither', async () => {
  const report = await scanned({
    'a/main.tf': s3('same') + resource,
    'b/main.tf': s3('same') + resource,
    'c/main.tf': takes('x', 'config = {\n    bucket = "b"\n    key = "same"\n  }'),
  })

  expect(edgesOf(report)).toEqual([])
  expect(report.unresolved).toMatchObject([{ dir: 'c' }])
})

test('a place that gives no name that can be used leaves it to the folder', async () => {
  const report = await scanned({
    'a/main.tf': 'terraform {\n  cloud {\n    workspaces {\n      name = "-x-"\n    }\n  }\n}\n',
    'b/main.tf':
      'terraform {\n  backend "http" {\n    address = "https://h/v1/backend/default/x%2"\n  }\n}\n',
    'c/terragrunt.hcl':
      'dependency "a" {\n  config_path = "../a"\n}\ninputs = {\n  "odd name" = dependency.a.outputs.id\n}\n',
  })

  expect(readProject(projectText(report), 'taco.yaml').units).toMatchObject([
    { name: 'a' },
    { name: 'b' },
    { name: 'c', dependencies: [{ on: 'a', outputs: ['id'], inputs: {} }] },
  ])
})
