/**
 * The scripts that shells load. They ask `taco __complete` for each word, so they know no command themselves. It
 * answers with one line per candidate, `word<Tab>what it is`; the line `:files` means the files of the folder.
 */
export const shims = {
  // Readline splits words at "=" and ":", and replaces only what comes behind.
  bash: `# bash completion for taco; load it with: source <(taco completion bash)
_taco() {
  local line=\${COMP_LINE:0:COMP_POINT} current=\${COMP_WORDS[COMP_CWORD]} words typed found
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  typed=\${words[\${#words[@]} - 1]}
  [[ $current == [:=] ]] && current=''
  COMPREPLY=()
  while IFS=$'\\t' read -r found _; do
    if [[ $found == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$current")
    else COMPREPLY+=("\${found#"\${typed%"$current"}"}"); fi
  done < <(taco __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _taco taco
`,
  zsh: `#compdef taco
# zsh completion for taco; load it with: source <(taco completion zsh)
_taco() {
  local line
  local -a found
  for line in "\${(@f)$(taco __complete -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then compset -P '--*='; _files
    elif [[ -n $line ]]; then found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); fi
  done
  (( $#found )) && _describe taco found
}
if [[ $funcstack[1] == _taco ]]; then
  _taco "$@"
else
  # Without a configuration of its own, zsh has not loaded its completion yet.
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _taco taco
fi
`,
  fish: `# fish completion for taco; load it with: taco completion fish | source
function __taco_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (taco __complete -- $words[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current")
        else
            echo $line
        end
    end
end
complete -c taco -f -a '(__taco_complete)'
`,
} as const

export type Shell = keyof typeof shims

export function isShell(text: string): text is Shell {
  return text in shims
}
