import { expect, test } from 'vitest'
import { openHclReader } from './adapters/hcl2json.ts'
import { describeModule } from './describe-module.ts'

const hcl = openHclReader()
const describeFiles = (files: Readonly<Record<string, string>>) =>
  describeModule(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    hcl,
  )

test('a module says what it takes, gives, manages and needs', async () => {
  const { root, faults } = await describeFiles({
    'README.md': '# Network\n',
    'readme.txt': 'not this one',
    'main.tf': `
      resource "aws_vpc" "main" {}
      data "aws_region" "here" {}
      ephemeral "random_password" "db" {}
      module "subnets" {
        source  = "acme/subnets/aws"
        version = "~> 2.0"
      }
      module "logs" { source = "./modules/logs" }`,
    'variables.tf': `
      variable "cidr" {
        type        = string
        description = "The range of addresses."
      }
      variable "tags" {
        type = map(object({
          value = optional(string, "x") # why not
        }))
        default = {}
      }
      variable "key" {
        default   = null
        sensitive = true
      }
      variable "zones" { default = ["a", "b"] }`,
    'outputs.tf.json': JSON.stringify({
      output: { id: { value: '${aws_vpc.main.id}', description: 'The id.', sensitive: true } },
    }),
    'versions.tf': `
      terraform {
        required_version = ">= 1.6"
        required_providers {
          aws = {
            source  = "hashicorp/aws"
            version = ">= 5.0"
          }
          null = "~> 3.0"
        }
      }`,
    'z_override.tf': 'variable "cidr" { description = "Overridden." }',
  })

  expect(faults).toEqual([])
  expect(root).toEqual({
    path: '',
    readme: '# Network\n',
    engine: '>= 1.6',
    inputs: expect.arrayContaining([
      { name: 'cidr', type: 'string', description: 'Overridden.', default: null, isSensitive: false },
      {
        name: 'tags',
        type: 'map(object({\n  value = optional(string, "x") # why not\n}))',
        description: '',
        default: '{}',
        isSensitive: false,
      },
      { name: 'key', type: '', description: '', default: 'null', isSensitive: true },
      { name: 'zones', type: '', description: '', default: '["a","b"]', isSensitive: false },
    ]) as unknown,
    outputs: [{ name: 'id', description: 'The id.', isSensitive: true }],
    resources: [
      { mode: 'managed', type: 'aws_vpc', name: 'main' },
      { mode: 'data', type: 'aws_region', name: 'here' },
      { mode: 'ephemeral', type: 'random_password', name: 'db' },
    ],
    dependencies: expect.arrayContaining([
      { name: 'subnets', source: 'acme/subnets/aws', version: '~> 2.0' },
      { name: 'logs', source: './modules/logs', version: '' },
    ]) as unknown,
    providers: [
      { name: 'aws', source: 'hashicorp/aws', version: '>= 5.0' },
      { name: 'null', source: '', version: '~> 3.0' },
    ],
  })
})

test('submodules and examples are parts of their own', async () => {
  const found = await describeFiles({
    'main.tf': '',
    'modules/logs/main.tf': 'variable "days" { type = number }',
    'modules/only-a-readme/README.md': 'Nothing here.',
    'examples/simple/main.tf': 'module "network" { source = "../.." }',
  })

  expect(found.submodules.map(({ path, readme }) => [path, readme])).toEqual([
    ['modules/logs', ''],
    ['modules/only-a-readme', 'Nothing here.'],
  ])
  expect(found.submodules[0]?.inputs.map(({ name }) => name)).toEqual(['days'])
  expect(found.examples.map(({ path }) => path)).toEqual(['examples/simple'])
})

test('code that cannot be read is a fault, and the rest is read', async () => {
  const { root, faults } = await describeFiles({
    'main.tf': 'variable "size" {}',
    'broken.tf': 'variable "x" {',
    'deep.tf.json': '['.repeat(2000) + ']'.repeat(2000),
    'odd.tf.json': JSON.stringify({
      variable: 3,
      output: [1, { id: [null] }],
      terraform: { required_providers: 7 },
    }),
  })

  expect(root.inputs.map(({ name }) => name)).toEqual(['size'])
  expect(faults).toEqual([
    expect.stringContaining('broken.tf, line 1'),
    expect.stringContaining('deep.tf.json, line 1: it is nested too deeply'),
  ])
})
