import { expect, test } from 'vitest'
import { scanned } from '../../test/support/graph.ts'

const found = async (files: Readonly<Record<string, string>>) => {
  const { dynamodb, faults } = await scanned(files)
  expect(faults).toEqual([])
  return dynamodb.map(({ file, line, by, trouble }) => `${file}:${line} ${by}: ${trouble}`)
}

const backend = (...settings: readonly string[]) =>
  [
    'terraform {',
    '  required_version = ">= 1.5"',
    '  backend "s3" {',
    '    bucket = "states"',
    '    key    = "shop/terraform.tfstate"',
    ...settings.map((one) => `    ${one}`),
    '  }',
    '}',
    '',
  ].join('\n')

test('a backend that locks in DynamoDB alone is found, with the line to change', async () => {
  expect(await found({ 'shop/backend.tf': backend('dynamodb_table = "locks"') })).toEqual([
    'shop/backend.tf:6 backend "s3": lock',
  ])
})

test.each([
  ['no table', 'encrypt = true'],
  ['a lock file', 'use_lockfile = true'],
  ['a comment', '# dynamodb_table = "locks"'],
  ['null', 'dynamodb_table = null'],
  ['an empty name', 'dynamodb_table = ""'],
])('a backend with %s is none', async (_what, setting) => {
  expect(await found({ 'shop/backend.tf': backend(setting) })).toEqual([])
})

test('the table still holds the digest beside a lock file', async () => {
  const both = backend('dynamodb_table = "locks"', 'use_lockfile   = true')

  expect(await found({ 'shop/backend.tf': both })).toEqual(['shop/backend.tf:6 backend "s3": digest'])
})

test('the value of a variable counts, and one without a value counts as a table', async () => {
  const variables = (value: string) => `variable "table" {\n${value}}\n`
  const block = backend('dynamodb_table = var.table')

  expect(await found({ 'a/main.tf': block + variables('  default = null\n') })).toEqual([])
  expect(await found({ 'a/main.tf': block + variables('') })).toEqual(['a/main.tf:6 backend "s3": lock'])
})

test('the setting of another backend, or of a resource, does not count', async () => {
  expect(
    await found({
      'a/main.tf': 'terraform {\n  backend "gcs" {\n    bucket = "states"\n  }\n}\n',
      'a/iam.tf': 'locals {\n  dynamodb_table = "locks"\n}\nresource "aws_dynamodb_table" "locks" {}\n',
    }),
  ).toEqual([])
})

test('an override has the last word', async () => {
  expect(
    await found({
      'a/backend.tf': backend('dynamodb_table = "locks"'),
      'a/override.tf': backend('use_lockfile = true'),
      'b/backend.tf': backend('use_lockfile = true'),
      'b/backend_override.tf': backend('dynamodb_table = "locks"'),
    }),
  ).toEqual(['b/backend_override.tf:6 backend "s3": lock'])
})

test('a file that cannot be parsed counts as one that locks there, unless only a comment mentions it', async () => {
  const { dynamodb } = await scanned({
    'a/backend.tf': `${backend('dynamodb_table = "locks"')}}\n`,
    'b/backend.tf': `${backend('# dynamodb_table = "locks"')}}\n`,
  })

  expect(dynamodb).toEqual([
    { file: 'a/backend.tf', line: 6, by: 'a file that cannot be parsed', trouble: 'lock' },
  ])
})

test('JSON is read, too', async () => {
  const json = {
    terraform: { backend: { s3: { bucket: 'states', key: 'a.tfstate', dynamodb_table: 'locks' } } },
  }

  expect(await found({ 'a/backend.tf.json': JSON.stringify(json, null, 2) })).toEqual([
    'a/backend.tf.json:7 backend "s3": lock',
  ])
})

test('code that reads a state with a table checks its digest there', async () => {
  const code = `locals {
  dynamodb_table = "locks"
}
data "terraform_remote_state" "network" {
  backend = "s3"
  config = {
    bucket         = "states"
    key            = "network.tfstate"
    dynamodb_table = local.dynamodb_table
  }
}
`

  expect(await found({ 'app/main.tf': code })).toEqual([
    'app/main.tf:9 data.terraform_remote_state.network: digest',
  ])
})

const root = (...settings: readonly string[]) => `locals {
  dynamodb_table = "locks-\${get_env("STAGE", "dev")}"
}

remote_state {
  backend = "s3"
  generate = {
    path      = "backend.tf"
    if_exists = "overwrite_terragrunt"
  }
  config = {
    bucket = "states"
    key    = "\${path_relative_to_include()}/terraform.tfstate"
    ${settings.join('\n    ')}
  }
}
`
const unit =
  'include "root" {\n  path = find_in_parent_folders("root.hcl")\n}\nterraform {\n  source = "./m"\n}\n'

test('remote_state of Terragrunt is found once, where it is written', async () => {
  const settings = ['/* one table for all */', 'dynamodb_table = local.dynamodb_table']
  const estate = { 'root.hcl': root(...settings), 'a/terragrunt.hcl': unit, 'b/terragrunt.hcl': unit }

  expect(await found(estate)).toEqual(['root.hcl:15 remote_state: lock'])
  expect(await found({ ...estate, 'root.hcl': root(...settings, 'use_lockfile = true') })).toEqual([
    'root.hcl:15 remote_state: digest',
  ])
  expect(await found({ ...estate, 'root.hcl': root('use_lockfile = true') })).toEqual([])
})

test('a backend that Terragrunt generates is found in the text that it generates', async () => {
  const generate = `generate "backend" {
  path      = "backend.tf"
  if_exists = "overwrite"
  contents  = <<EOF
${backend('dynamodb_table = "locks"')}EOF
}
`

  expect(await found({ 'root.hcl': generate, 'a/terragrunt.hcl': unit })).toEqual([
    'root.hcl:10 the generated backend "s3": lock',
  ])
})

test.each(['env/prod.s3.tfbackend', 'env/prod.hcl'])(
  'a file for -backend-config is found: %s',
  async (file) => {
    const config = 'bucket         = "states"\nkey            = "prod.tfstate"\ndynamodb_table = "locks"\n'
    const [open, locked] = ['', '    use_lockfile = true\n'].map(
      (inside) => `terraform {\n  backend "s3" {\n${inside}  }\n}\n`,
    )

    expect(await found({ 'main.tf': open ?? '', [file]: config })).toEqual([
      `${file}:3 a file for -backend-config: lock`,
    ])
    expect(await found({ 'main.tf': locked ?? '', [file]: config })).toEqual([
      `${file}:3 a file for -backend-config: digest`,
    ])
    expect(await found({ 'main.tf': open ?? '', [file]: `${config}use_lockfile = true\n` })).toEqual([
      `${file}:3 a file for -backend-config: digest`,
    ])
  },
)
