import { expect, test } from 'vitest'
import { edgesOf, scanned } from '../../test/support/graph.ts'

/** States that are neither in a bucket nor ours. */

const resource = 'resource "terraform_data" "x" {}\n'

test('unknown backends, even odd ones, are only named', async () => {
  const report = await scanned({
    'a/main.tf': 'terraform {\n  backend "constructor" {}\n}\n',
    'b/main.tf': 'terraform {\n  backend "consul" {\n    path = "x/y"\n  }\n}\n',
    'c/main.tf':
      'data "terraform_remote_state" "b" {\n  backend = "consul"\n  config = {\n    path = "x/y"\n  }\n}\n',
  })

  expect(report.units.map(({ backend }) => backend)).toEqual(['constructor', 'consul x/y', 'local'])
  expect(edgesOf(report)).toEqual(['c -> b:*'])
})

test.each([
  ['pg', (of: string) => `conn_str = "postgres://u:secret@${of}/tf"`, 'schema_name = "network"'],
  ['consul', (of: string) => `address = "${of}:8500"`, 'path = "network"'],
  ['kubernetes', (of: string) => `config_context = "${of}"`, 'secret_suffix = "network"'],
  ['etcdv3', (of: string) => `endpoints = ["${of}"]`, 'prefix = "network"'],
  ['cos', (of: string) => `bucket = "${of}"`, 'prefix = "network"'],
])('states of the same name in two places of %s are told apart', async (kind, around, telling) => {
  const keeps = (inside: string) => `terraform {\n  backend "${kind}" {\n${inside}\n  }\n}\n${resource}`
  const uses = (inside: string) =>
    `data "terraform_remote_state" "n" {\n  backend = "${kind}"\n  config = {\n${inside}\n  }\n}\n`
  const report = await scanned({
    'a/dev/main.tf': keeps(`${around('dev')}\n${telling}`),
    'a/prod/main.tf': keeps(`${around('prod')}\n${telling}`),
    'b/dev/main.tf': uses(`${around('dev')}\n${telling}`),
    'b/prod/main.tf': uses(`${around('prod')}\n${telling}`),
    'b/none/main.tf': uses(telling),
  })

  expect(edgesOf(report)).toEqual(['b/dev -> a/dev:*', 'b/prod -> a/prod:*'])
  expect(report.unresolved).toMatchObject([
    { dir: 'b/none', reason: expect.stringContaining('several folders') },
  ])
  expect(report.unresolved[0]?.reason).toMatch(/: a\/dev, a\/prod$/)
  expect(JSON.stringify(report)).not.toContain('secret@')
})

test('the reader of a database need not be its writer', async () => {
  const report = await scanned({
    'net/main.tf':
      'terraform {\n  backend "pg" {\n    conn_str = "postgres://w:x@db/tf?sslmode=require"\n    schema_name = "n"\n  }\n}\n',
    'app/main.tf':
      'data "terraform_remote_state" "n" {\n  backend = "pg"\n  config = {\n    conn_str = "host=db dbname=tf user=r"\n    schema_name = "n"\n  }\n}\n',
  })

  expect(edgesOf(report)).toEqual(['app -> net:*'])
})

test.each([
  ["host=db dbname='a b'", "host=db dbname='a c'"],
  ['postgres://db/tf?port=1', 'postgres://db/tf?port=2'],
])('%s and %s are two databases', async (one, other) => {
  const report = await scanned({
    'net/main.tf': `terraform {\n  backend "pg" {\n    conn_str = "${one}"\n    schema_name = "n"\n  }\n}\n`,
    'app/main.tf': `data "terraform_remote_state" "n" {\n  backend = "pg"\n  config = {\n    conn_str = "${other}"\n    schema_name = "n"\n  }\n}\n`,
  })

  expect(edgesOf(report)).toEqual([])
})
