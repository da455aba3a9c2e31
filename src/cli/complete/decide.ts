// cli/complete/decide.ts: which values fit where the cursor is? Pure: words in, a kind of values out. Nothing is looked up.
import {
  type Candidate,
  HELP_OPTION,
  type Place,
  type PlaceArgument,
  type PlaceOption,
  type Values,
  VERSION_OPTION,
} from './place.ts';

/** What the command line says so far: look-ups read from it which bundle or home folder is meant. */
export interface Given {
  path: string;
  /** By the long name (`--input`); an option without a value has an empty list. */
  options: ReadonlyMap<string, readonly string[]>;
  args: readonly string[];
  /** Those of the arguments that are files. */
  files: readonly string[];
}

export interface Decision {
  values: Values;
  /** The part of the current word in front of the value: `--format=`, or nothing. */
  prefix: string;
  given: Given;
}

/** Groups and verbs by their path. */
export type Summaries = Readonly<Record<string, { summary: string }>>;

export interface Table {
  groups: Summaries;
  verbs: Summaries;
}

export interface Named {
  /** '' at the top. */
  path: string;
  kind: 'group' | 'verb' | 'unknown';
  /** After `help`, which takes the name of a verb and no options. */
  isHelp: boolean;
  rest: readonly string[];
}

/** The group or verb that the words in front of the cursor name. */
export function namedBy(words: readonly string[], { groups, verbs }: Table): Named {
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
export function decideAtGroup({ path, kind, isHelp }: Named, current: string, table: Table): Decision {
  const given: Given = { path, options: new Map(), args: [], files: [] };
  const isOption = current.startsWith('-');
  if (kind !== 'group' || (isHelp && isOption)) return { values: 'nothing', prefix: '', given };
  if (!isOption) return { values: below(path, isHelp, table), prefix: '', given };
  const options = path === '' ? [HELP_OPTION, VERSION_OPTION] : [HELP_OPTION];
  return { values: options.flatMap(flagsOf), prefix: '', given };
}

function below(path: string, isHelp: boolean, { groups, verbs }: Table): Candidate[] {
  const start = path === '' ? '' : `${path} `;
  const isBelow = (name: string) => name.startsWith(start) && !name.slice(start.length).includes(' ');
  const found = Object.entries({ ...groups, ...verbs })
    .filter(([name]) => name !== '' && isBelow(name))
    .map(([name, { summary }]) => ({ value: name.slice(start.length), summary }));
  const knowsHelp = found.some(({ value }) => value === 'help');
  return isHelp || path !== '' || knowsHelp
    ? found
    : [...found, { value: 'help', summary: 'print the help of a group or verb' }];
}

export function decideAtVerb(place: Place, rest: readonly string[], current: string): Decision {
  const read = readWords(place, rest);
  const files = read.args.filter((_, i) => argumentAt(place, i)?.values === 'files');
  const given: Given = { path: place.path, options: read.options, args: read.args, files };
  const { open } = read;
  if (open?.takes === 'value' && !read.mayBeOver) return { values: open.values, prefix: '', given };
  if (!read.isOptionsOver && current.startsWith('-')) {
    const attached = /^(--[^=]+=)/.exec(current)?.[1];
    if (attached === undefined) return { values: offered(place, read.options), prefix: '', given };
    const option = place.options.find(({ long }) => `${long}=` === attached);
    return { values: option && option.takes !== 'nothing' ? option.values : 'nothing', prefix: attached, given };
  }
  if (open && open.values !== 'nothing') return { values: open.values, prefix: '', given };
  const argument = argumentAt(place, read.args.length);
  if (argument) return { values: argument.values, prefix: '', given };
  return { values: read.isOptionsOver ? 'nothing' : offered(place, read.options), prefix: '', given };
}

function argumentAt({ args }: Place, i: number): PlaceArgument | undefined {
  const last = args.at(-1);
  return args[i] ?? (last?.isVariadic ? last : undefined);
}

/** Not those given already, unless they may be repeated; nor the opposite of one that is given. */
function offered({ options }: Place, given: Given['options']): Candidate[] {
  const isGiven = (option: PlaceOption) =>
    given.has(nameOf(option)) || given.has(nameOf(option).replace(/^--no-/, '--'));
  return options.filter((option) => !option.isHidden && (option.isRepeatable || !isGiven(option))).flatMap(flagsOf);
}

function flagsOf({ short, long, summary }: PlaceOption): Candidate[] {
  return [long, short].filter((flag) => flag !== undefined).map((value) => ({ value, summary }));
}

function nameOf({ long, short }: PlaceOption): string {
  return long ?? short ?? '';
}

interface ReadWords {
  options: Map<string, string[]>;
  args: string[];
  /** The option whose value the current word may be. */
  open?: PlaceOption;
  /** The open option has a value already, or needs none: the current word may be something else, too. */
  mayBeOver: boolean;
  /** After `--`. */
  isOptionsOver: boolean;
}

/** As commander reads them. */
function readWords(place: Place, words: readonly string[]): ReadWords {
  const read: ReadWords = { options: new Map(), args: [], mayBeOver: false, isOptionsOver: false };
  const add = (option: PlaceOption, value?: string) => {
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
      const found = findOption(place, word);
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
function findOption({ options }: Place, word: string): { option: PlaceOption; value?: string } | undefined {
  const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const exact = options.find(({ long, short }) => long === name || short === name);
  if (exact) return { option: exact, ...(value !== undefined && { value }) };
  const short = options.find((option) => option.short === word.slice(0, 2) && option.takes !== 'nothing');
  return short && !word.startsWith('--') ? { option: short, value: word.slice(2) } : undefined;
}
