/** Says whether a path is left out of an archive. Paths are relative and have no slash at the end. */
export type IsIgnored = (path: string, isFolder: boolean) => boolean

/** What no module needs, and what may hold secrets. `.terraform/modules` is kept, as Terraform does it. */
const DEFAULTS = ['.git/', '.terraform/*', '!.terraform/modules/', '*.tfstate', '*.tfstate.*', 'crash.log']

interface Rule {
  readonly pattern: RegExp
  readonly isKept: boolean
  readonly isForFolders: boolean
}

/** The rules of a `.terraformignore` file after the usual ones. They are those of `.gitignore`: the last match decides. */
export function ignoreRules(text = ''): IsIgnored {
  const lines = [...DEFAULTS, ...text.split(/\r?\n/)]
  const rules = lines.map(ruleOf).filter((rule) => rule !== undefined)
  return (path, isFolder) =>
    rules.findLast(({ pattern, isForFolders }) => (isFolder || !isForFolders) && pattern.test(path))
      ?.isKept === false
}

function ruleOf(line: string): Rule | undefined {
  const trimmed = line.trim()
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const isKept = trimmed.startsWith('!')
  const body = (isKept ? trimmed.slice(1) : trimmed).replace(/^\\/, '')
  const isForFolders = body.endsWith('/')
  const path = body.replace(/^\//, '').replace(/\/$/, '')
  // A name without a slash is meant wherever it is.
  const start = body.startsWith('/') || path.includes('/') ? '^' : '(?:^|/)'
  return { pattern: new RegExp(`${start}${expression(path)}$`), isKept, isForFolders }
}

function expression(pattern: string): string {
  return pattern
    .split(/(\*\*\/|\/\*\*$|\*|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:.*/)?'
      if (part === '/**') return '/.*'
      if (part === '*') return '[^/]*'
      if (part === '?') return '[^/]'
      return part.replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`)
    })
    .join('')
}
