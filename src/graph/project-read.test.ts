import { expect, test } from 'vitest'
import { isTacoError } from '../base/errors.ts'
import { readProject } from './project-read.ts'

function faultsOf(text: string): string[] {
  try {
    readProject(text, 'infra/taco.yaml')
  } catch (error) {
    if (isTacoError(error, 'BAD_REQUEST')) return error.message.split('\n')
    throw error
  }
  return []
}

test('a project says which units there are, where they lie and what they use', () => {
  const project = readProject(
    `org: acme
engine: tofu
units:
  prod/network:
    dir: ./network/
    labels: { team: net, tier: 1 }
  prod/database:
    engine: terraform
    var_files: [prod.tfvars]
    variables: { size: 3 }
    dependencies: [prod/network:vpc_id]
  prod/app:
    dependencies:
      prod/network: [vpc_id, subnet_ids]
      prod/database:
        outputs: [name]
        inputs: { db_url: url }
      prod/dns: all
`,
    'infra/taco.yaml',
  )

  expect(project).toMatchObject({ org: 'acme', root: 'infra' })
  expect(project.units.map(({ name, dir, engine }) => [name, dir, engine])).toEqual([
    ['prod/network', 'network', 'tofu'],
    ['prod/database', 'prod/database', 'terraform'],
    ['prod/app', 'prod/app', 'tofu'],
  ])
  expect(project.units[0]?.labels).toEqual({ team: 'net', tier: '1' })
  expect(project.units[1]).toMatchObject({
    varFiles: ['prod.tfvars'],
    variables: { size: 3 },
    dependencies: [{ on: 'prod/network', outputs: ['vpc_id'], inputs: {} }],
  })
  expect(project.units[2]?.dependencies).toEqual([
    { on: 'prod/network', outputs: ['vpc_id', 'subnet_ids'], inputs: {} },
    { on: 'prod/database', outputs: ['name', 'url'], inputs: { db_url: 'url' } },
    { on: 'prod/dns', outputs: null, inputs: {} },
  ])
})

test('every fault is told at once, each with its line and column', () => {
  expect(
    faultsOf(`units:
  network:
    dirr: network
    var_files: prod.tfvars
  "bad--name": {}
  app:
    dir: ../outside
    dependencies:
      app: all
      network:
        outputs: [1st]
`),
  ).toEqual([
    'infra/taco.yaml:3:5: "dirr" is not known here; did you mean dir?',
    'infra/taco.yaml:4:16: this must be a list, not text',
    expect.stringMatching(/^infra\/taco\.yaml:5:3: the unit name "bad--name" has a part/),
    'infra/taco.yaml:7:10: the folder "../outside" is outside of the project',
    'infra/taco.yaml:9:7: app cannot depend on itself',
    expect.stringMatching(/^infra\/taco\.yaml:11:19: /),
  ])
})

test('a circle is spelled out, and points at one of its edges', () => {
  expect(
    faultsOf(`units:
  a: { dependencies: { b: all } }
  b: { dependencies: { c: all } }
  c: { dependencies: [a] }
`),
  ).toEqual(['infra/taco.yaml:2:24: units depend on each other in a circle: a → b → c → a'])
})

test.each([
  ['units: [', /^infra\/taco\.yaml:1:\d+: /],
  ['units:\n  a: {}\n  a: {}\n', /^infra\/taco\.yaml:3:3: Map keys must be unique/],
  ['', /^infra\/taco\.yaml:1:1: there are no units/],
  ['- a\n', /^infra\/taco\.yaml:1:1: this must be a map, not a list/],
  ['units:\n  a:\n    - b\n', /^infra\/taco\.yaml:3:5: this must be a map, not a list/],
])('%j is refused where it is wrong', (text, message) => {
  expect(faultsOf(text)).toEqual([expect.stringMatching(message)])
})
