// cli/complete/decide.ts: which kind of values fits at the cursor? Pure; look-up.ts reads the values of a kind.
import {
  type ArgumentSyntax,
  type CommandSyntax,
  type CompletionCandidate,
  type CompletionValues,
  HELP_OPTION,
  type OptionSyntax,
  VERSION_OPTION,
} from './command-syntax.ts';

/** The command line so far. Look-ups read the inputs and the home folder from it. */
export interface TypedCommand {
  path: string;
  /** By the long name (`--input`); an option without a value has an empty list. */
  options: ReadonlyMap<string, readonly string[]>;
  args: readonly string[];
  /** The arguments that are files. */
  files: readonly string[];
}

export interface CompletionDecision {
  values: CompletionValues;
  /** The part of the current word before the value: `--format=`, or empty. */
  prefix: string;
  given: TypedCommand;
}

/** Groups and verbs by their path. */
export type Summaries = Readonly<Record<string, { summary: string }>>;

export interface CommandTable {
  groups: Summaries;
  verbs: Summaries;
}

export interface NamedCommand {
  /** '' at the top. */
  path: string;
  kind: 'group' | 'verb' | 'unknown';
  /** After `help`, which takes the name of a verb and no options. */
  isHelp: boolean;
  rest: readonly string[];
}

/** Finds the group or verb that the words before the cursor name. */
export function findCommand(words: readonly string[], { groups, verbs }: CommandTable): NamedCommand {
  let path = '';
  let isHelp = false;
  for (const [i, word] of words.entries()) {
    const longer = path === '' ? word : `${path} ${word}`;
    if (Object.hasOwn(verbs, longer)) return { path: longer, kind: 'verb', isHelp, rest: words.slice(i + 1) };
    if (Object.hasOwn(groups, longer)) path = longer;
    else if (word === 'help') isHelp = true;
    else if (!word.startsWith('-')) return { path, kind: 'unknown', isHelp, rest: words.slice(i) };
  }
  return { path, kind: 'group', isHelp, rest: [] };
}

/** At a group: its groups and verbs, or its options after a dash. */
export function decideAtGroup(
  { path, kind, isHelp }: NamedCommand,
  current: string,
  table: CommandTable,
): CompletionDecision {
  const given: TypedCommand = { path, options: new Map(), args: [], files: [] };
  const isOption = current.startsWith('-');
  if (kind !== 'group' || (isHelp && isOption)) return { values: 'nothing', prefix: '', given };
  if (!isOption) return { values: below(path, isHelp, table), prefix: '', given };
  const options = path === '' ? [HELP_OPTION, VERSION_OPTION] : [HELP_OPTION];
  return { values: options.flatMap(flagsOf), prefix: '', given };
}

function below(path: string, isHelp: boolean, { groups, verbs }: CommandTable): CompletionCandidate[] {
  const start = path === '' ? '' : `${path} `;
  const isBelow = (name: string) => name.startsWith(start) && !name.slice(start.length).includes(' ');
  const found = Object.entries({ ...groups, ...verbs })
    .filter(([name]) => name !== '' && isBelow(name))
    .map(([name, { summary }]) => ({ value: name.slice(start.length), summary }));
  const hasHelp = found.some(({ value }) => value === 'help');
  return isHelp || path !== '' || hasHelp
    ? found
    : [...found, { value: 'help', summary: 'print the help of a group or verb' }];
}

export function decideAtVerb(syntax: CommandSyntax, rest: readonly string[], current: string): CompletionDecision {
  const read = readWords(syntax, rest);
  const files = read.args.filter((_, i) => argumentAt(syntax, i)?.values === 'files');
  const given: TypedCommand = { path: syntax.path, options: read.options, args: read.args, files };
  const { open } = read;
  if (open?.takes === 'value' && !read.mayBeOver) return { values: open.values, prefix: '', given };
  if (!read.isOptionsOver && current.startsWith('-')) {
    const attached = /^(--[^=]+=)/.exec(current)?.[1];
    if (attached === undefined) return { values: offered(syntax, read.options), prefix: '', given };
    const option = syntax.options.find(({ long }) => `${long}=` === attached);
    return { values: option && option.takes !== 'nothing' ? option.values : 'nothing', prefix: attached, given };
  }
  if (open && open.values !== 'nothing') return { values: open.values, prefix: '', given };
  const argument = argumentAt(syntax, read.args.length);
  if (argument) return { values: argument.values, prefix: '', given };
  return { values: read.isOptionsOver ? 'nothing' : offered(syntax, read.options), prefix: '', given };
}

function argumentAt({ args }: CommandSyntax, i: number): ArgumentSyntax | undefined {
  const last = args.at(-1);
  return args[i] ?? (last?.isVariadic ? last : undefined);
}

/** Leaves out options that are already given, unless they are repeatable, and `--no-x` when `--x` is given. */
function offered({ options }: CommandSyntax, given: TypedCommand['options']): CompletionCandidate[] {
  const isGiven = (option: OptionSyntax) =>
    given.has(nameOf(option)) || given.has(nameOf(option).replace(/^--no-/, '--'));
  return options.filter((option) => !option.isHidden && (option.isRepeatable || !isGiven(option))).flatMap(flagsOf);
}

function flagsOf({ short, long, summary }: OptionSyntax): CompletionCandidate[] {
  return [long, short].filter((flag) => flag !== undefined).map((value) => ({ value, summary }));
}

function nameOf({ long, short }: OptionSyntax): string {
  return long ?? short ?? '';
}

interface ParsedWords {
  options: Map<string, string[]>;
  args: string[];
  /** The option whose value the current word may be. */
  open?: OptionSyntax;
  /** The open option already has a value, or needs none: the current word may also be something else. */
  mayBeOver: boolean;
  /** After `--`. */
  isOptionsOver: boolean;
}

/** Parses the words like commander does. */
function readWords(syntax: CommandSyntax, words: readonly string[]): ParsedWords {
  const read: ParsedWords = { options: new Map(), args: [], mayBeOver: false, isOptionsOver: false };
  const add = (option: OptionSyntax, value?: string) => {
    const values = read.options.get(nameOf(option)) ?? [];
    read.options.set(nameOf(option), value === undefined ? values : [...values, value]);
  };
  for (const word of words) {
    const { open } = read;
    const mustBeValue = open?.takes === 'value' && !read.mayBeOver;
    if (open && !read.isOptionsOver && (mustBeValue || !word.startsWith('-'))) {
      add(open, word);
      if (open.isVariadic) read.mayBeOver = true;
      else delete read.open;
      continue;
    }
    delete read.open;
    if (read.isOptionsOver || !isOptionLike(word)) read.args.push(word);
    else if (word === '--') read.isOptionsOver = true;
    else {
      const found = findOption(syntax, word);
      if (!found) continue;
      add(found.option, found.value);
      if (found.value !== undefined || found.option.takes === 'nothing') continue;
      read.open = found.option;
      read.mayBeOver = found.option.takes === 'optional';
    }
  }
  return read;
}

function isOptionLike(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

/** `--name`, `--name=value`, `-n` or `-nvalue`. */
function findOption({ options }: CommandSyntax, word: string): { option: OptionSyntax; value?: string } | undefined {
  const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const exact = options.find(({ long, short }) => long === name || short === name);
  if (exact) return { option: exact, ...(value !== undefined && { value }) };
  const short = options.find((option) => option.short === word.slice(0, 2) && option.takes !== 'nothing');
  return short && !word.startsWith('--') ? { option: short, value: word.slice(2) } : undefined;
}
