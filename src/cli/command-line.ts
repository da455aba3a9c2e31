// cli/command-line.ts: which verb or group do the words of a command line name, and do they ask for help?

export interface CommandLine {
  /** Empty: the program itself. */
  path: string[];
  /** The arguments and options after it. */
  rest: string[];
  isHelp: boolean;
  /** The first word that names neither a group nor a verb. */
  unknown?: string;
}

export type KindOf = (path: string) => 'group' | 'verb' | undefined;

/** `help`, `-h` and `--help` may come before, between or after the words; a group without a verb also prints help. */
export function readCommandLine(argv: readonly string[], kindOf: KindOf): CommandLine {
  const path: string[] = [];
  let isHelp = false;
  for (const [at, word] of argv.entries()) {
    if (isHelpWord(word)) {
      isHelp = true;
      continue;
    }
    if (word.startsWith('-')) return { path, rest: argv.slice(at), isHelp };
    const kind = kindOf([...path, word].join(' '));
    if (kind === undefined) return { path, rest: argv.slice(at), isHelp, unknown: word };
    path.push(word);
    if (kind === 'verb') return { path, rest: isHelp ? [] : argv.slice(at + 1), isHelp };
  }
  return { path, rest: [], isHelp: true };
}

/** Removes `flag` from the words before `--`; the words after `--` belong to another program. */
export function takeFlag(argv: readonly string[], flag: string): { isGiven: boolean; rest: string[] } {
  const end = endOfOptions(argv);
  const rest = argv.filter((word, at) => at >= end || word !== flag);
  return { isGiven: rest.length < argv.length, rest };
}

/** `boot systemd plot --json` takes a value; `off` means no JSON. */
export function asksForJson(argv: readonly string[]): boolean {
  const words = argv.slice(0, endOfOptions(argv));
  const isOff = (value: string | undefined) => value === 'off' && words.includes('plot');
  return words.some(
    (word, at) => (word === '--json' && !isOff(words[at + 1])) || (word.startsWith('--json=') && !isOff(word.slice(7))),
  );
}

function isHelpWord(word: string): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

function endOfOptions(argv: readonly string[]): number {
  const at = argv.indexOf('--');
  return at < 0 ? argv.length : at;
}
