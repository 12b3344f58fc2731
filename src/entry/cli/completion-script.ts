import { allCommands, longOf } from './spec.ts'
import type { CommandSpec } from './spec.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

export function isShell(text: string): text is Shell {
  return shells.some((shell) => shell === text)
}

interface Place {
  /** `unit ls`; empty for the program itself. */
  readonly path: string
  readonly words: readonly { readonly word: string; readonly says: string }[]
  readonly options: readonly { readonly long: string; readonly says: string; readonly takesValue: boolean }[]
}

/** Written from the tree of commands itself, so that it names each of them. */
export function completionScript(program: CommandSpec, shell: Shell): string {
  const places = [...allCommands(program)].map(({ path, spec }) => placeOf(path, spec))
  if (shell === 'bash') return bash(places)
  return shell === 'zsh' ? zsh(places) : fish(places)
}

function placeOf(path: readonly string[], { children = [], options = [] }: CommandSpec): Place {
  return {
    path: path.join(' '),
    words: children.map(({ name, says }) => ({ word: name, says: says.split('\n')[0] ?? '' })),
    options: options
      .filter(({ hidden }) => hidden !== true)
      .map((option) => ({
        long: longOf(option),
        says: option.says,
        takesValue: option.value !== undefined && option.valueOptional !== true,
      })),
  }
}

function bash(places: readonly Place[]): string {
  const [root] = places
  const cases = places.map(
    ({ path, words, options }) =>
      `    ${quote(path)}) words=${quote(words.map(({ word }) => word).join(' '))} options=${quote(options.map(({ long }) => long).join(' '))} ;;`,
  )
  const valued = [
    ...new Set(
      places.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue).map(({ long }) => long)),
    ),
  ]
  return `# bash completion for taco; load it with: source <(taco completion bash)
_taco() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word next i words='' options=''
  local groups=${quote(
    places
      .filter(({ words }) => words.length > 0)
      .map(({ path }) => path || '.')
      .join(' '),
  )}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      --) return ;;
      ${valued.join('|')}) ((i++)); continue ;;
      -*) continue ;;
    esac
    next="\${path:+$path }$word"
    case " $groups " in *" \${path:-.} "*) path=$next ;; esac
  done
  case $path in
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options ${(root?.options ?? []).map(({ long }) => long).join(' ')} --help" -- "$current"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _taco taco
`
}

function zsh(places: readonly Place[]): string {
  const [root] = places
  const described = (word: string, says: string) => quote(`${word.replaceAll(':', '\\:')}:${says}`)
  const cases = places.map(({ path, words, options }) => {
    const all = path === '' ? options : [...options, ...(root?.options ?? [])]
    return `    ${quote(path)})
      cmds=(${words.map(({ word, says }) => described(word, says)).join(' ')})
      opts=(${all.map(({ long, says }) => described(long, says)).join(' ')}) ;;`
  })
  const groups = places.filter(({ words }) => words.length > 0).map(({ path }) => quote(path || '.'))
  return `#compdef taco
# zsh completion for taco; load it with: source <(taco completion zsh)
_taco() {
  local where='' word
  local -a cmds opts groups
  groups=(${groups.join(' ')})
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && continue
    (( \${groups[(Ie)\${where:-.}]} )) && where="\${where:+$where }$word"
  done
  case $where in
${cases.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then _describe option opts
  elif (( $#cmds )); then _describe command cmds
  else _files; fi
}
compdef _taco taco
`
}

function fish(places: readonly Place[]): string {
  const groups = places.filter(({ words }) => words.length > 0)
  const [root] = places
  const lines = groups.flatMap(({ path, words }) =>
    words.map(
      ({ word, says }) =>
        `complete -c taco -n ${quote(`__taco_at ${quote(path)}`)} -f -a ${quote(word)} -d ${quote(says)}`,
    ),
  )
  const options = places
    .filter(({ path }) => path !== '')
    .flatMap(({ path, options: own }) =>
      own.map(
        ({ long, says, takesValue }) =>
          `complete -c taco -n ${quote(`__taco_at ${quote(path)}`)} -l ${long.slice(2)}${takesValue ? ' -r' : ''} -d ${quote(says)}`,
      ),
    )
  const globals = (root?.options ?? []).map(
    ({ long, says, takesValue }) =>
      `complete -c taco -l ${long.slice(2)}${takesValue ? ' -r' : ''} -d ${quote(says)}`,
  )
  return `# fish completion for taco; load it with: taco completion fish | source
function __taco_at
    set -l path
    set -l groups ${groups.map(({ path }) => quote(path)).join(' ')}
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        contains -- "$path" $groups; and set path (string trim -- "$path $word")
    end
    test "$path" = "$argv[1]"
end
${[...globals, ...lines, ...options].join('\n')}
`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
