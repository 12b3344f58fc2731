import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type Configuration,
  configurationPrint,
  fingerprintOf,
  isConfiguration,
  isOfConfiguration,
  referencedPaths,
} from './fingerprint.ts'

const KEY = 'key of the unit'
const used = {
  unit: { id: 'ws-1', name: 'network' },
  commit: 4,
  outputs: { vpc_id: 'd1' },
  inputs: { vpc: 'vpc_id' },
}
const configuration: Configuration = {
  files: { 'app/main.tf': 'a1', 'app/.terraform.lock.hcl': 'b2' },
  variables: { size: 3, tags: { b: 1, a: 2 } },
  varFiles: ['prod.tfvars'],
  uses: [used],
  given: null,
}

test('the order in which things are named does not matter', () => {
  const other: Configuration = {
    ...configuration,
    files: { 'app/.terraform.lock.hcl': 'b2', 'app/main.tf': 'a1' },
    variables: { tags: { a: 2, b: 1 }, size: 3 },
  }

  expect(configurationPrint(other, KEY)).toBe(configurationPrint(configuration, KEY))
})

test('a commit that changed other outputs does not matter', () => {
  const uses = [{ ...used, unit: { id: 'ws-1', name: 'renamed' }, commit: 9 }]

  expect(configurationPrint({ ...configuration, uses }, KEY)).toBe(configurationPrint(configuration, KEY))
})

test.each([
  ['a file', { files: { ...configuration.files, 'app/main.tf': 'a2' } }],
  ['a new file', { files: { ...configuration.files, 'app/more.tf': '' } }],
  ['a variable', { variables: { ...configuration.variables, size: 4 } }],
  ['a type of a variable', { variables: { ...configuration.variables, size: '3' } }],
  ['the order of variable files', { varFiles: [] }],
  ['the output that a variable takes', { uses: [{ ...used, inputs: { vpc: 'subnet_id' } }] }],
  ['a variable that takes an output', { uses: [{ ...used, inputs: { vpc_id: 'vpc_id' } }] }],
  ['an input', { uses: [{ ...used, outputs: { vpc_id: 'd2' } }] }],
])('%s that changed makes another fingerprint', (_, change) => {
  expect(configurationPrint({ ...configuration, ...change }, KEY)).not.toBe(
    configurationPrint(configuration, KEY),
  )
})

test('without the key, nobody can try which value a variable has', () => {
  const guess = configurationPrint(configuration, 'another key')

  expect(guess).not.toBe(configurationPrint(configuration, KEY))
})

test('a fingerprint of the form before keys is that of no configuration', () => {
  const { files, variables, varFiles, uses } = configuration
  const inputs = uses.map(({ unit, outputs }) => [unit.id, Object.entries(outputs)])
  const sorted = [
    Object.entries(files).toReversed(),
    [
      ['size', variables['size']],
      [
        'tags',
        [
          ['a', 2],
          ['b', 1],
        ],
      ],
    ],
  ]
  const plain = createHash('sha256')
    .update(JSON.stringify([3, ...sorted, varFiles, inputs]))
    .digest('hex')
  const old = fingerprintOf(plain.slice(0, 48), 'tofu 1.12.6')

  expect(old).toHaveLength(fingerprintOf(configurationPrint(configuration, ''), '').length)
  expect(isOfConfiguration(old, configurationPrint(configuration, KEY))).toBe(false)
  expect(isOfConfiguration(old, configurationPrint(configuration, ''))).toBe(false)
})

test('another engine makes another fingerprint of the same configuration', () => {
  const print = configurationPrint(configuration, KEY)
  const other = configurationPrint({ ...configuration, varFiles: [] }, KEY)
  const fingerprint = fingerprintOf(print, 'tofu 1.12.6')

  expect(fingerprintOf(print, 'tofu 1.12.6')).toBe(fingerprint)
  expect(fingerprintOf(print, 'tofu 1.12.7')).not.toBe(fingerprint)
  expect(isOfConfiguration(fingerprint, print)).toBe(true)
  expect(isOfConfiguration(fingerprint, other)).toBe(false)
  expect(isOfConfiguration(fingerprint, '')).toBe(false)
})

test.each([
  ['source = "../modules/a"', [{ path: '../modules/a', from: 'either' }]],
  ['file("${path.module}/../shared/x.json")', [{ path: '../shared/x.json', from: 'module' }]],
  ['file("${path.root}/../x.json")', [{ path: '../x.json', from: 'root' }]],
  ['file("${path.cwd}/x.json")', [{ path: 'x.json', from: 'root' }]],
  ['templatefile("./y.tpl", {})', [{ path: './y.tpl', from: 'either' }]],
  ['"${file("../inside/a-text")}!"', [{ path: '../inside/a-text', from: 'either' }]],
  ['{"x": "${file(\\"../in.json\\")}"}', [{ path: '../in.json', from: 'either' }]],
  ['fileset(path.module, "../shared/*")', [{ path: '../shared/', from: 'either' }]],
  ['fileset("..", "*.json")', [{ path: '..', from: 'either' }]],
  ['file("${path.module}/../templates/${var.name}.tpl")', [{ path: '../templates/', from: 'module' }]],
  ['file("/etc/ssl/ca.pem")', [{ path: '/etc/ssl/ca.pem', from: 'either' }]],
  ['templatefile("/srv/x.tpl", {})', [{ path: '/srv/x.tpl', from: 'either' }]],
  ['file(pathexpand("~/.ssh/id.pub"))', [{ path: '~/.ssh/id.pub', from: 'either' }]],
  ['file("${path.module}/../${var.name}") # could be anywhere', []],
  ['source = "hashicorp/b/aws"', []],
  ['path = "/healthz"', []],
] as const)('the paths that %s names', (code, paths) => {
  expect(referencedPaths(code)).toEqual(paths)
})

test.each([
  ['main.tf', true],
  ['.terraform.lock.hcl', true],
  ['policy.json', true],
  ['.hidden', true],
  ['.terraform', false],
  ['.terragrunt-cache', false],
  ['.terraform.tfstate.lock.info', false],
  ['terraform.tfstate', false],
  ['terraform.tfstate.backup', false],
  ['errored.tfstate', false],
  ['.git', false],
])('%s matters: %s', (name, matters) => {
  expect(isConfiguration(name)).toBe(matters)
})
