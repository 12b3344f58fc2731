import { expect, test } from 'vitest'
import { isTacoError } from '../base/errors.ts'
import { readProject } from './read.ts'

function faultsOf(text: string): string[] {
  try {
    readProject(text, 'infra/taco.yaml')
  } catch (error) {
    if (isTacoError(error, 'BAD_REQUEST')) return error.message.split('\n')
    throw error
  }
  return []
}

test('a project lists its units, their folders and what they use', () => {
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

test('all faults are reported at once, each with its line and column', () => {
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
    'infra/taco.yaml:3:5: The key "dirr" is unknown. Did you mean dir?',
    'infra/taco.yaml:4:16: This must be a list, not text.',
    expect.stringMatching(/^infra\/taco\.yaml:5:3: The unit name "bad--name" has an invalid part/),
    'infra/taco.yaml:7:10: The folder "../outside" is outside the project.',
    'infra/taco.yaml:9:7: app cannot depend on itself.',
    expect.stringMatching(/^infra\/taco\.yaml:11:19: /),
  ])
})

test('a cycle is spelled out, and points at one of its edges', () => {
  expect(
    faultsOf(`units:
  a: { dependencies: { b: all } }
  b: { dependencies: { c: all } }
  c: { dependencies: [a] }
`),
  ).toEqual(['infra/taco.yaml:2:24: These units depend on each other in a cycle: a → b → c → a.'])
})

test.each([
  ['units: [', /^infra\/taco\.yaml:1:\d+: /],
  ['units:\n  a: {}\n  a: {}\n', /^infra\/taco\.yaml:3:3: Map keys must be unique/],
  ['', /^infra\/taco\.yaml:1:1: There are no units/],
  ['- a\n', /^infra\/taco\.yaml:1:1: This must be a map, not a list/],
  ['units:\n  a:\n    - b\n', /^infra\/taco\.yaml:3:5: This must be a map, not a list/],
])('%j is refused where it is wrong', (text, message) => {
  expect(faultsOf(text)).toEqual([expect.stringMatching(message)])
})

const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
for (const [name, of] of ['ba', 'cb', 'dc']) {
  const uses = Array.from({ length: 10 }, () => `*${of ?? ''}`)
  bomb.push(`${name ?? ''}: &${name ?? ''} [${uses.join(', ')}]`)
}

test.each([
  ['an alias bomb', `${bomb.join('\n')}\nunits: {a: {}}\n`, ['2:8: Anchors are used too often']],
  [
    'aliases of nothing',
    'units:\n  a: *nope\n  b: *nix\n',
    ['2:6: There is no &nope', '3:6: There is no &nix'],
  ],
  ['two documents', 'units:\n  a: {}\n---\nunits: {}\n', ['3:1: The file must be one document']],
  ['tags', 'units:\n  a: !ref {}\n', ['2:6: Unresolved tag: !ref']],
  [
    'a name that JavaScript keeps',
    'units:\n  __proto__: {}\n',
    ['2:3: "__proto__" cannot be used as a name'],
  ],
  ['keys that are no text', 'units:\n  ? [a, b]\n  : {}\n', ['2:5: A name must be text']],
  ['brackets without end', `units: ${'['.repeat(20_000)}`, ['1:1: The file is nested too deeply']],
  [
    'brackets in brackets',
    `units: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    ['1:1: The file is nested too deeply'],
  ],
  [
    'nothing where text must be',
    'units:\n  a: {dir: "", engine: ""}\n',
    ['2:12: This is empty', '2:24: This is empty'],
  ],
  [
    'other types',
    'units:\n  a: {dir: 3, var_files: yes, labels: [x]}\n',
    [
      '2:12: This must be text, not a number',
      '2:26: This must be a list, not text.',
      '2:39: This must be a map, not a list',
    ],
  ],
  ['labels', 'units:\n  a:\n    labels: {"bad key!": x}\n', ['3:14: "bad key!" is not a valid label name.']],
  [
    'a list of dependencies',
    'units:\n  a:\n    dependencies: [1, ":x", "b:c:d", "b:e,,f"]\n',
    [
      '3:20: This must be text, not a number',
      '3:23: The unit name is empty.',
      '3:29: names of outputs',
      '3:38: names of outputs',
      '3:38: b is named twice',
    ],
  ],
  [
    'digits that would be lost',
    'units:\n  a:\n    variables: {n: 12345678901234567890, m: [0.12345678901234567890]}\n',
    ['3:20: Write this number in quotes', '3:46: Write this number in quotes'],
  ],
  [
    'several cycles',
    'units:\n  a: {dependencies: [b]}\n  b: {dependencies: [a]}\n  c: {dependencies: [d]}\n  d: {dependencies: [c]}\n',
    [
      '2:21: These units depend on each other in a cycle: a → b → a',
      '4:21: These units depend on each other in a cycle: c → d → c',
    ],
  ],
])('%s: refused in our own words, where it is', (_, text, expected) => {
  const found = faultsOf(text)

  expect(found.map((fault, i) => fault.slice(0, `infra/taco.yaml:${expected[i] ?? ''}`.length))).toEqual(
    expected.map((fault) => `infra/taco.yaml:${fault}`),
  )
})

test('names and labels are the text that is written, also where it looks like a number', () => {
  const { units } = readProject(
    'units:\n  007: {labels: {version: 1.10, zero: 0x1F, ok: true}}\n',
    'taco.yaml',
  )

  expect(units).toMatchObject([
    { name: '007', dir: '007', labels: { version: '1.10', zero: '0x1F', ok: 'true' } },
  ])
})

test('in a list, too, a colon and nothing behind it means only the order', () => {
  const { units } = readProject('units:\n  a: {dependencies: ["b:"]}\n', 'taco.yaml')

  expect(units[0]?.dependencies).toEqual([{ on: 'b', outputs: [], inputs: {} }])
})
