import { readFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  backendKind,
  engineVersion,
  errorOf,
  findEngine,
  isInitNeeded,
  memoryEnv,
  isMissingVariables,
  variableEnv,
  variableText,
} from './index.ts'

/** Real error output of engines, by engine and by cause; recorded by test/peers/record-engines.ts. */
const recorded = new URL('recorded/', import.meta.url)
const sayings = readdirSync(recorded).flatMap((engine) =>
  readdirSync(new URL(`${engine}/`, recorded)).map((file) => ({
    engine,
    what: file.replace('.txt', ''),
    text: readFileSync(new URL(`${engine}/${file}`, recorded), 'utf8'),
  })),
)

test.each(sayings)('$engine is understood: $what', ({ what, text }) => {
  expect(isInitNeeded(text)).toBe(what.startsWith('init-'))
  expect(isMissingVariables(text)).toBe(what === 'saved-plan-variables')
})

test.each([
  ['init-backend', /^Error: Backend initialization required, please run "(tofu|terraform) init"/],
  [
    'other-locked',
    /^Error: Error acquiring the state lock Error message: HTTP remote state already locked: ID=/,
  ],
  [
    'other-apply',
    /^Error: local-exec provisioner error with terraform_data.one, on main.tf line 2, in .* exit status 3/,
  ],
  [
    'other-invalid',
    /^Error: Reference to undeclared input variable on main.tf line 2, in .*: 2: {3}input = var.nothing An/,
  ],
  ['other-syntax', /^Error: \S.* on main.tf line 2/],
  [
    'other-no-value',
    /^Error: No value for required variable on main.tf line 1: 1: variable "size" \{ The root/,
  ],
])('of %s the error is told, on one line, without colours and frames', (what, told) => {
  const texts = sayings.filter((saying) => saying.what === what).map(({ text }) => text)

  expect(texts).toHaveLength(3)
  for (const text of texts) expect(errorOf(text)).toMatch(told)
})

test('output without an error is reported whole', () => {
  expect(errorOf('Planning...\n  killed\n')).toBe('Planning... killed')
})

test('a variable that no shell can name is refused, with the way that works', () => {
  expect(variableEnv({ a: '1' })).toEqual({ TF_VAR_a: '1' })
  expect(() => variableEnv({ a: '1', 'b-c': '2' })).toThrow('A shell cannot export the variable b-c.')
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
  expect(() => findEngine('tofu', machine)).toThrow('There is no tofu on this machine.')
})

test('the version of an engine', () => {
  expect(engineVersion('/opt/tofu', '{"terraform_version":"1.12.6","platform":"linux_amd64"}')).toBe(
    'tofu 1.12.6',
  )
  expect(engineVersion('/bin/true', '')).toBeUndefined()
})

const GB = 1024 ** 3

test('engines collect garbage later where each has its share of much memory', () => {
  expect(memoryEnv({}, { freeBytes: 16 * GB, jobs: 4 })).toEqual({ GOGC: '400', GOMEMLIMIT: String(GB) })
})

test.each([
  ['there is little memory', {}, 2 * GB],
  ['somebody said when', { GOGC: '50' }, 16 * GB],
  ['somebody set a limit', { GOMEMLIMIT: '1GiB' }, 16 * GB],
])('engines collect garbage as they always do where %s', (_, env, freeBytes) => {
  expect(memoryEnv(env, { freeBytes, jobs: 4 })).toEqual({})
})
