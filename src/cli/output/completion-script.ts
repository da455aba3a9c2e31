// cli/output/completion-script.ts: the completion function of one shell, written from the table of places.

/** One place on the command line: `boot systemd`, with the options that may stand there. */
export interface Place {
  path: string;
  summary: string;
  options: PlaceOption[];
  /** What its first argument may be, where that is one of a few words. */
  choices?: readonly string[];
}

export interface PlaceOption {
  short?: string;
  long?: string;
  takesValue: boolean;
  choices?: readonly string[];
  summary: string;
}

export function renderBash(places: readonly Place[]): string {
  const cases = places.map((place) => {
    const next = nextWords(place, places).map(({ word }) => word);
    const flags = place.options.flatMap(flagsOf);
    return `    ${quoted(place.path)})\n      words=${quoted(next.join(' '))}\n      flags=${quoted(flags.join(' '))}\n${valueCases(place)}      ;;`;
  });
  return `# bash completion for headstart
_headstart() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' words='' flags='' values='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
      ${known(places)}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case $at in
${cases.join('\n')}
  esac
  if [[ $values == files ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
  elif [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -o filenames -F _headstart headstart
`;
}

/** An option that wants a value is followed by its choices, or by a file. */
function valueCases({ options }: Place): string {
  const valued = options.filter((option) => option.takesValue);
  if (valued.length === 0) return '';
  const lines = valued.map(
    (option) => `        ${flagsOf(option).join(' | ')}) values=${quoted(option.choices?.join(' ') ?? 'files')} ;;`,
  );
  return `      case $prev in\n${lines.join('\n')}\n      esac\n`;
}

export function renderZsh(places: readonly Place[]): string {
  const cases = places.map((place) => {
    const next = nextWords(place, places).map(({ word, summary }) => quoted(`${word}:${summary}`));
    const flags = place.options.flatMap((option) =>
      flagsOf(option).map((flag) => quoted(`${flag}:${option.summary.replaceAll(':', '\\:')}`)),
    );
    return `    ${quoted(place.path)})\n      next=(${next.join(' ')})\n      flags=(${flags.join(' ')})\n      ;;`;
  });
  // `path` is the search path in zsh, hence `at`.
  return `#compdef headstart
_headstart() {
  local at='' word
  local -a next flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${known(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case $at in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o 'option' flags
  elif (( $#next )); then
    _describe 'command' next
  else
    _files
  fi
}
# Read as a file of completions it is this function's own first call; sourced, it only has to be made known.
if [[ $funcstack[1] == _headstart ]]; then _headstart "$@"; else compdef _headstart headstart; fi
`;
}

export function renderFish(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const here = `complete -c headstart -n ${fishQuoted(`__headstart_at ${fishQuoted(place.path)}`)}`;
    return [
      ...nextWords(place, places).map(
        ({ word, summary }) => `${here} -f -a ${fishQuoted(word)} -d ${fishQuoted(summary)}`,
      ),
      ...place.options.map((option) => `${here}${fishFlags(option)} -d ${fishQuoted(option.summary)}`),
    ];
  });
  const paths = places.filter((place) => place.path !== '').map((place) => fishQuoted(place.path));
  return `# fish completion for headstart
function __headstart_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l longer (string trim -- "$at $word")
        if contains -- $longer ${paths.join(' ')}
            set at $longer
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function fishFlags({ short, long, takesValue, choices }: PlaceOption): string {
  const flags = `${short ? ` -s ${short.slice(1)}` : ''}${long ? ` -l ${long.slice(2)}` : ''}`;
  if (!takesValue) return flags;
  return `${flags} -r${choices ? ` -f -a ${fishQuoted(choices.join(' '))}` : ''}`;
}

interface NextWord {
  word: string;
  summary: string;
}

/** The groups and verbs below a place, or what the argument of a verb may be. */
function nextWords({ path, choices }: Place, places: readonly Place[]): NextWord[] {
  const depth = path === '' ? 1 : path.split(' ').length + 1;
  const below = places.filter(
    (p) => p.path !== '' && p.path.split(' ').length === depth && (path === '' || p.path.startsWith(`${path} `)),
  );
  return [
    ...below.map((p) => ({ word: lastWord(p.path), summary: p.summary })),
    ...(choices ?? []).map((word) => ({ word, summary: word })),
  ];
}

function lastWord(path: string): string {
  return path.split(' ').at(-1)!;
}

function flagsOf({ short, long }: PlaceOption): string[] {
  return [short, long].filter((flag) => flag !== undefined);
}

function known(places: readonly Place[]): string {
  return places
    .filter((place) => place.path !== '')
    .map((place) => quoted(place.path))
    .join(' | ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** In fish a backslash counts inside single quotes as well. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
