import { helpOption, longOf } from './spec.ts'
import type { CommandSpec, OptionSpec } from './spec.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

export function isShell(text: string): text is Shell {
  return shells.some((shell) => shell === text)
}

interface Place {
  /** `unit ls` and, by its alias, `unit list`; empty for the program itself. */
  readonly paths: readonly string[]
  readonly isGroup: boolean
  readonly words: readonly { readonly word: string; readonly says: string }[]
  readonly options: readonly Option[]
}

interface Option {
  readonly long: string
  readonly says: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

/** Written from the tree of commands itself, so that it names each of them. */
export function completionScript(program: CommandSpec, shell: Shell): string {
  const places = [...placesIn(program, [''])]
  if (shell === 'bash') return bash(places)
  return shell === 'zsh' ? zsh(places) : fish(places)
}

function* placesIn(spec: CommandSpec, paths: readonly string[]): Generator<Place> {
  const { children = [], args = [] } = spec
  const isRoot = paths.includes('')
  yield {
    paths,
    isGroup: children.length > 0,
    words: [
      ...children.map(({ name, says }) => ({ word: name, says: says.split('\n')[0] ?? '' })),
      ...(isRoot ? [{ word: 'help', says: 'show help' }] : []),
      ...(args[0]?.choices ?? []).map((word) => ({ word, says: args[0]?.name ?? '' })),
    ],
    options: [...(spec.options ?? []), ...(isRoot ? [helpOption] : [])]
      .filter(({ hidden }) => hidden !== true)
      .map(optionOf),
  }
  for (const child of children) {
    const names = child.alias === undefined ? [child.name] : [child.name, child.alias]
    yield* placesIn(
      child,
      paths.flatMap((path) => names.map((name) => `${path} ${name}`.trim())),
    )
  }
}

function optionOf(option: OptionSpec): Option {
  return {
    long: longOf(option),
    says: option.says,
    takesValue: option.value !== undefined && option.valueOptional !== true,
    choices: option.choices ?? [],
  }
}

/** Options whose next word is their value. */
function valuedIn(places: readonly Place[]): readonly string[] {
  const valued = places.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue))
  return [...new Set(valued.map(({ long }) => long))]
}

/** A pattern of `case` for each option that has choices, with them. */
function choicesIn(places: readonly Place[]): readonly (readonly [string, readonly string[]])[] {
  return places.flatMap(({ paths, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(
        ({ long, choices }) => [paths.map((path) => quote(`${path} ${long}`)).join('|'), choices] as const,
      ),
  )
}

function groupsIn(places: readonly Place[]): readonly string[] {
  return places.filter(({ isGroup }) => isGroup).flatMap(({ paths }) => paths)
}

function bash(places: readonly Place[]): string {
  const [root] = places
  const joined = (words: readonly string[]) => quote(words.join(' '))
  const cases = places.map(
    ({ paths, words, options }) =>
      `    ${paths.map(quote).join('|')}) words=${joined(words.map(({ word }) => word))} options=${joined(options.map(({ long }) => long))} ;;`,
  )
  const choices = choicesIn(places).map(([pattern, words]) => `      ${pattern}) words=${joined(words)} ;;`)
  return `# bash completion for taco; load it with: source <(taco completion bash)
_taco() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word next i words='' options='' option=''
  local groups=${quote(
    groupsIn(places)
      .map((path) => `<${path}>`)
      .join(''),
  )}
  [[ $current == '=' ]] && current=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      --) return ;;
      # Readline splits words at these signs.
      [:=]) ((i++)); continue ;;
      ${valuedIn(places).join('|')})
        [[ \${COMP_WORDS[i + 1]} == '=' ]] && ((i++))
        ((++i >= COMP_CWORD)) && option=$word
        continue ;;
      -*) continue ;;
      help) [[ -z $path ]] && continue ;;
    esac
    next="\${path:+$path }$word"
    case $groups in *"<$path>"*) path=$next ;; esac
  done
  if [[ -n $option ]]; then
    case "$path $option" in
${choices.join('\n')}
    esac
    if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
    else COMPREPLY=($(compgen -f -- "$current")); fi
    return
  fi
  case $path in
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options ${(root?.options ?? []).map(({ long }) => long).join(' ')}" -- "$current"))
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
  const cases = places.map(({ paths, words, options }) => {
    const all = paths.includes('') ? options : [...options, ...(root?.options ?? [])]
    return `    ${paths.map(quote).join('|')})
      cmds=(${words.map(({ word, says }) => described(word, says)).join(' ')})
      opts=(${all.map(({ long, says }) => described(long, says)).join(' ')}) ;;`
  })
  const choices = choicesIn(places).map(
    ([pattern, words]) => `      ${pattern}) cmds=(${words.map(quote).join(' ')}) ;;`,
  )
  return `#compdef taco
# zsh completion for taco; load it with: source <(taco completion zsh)
_taco() {
  local where='' word option=''
  local -a cmds opts groups
  groups=(${groupsIn(places)
    .map((path) => quote(path || '.'))
    .join(' ')})
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $option ]]; then option=''; continue; fi
    case $word in
      --) return ;;
      ${valuedIn(places).join('|')}) option=$word; continue ;;
      -*) continue ;;
      help) [[ -z $where ]] && continue ;;
    esac
    (( \${groups[(Ie)\${where:-.}]} )) && where="\${where:+$where }$word"
  done
  if [[ -z $option && $words[CURRENT] == --*=* ]]; then
    option=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    case "$where $option" in
${choices.join('\n')}
    esac
    if (( $#cmds )); then _describe value cmds; else _files; fi
    return
  fi
  case $where in
${cases.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then _describe option opts
  elif (( $#cmds )); then _describe command cmds
  else _files; fi
}
if [[ $funcstack[1] == _taco ]]; then
  _taco "$@"
else
  # Without a configuration of its own, zsh has not loaded its completion yet.
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _taco taco
fi
`
}

function fish(places: readonly Place[]): string {
  const [root] = places
  const at = (paths: readonly string[]) => quote(`__taco_at ${paths.map(quote).join(' ')}`)
  const option = ({ long, says, takesValue, choices }: Option) =>
    [
      `-l ${long.slice(2)}`,
      choices.length > 0 ? `-x -a ${quote(choices.join(' '))}` : takesValue ? '-r' : '',
      `-d ${quote(says)}`,
    ]
      .filter(Boolean)
      .join(' ')
  const words = places.flatMap((place) =>
    place.words.map(
      ({ word, says }) => `complete -c taco -n ${at(place.paths)} -f -a ${quote(word)} -d ${quote(says)}`,
    ),
  )
  const options = places
    .filter((place) => place !== root)
    .flatMap((place) => place.options.map((one) => `complete -c taco -n ${at(place.paths)} ${option(one)}`))
  const globals = (root?.options ?? []).map((one) => `complete -c taco ${option(one)}`)
  return `# fish completion for taco; load it with: taco completion fish | source
function __taco_at
    set -l path ''
    set -l isvalue 0
    set -l groups ${groupsIn(places).map(quote).join(' ')}
    set -l valued ${valuedIn(places).join(' ')}
    for word in (commandline -opc)[2..-1]
        if test $isvalue = 1
            set isvalue 0
            continue
        end
        if contains -- $word $valued
            set isvalue 1
            continue
        end
        string match -q -- '-*' $word; and continue
        test "$path$word" = help; and continue
        contains -- "$path" $groups; and set path (string trim -- "$path $word")
    end
    contains -- "$path" $argv
end
${[...globals, ...words, ...options].join('\n')}
`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
