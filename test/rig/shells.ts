import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leaveOut } from '../peers/toolchain.ts'
import { executable } from './taco.ts'

/** Whether the shell is here. One that is not is listed at the end of the run, and keeps no run from passing. */
export function hasShell(name: string): boolean {
  const isHere = spawnSync(name, ['--version']).error === undefined
  if (!isHere) leaveOut(`completion in ${name}`, `${name} is not on PATH (optional)`)
  return isHere
}

/** What the real shell offers for a line with the built program's own script, in a folder with one file. */
export function offeredBy(
  shell: 'zsh' | 'fish',
  line: string,
  more: Readonly<Record<string, string>> = {},
): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'taco-shell-'))
  try {
    writeFileSync(join(folder, 'a-file'), '')
    mkdirSync(join(folder, '.bin'))
    const program = `#!/bin/sh\nexec '${process.execPath}' '${executable}' "$@"\n`
    writeFileSync(join(folder, '.bin', 'taco'), program, { mode: 0o755 })
    writeFileSync(join(folder, '.ask'), shell === 'zsh' ? askZsh : askFish)
    const args = shell === 'zsh' ? ['-f', '.ask', line] : ['--no-config', '.ask', line]
    const path = `${join(folder, '.bin')}:${process.env['PATH'] ?? ''}`
    const env = { PATH: path, HOME: folder, TERM: 'dumb', LANG: 'C.UTF-8', ...more }
    const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, env, encoding: 'utf8', timeout: 60_000 })
    if (!stdout.includes('<end>')) throw new Error(`${shell} did not get to the end: ${stdout}${stderr}`)
    return [...stdout.matchAll(/<(.*?)>/g)].map(([, word = '']) => word).filter((word) => word !== 'end')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const askFish = `taco completion fish | source
for one in (complete -C $argv[1])
    echo "<"(string split -f 1 \\t -- $one)">"
end
echo '<end>'
`

/** Completion of zsh works in its line editor alone: a second zsh with a terminal types the line and Tab. */
const askZsh = String.raw`zmodload zsh/zpty
print -r -- '
PROMPT= ; unsetopt prompt_cr prompt_sp
source <(taco completion zsh)
compadd() {
  if (( ! ${'$'}{argv[(I)-[OAD]*]} )); then
    local -a found; local one
    builtin compadd -O found "$@"
    for one in $found; do print -r -- "<$one>"; done
  fi
  builtin compadd "$@"
}
type-tab() { zle complete-word; print -r -- "<""end>"; exit }
zle -N type-tab
zle -C complete-word complete-word _main_complete
bindkey "^I" type-tab
print rea""dy' > .start
zpty shell zsh -f -i
zpty -w shell 'source ./.start'
zpty -r -m shell said '*ready*'
zpty -n -w shell "$1"$'\t'
while zpty -r shell part; do
  print -rn -- $part
  [[ $part == *'<end>'* ]] && break
done
zpty -d shell
`
