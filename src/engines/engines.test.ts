import { expect, test } from 'vitest'
import {
  backendKind,
  engineVersion,
  errorOf,
  findEngine,
  isInitNeeded,
  isMissingVariables,
  variableEnv,
  variableText,
} from './index.ts'

/** In the form of OpenTofu 1.6 and 1.12 and Terraform 1.11, written down by hand and shortened. */
const sayings = {
  'backend, tofu': `╷
│ Error: Backend initialization required, please run "tofu init"
│ 
│ Reason: Initial configuration of the requested backend "http"`,
  'backend, terraform': `\u001b[31m╷\u001b[0m\u001b[0m
\u001b[31m│\u001b[0m \u001b[0m\u001b[1m\u001b[31mError: \u001b[0m\u001b[0m\u001b[1mBackend initialization required, please run "terraform init"\u001b[0m`,
  module: `│ Error: Module not installed
│ 
│   on main.tf line 4:
│    4: module "m" {
│ 
│ This module is not yet installed. Run "tofu init" to install all modules
│ required by this configuration.`,
  lock: `│ Error: Inconsistent dependency lock file
│ 
│ The following dependency selections recorded in the lock file are
│ inconsistent with the current configuration:
│   - provider registry.opentofu.org/hashicorp/null: required by this configuration but no version is selected
│ 
│ To make the initial dependency selections that will initialize the
│ dependency lock file, run:
│   tofu init`,
  plugins: `│ Error: Required plugins are not installed
│ 
│ The installed provider plugins are not consistent with the packages
│ selected in the dependency lock file:`,
}

test.each(Object.entries(sayings))('an engine that must be initialized is understood: %s', (_, text) => {
  expect(isInitNeeded(text)).toBe(true)
})

test.each([
  '│ Error: Error acquiring the state lock\n│ \n│ Error message: HTTP remote state already locked: ID=1',
  '│ Error: Invalid function argument\n│ \n│   on main.tf line 3',
  'Apply complete! Resources: 1 added, 0 changed, 0 destroyed.',
])('other failures are not taken for it', (text) => {
  expect(isInitNeeded(text)).toBe(false)
})

test('an engine that wants the variables of a saved plan once more is understood', () => {
  const said =
    '╷\n│ Error: Mismatch between input and plan variable value\n│ \n│ Value saved in the plan file'
  expect(isMissingVariables(said)).toBe(true)
  expect(isMissingVariables('│ Error: Saved plan is stale')).toBe(false)
})

test('a variable that no shell can name is refused, with the way that works', () => {
  expect(variableEnv({ a: '1' })).toEqual({ TF_VAR_a: '1' })
  expect(() => variableEnv({ a: '1', 'b-c': '2' })).toThrow('no shell can export the variable b-c')
})

test('the error is what is told, on one line', () => {
  expect(errorOf('Planning...\n╷\n│ Error: No value\n│ \n│   on main.tf line 3\n╵\n')).toBe(
    'Error: No value on main.tf line 3',
  )
})

test.each([
  ['"vpc-1"', 'vpc-1'],
  ['12345678901234567890', '12345678901234567890'],
  ['true', 'true'],
  ['["a","${b}"]', '["a","$${b}"]'],
  ['{"x":"%{if}"}', '{"x":"%%{if}"}'],
  ['"${not a template}"', '${not a template}'],
])('%s as TF_VAR is %s', (json, expected) => {
  expect(variableText(json)).toBe(expected)
})

test.each([
  ['terraform {\n  backend "http" {}\n}', 'open'],
  ['terraform {\n  backend "http" {\n    address = "https://taco/v1"\n  }\n}', 'own'],
  ['terraform {\n  backend "s3" {\n    key = "x"\n  }\n}', 'own'],
  ['terraform { cloud { } }', 'own'],
  ['terraform {\n  # backend "http" {}\n}', 'none'],
  ['resource "terraform_data" "x" {}', 'none'],
])('where %j keeps its state: %s', (code, expected) => {
  expect(backendKind([code])).toBe(expected)
})

test('an engine is found by name, by path, or the one that is there', () => {
  const machine = { folders: ['/bin', '/opt'], isProgram: (path: string) => path === '/opt/terraform' }

  expect(findEngine(undefined, machine)).toBe('/opt/terraform')
  expect(findEngine('/opt/terraform', machine)).toBe('/opt/terraform')
  expect(() => findEngine('tofu', machine)).toThrow('there is no tofu here')
})

test('the version of an engine', () => {
  expect(engineVersion('/opt/tofu', '{"terraform_version":"1.12.6","platform":"linux_amd64"}')).toBe(
    'tofu 1.12.6',
  )
  expect(engineVersion('/bin/true', '')).toBeUndefined()
})
