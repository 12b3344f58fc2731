import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { POLICY_ACTIONS } from '../src/access/policy/action-patterns.ts'
import { BUILT_IN_ROLES } from '../src/access/policy/built-in-roles.ts'
import { evaluate } from '../src/access/policy/evaluate.ts'
import { ACTION_WORDS } from '../src/access/policy/words.ts'
import { TacoError } from '../src/base/errors.ts'
import { exitCodeOf, isErrorCode } from '../src/entry/cli/terminal/exit-codes.ts'
import { STATUS_OF } from '../src/entry/http/kit/response/error-status.ts'
import { apiPage } from './api-page.ts'
import { cliPage } from './cli-page.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('docs/errors.md lists every code with its status and its exit code', async () => {
  const page = await readFile(join(root, 'docs/errors.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (\d+) \|/gm)].map(
    ([, code, status, exit]) => `${code} ${status} ${exit}`,
  )

  const codes = Object.keys(STATUS_OF).filter((code) => isErrorCode(code))

  expect(rows.toSorted()).toEqual(
    codes.map((code) => `${code} ${STATUS_OF[code]} ${exitCodeOf(new TacoError(code, ''))}`).toSorted(),
  )
})

test('every link between the pages leads somewhere', async () => {
  const pages = [
    ...(await readdir(root)),
    ...(await readdir(join(root, 'docs'))).map((name) => join('docs', name)),
  ].filter((name) => name.endsWith('.md'))
  const broken: string[] = []
  for (const page of pages) {
    const text = await readFile(join(root, page), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      if (!existsSync(join(root, dirname(page), target))) broken.push(`${page}: ${target}`)
    }
  }

  expect(pages.length).toBeGreaterThan(5)
  expect(broken).toEqual([])
})

test('docs/cli.md matches the commands (npm test -- unit tools -u writes it)', async () => {
  await expect(cliPage()).toMatchFileSnapshot('../docs/cli.md')
})

test('docs/api.md matches the API (npm test -- unit tools -u writes it)', async () => {
  await expect(apiPage()).toMatchFileSnapshot('../docs/api.md')
})

test('every path that ARCHITECTURE.md and CONTRIBUTING.md name exists', async () => {
  const pages = await Promise.all(
    ['ARCHITECTURE.md', 'CONTRIBUTING.md'].map((page) => readFile(join(root, page), 'utf8')),
  )
  const paths = pages.flatMap((page) =>
    [...page.matchAll(/`((?:src|test|tools|bench|docs)\/[\w./-]+)`/g)].map(([, path]) => path ?? ''),
  )
  expect(paths.length).toBeGreaterThan(40)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('docs/access.md lists every action with the built-in roles that allow it', async () => {
  const whole = await readFile(join(root, 'docs/access.md'), 'utf8')
  const page = /^\| action \|(?:.+\n)+/m.exec(whole)?.[0] ?? ''
  const heads = page
    .match(/^\| action \|.*$/m)?.[0]
    .split('|')
    .slice(3, -1)
  const rows = [...page.matchAll(/^\| `([a-z:-]+)` \| (.*) \|$/gm)].map(([, action, rest = '']) => {
    const [words = '', ...marks] = rest.split('|').map((cell) => cell.trim())
    return [action, words, ...marks.map((mark) => mark === '✓')]
  })

  const roles = Object.values(BUILT_IN_ROLES)

  expect(heads?.map((name) => name.trim())).toEqual(roles.map(({ name }) => name))
  expect(rows).toEqual(
    POLICY_ACTIONS.map((action) => [
      action,
      ACTION_WORDS[action],
      ...roles.map((role) => evaluate([{ role, through: 'direct' }], action, undefined).allowed),
    ]),
  )
})
