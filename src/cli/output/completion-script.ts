// cli/output/completion-script.ts: the completion script of each shell. It calls `headstart __complete` at each key press.

/** The program to call if the typed name is not one: an alias, or a PATH without headstart. */
export type Launcher = string;

export function renderBash(launcher: Launcher): string {
  return `# bash completion for headstart
_headstart() {
  local text=\${2-\${COMP_WORDS[COMP_CWORD]}} program wanted='' line
  program=$(type -P -- "\${COMP_WORDS[0]/#\\~\\//$HOME/}") || program=${quoted(launcher)}
  COMPREPLY=()
  {
    IFS= read -r wanted
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <("$program" __complete bash "$COMP_LINE" "$text" -- "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null </dev/null)
  case $wanted in
    parts) compopt -o nospace 2>/dev/null ;;
    files) compopt -o default 2>/dev/null || _headstart_paths -f "$text" ;;
    folders) compopt -o dirnames 2>/dev/null || _headstart_paths -d "$text" ;;
  esac
  return 0
}
# For bash before version 4, which has no compopt.
_headstart_paths() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$2")
}
complete -F _headstart headstart
`;
}

export function renderZsh(launcher: Launcher): string {
  return `#compdef headstart
_headstart() {
  local program wanted
  local -a reply
  program=$(whence -p -- "\${\${(Q)words[1]}/#\\~\\//$HOME/}") || program=${quoted(launcher)}
  reply=("\${(@f)$("$program" __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  wanted=$reply[1]
  shift reply
  [[ -n $wanted ]] && compset -p \${wanted#* }
  case $wanted in
    values*) _describe -t values value reply ;;
    parts*) _describe -t values value reply -S '' ;;
    files*) _files ;;
    folders*) _files -/ ;;
  esac
}
# As a file in fpath this is the body of the first call; sourced, it registers the function.
if [[ $funcstack[1] == _headstart ]]; then _headstart "$@"; else compdef _headstart headstart; fi
`;
}

export function renderFish(launcher: Launcher): string {
  return `# fish completion for headstart
# Each complete line below calls __headstart_wants, which runs the program once per command line, and again after the next prompt.
function __headstart_wants
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if not set -q __headstart_asked; or test "$__headstart_asked" != "$words $current"
        set -l program (command -s -- (string replace -r '^~/' "$HOME/" -- $words[1])); or set program ${fishQuoted(launcher)}
        set -g __headstart_reply ($program __complete fish -- $words[2..-1] "$current" 2>/dev/null </dev/null)
        set -g __headstart_asked "$words $current"
    end
    contains -- "$__headstart_reply[1]" $argv
end
function __headstart_forget --on-event fish_prompt
    set -e __headstart_asked
end
complete -c headstart -f
complete -c headstart -n '__headstart_wants values parts' -a '(printf "%s\\n" $__headstart_reply[2..-1])'
complete -c headstart -n '__headstart_wants files' -F
complete -c headstart -n '__headstart_wants folders' -a '(__fish_complete_directories)'
`;
}

/** A program of its own, `kubectl_complete-headstart`, which kubectl looks for on PATH. */
export function renderKubectl(launcher: Launcher): string {
  return `#!/bin/sh
# completion for \`kubectl headstart\`
program=$(command -v kubectl-headstart) || program=${quoted(launcher)}
exec "$program" __complete kubectl -- "$@"
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In fish a backslash escapes inside single quotes, too. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
