import { expect, test } from 'vitest'
import { type Configuration, fingerprintOf, isConfiguration, referencedPaths } from './fingerprint.ts'

const configuration: Configuration = {
  files: { 'app/main.tf': 'a1', 'app/.terraform.lock.hcl': 'b2' },
  variables: { size: 3, tags: { b: 1, a: 2 } },
  varFiles: ['prod.tfvars'],
  uses: [{ unit: { id: 'ws-1', name: 'network' }, commit: 4, outputs: { vpc_id: 'd1' } }],
  engine: 'tofu 1.12.6',
}

test('the order in which things are named does not matter', () => {
  const other: Configuration = {
    ...configuration,
    files: { 'app/.terraform.lock.hcl': 'b2', 'app/main.tf': 'a1' },
    variables: { tags: { a: 2, b: 1 }, size: 3 },
  }

  expect(fingerprintOf(other)).toBe(fingerprintOf(configuration))
})

test('a commit that changed other outputs does not matter', () => {
  const uses = [{ unit: { id: 'ws-1', name: 'renamed' }, commit: 9, outputs: { vpc_id: 'd1' } }]

  expect(fingerprintOf({ ...configuration, uses })).toBe(fingerprintOf(configuration))
})

test.each([
  ['a file', { files: { ...configuration.files, 'app/main.tf': 'a2' } }],
  ['a new file', { files: { ...configuration.files, 'app/more.tf': '' } }],
  ['a variable', { variables: { ...configuration.variables, size: 4 } }],
  ['a type of a variable', { variables: { ...configuration.variables, size: '3' } }],
  ['the order of variable files', { varFiles: [] }],
  ['an input', { uses: [{ unit: { id: 'ws-1', name: 'n' }, commit: 4, outputs: { vpc_id: 'd2' } }] }],
  ['the engine', { engine: 'tofu 1.12.7' }],
])('%s that changed makes another fingerprint', (_, change) => {
  expect(fingerprintOf({ ...configuration, ...change })).not.toBe(fingerprintOf(configuration))
})

test('paths that code names in plain text are found', () => {
  const code = `module "a" { source = "../modules/a" }
    x = file("\${path.module}/../shared/x.json")
    y = templatefile("./y.tpl", {})
    z = "\${path.module}/\${var.name}" # not to be known
    module "b" { source = "hashicorp/b/aws" }`

  expect(referencedPaths(code)).toEqual(['../modules/a', './../shared/x.json', './y.tpl'])
})

test.each([
  ['main.tf', true],
  ['.terraform.lock.hcl', true],
  ['policy.json', true],
  ['.terraform', false],
  ['terraform.tfstate', false],
  ['terraform.tfstate.backup', false],
  ['errored.tfstate', false],
  ['.git', false],
])('%s matters: %s', (name, matters) => {
  expect(isConfiguration(name)).toBe(matters)
})
