import { expect, test } from 'vitest'
import { ignoreRules } from './ignore-rules.ts'

const kept = (text: string, paths: readonly string[]) => {
  const isIgnored = ignoreRules(text)
  return paths.filter((path) => !isIgnored(path.replace(/\/$/, ''), path.endsWith('/')))
}

test('what no module needs is left out without any file', () => {
  const paths = ['main.tf', '.git/', 'a/.git/', '.terraform/providers/', '.terraform/modules/', 'x.tfstate']
  expect(kept('', [...paths, 'x.tfstate.backup', 'tfstate.tf'])).toEqual([
    'main.tf',
    '.terraform/modules/',
    'tfstate.tf',
  ])
})

test.each([
  ['*.md', ['README.md', 'docs/a.md', 'main.tf'], ['main.tf']],
  ['/*.md', ['README.md', 'docs/a.md'], ['docs/a.md']],
  ['docs/', ['docs/', 'docs', 'a/docs/'], ['docs']],
  ['docs/**', ['docs/', 'docs/a/b', 'main.tf'], ['docs/', 'main.tf']],
  ['**/test/*.tf', ['test/a.tf', 'x/y/test/a.tf', 'test/a.md'], ['test/a.md']],
  ['*.tf\n!main.tf', ['main.tf', 'a.tf'], ['main.tf']],
  ['# comment\n\n a?.tf ', ['ab.tf', 'a.tf', 'a/.tf'], ['a.tf', 'a/.tf']],
  ['a+b(1).tf', ['a+b(1).tf', 'aab1.tf'], ['aab1.tf']],
  ['!terraform.tfstate', ['terraform.tfstate'], ['terraform.tfstate']],
])('%j', (text, paths, left) => {
  expect(kept(text, paths)).toEqual(left)
})
