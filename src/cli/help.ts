// cli/help.ts: how is the help of a verb or a group laid out? What it does, examples, usage, then options and verbs in groups.
import type { Argument, Command, Help, Option } from 'commander';
import { wrapText } from './output/display-width.ts';

export interface HelpText {
  examples: readonly string[];
  /** Printed below the options. A wrapped line keeps its indentation. */
  notes?: string | undefined;
}

/** Headings of options that many verbs share. They come after a verb's own options, in this order. */
export const SHARED_GROUPS = {
  cluster: 'Cluster:',
  azure: 'Azure:',
  local: 'This machine:',
  output: 'Output:',
} as const;

const OWN_OPTIONS = 'Options:';
const OWN_VERBS = 'Commands:';
/** A longer term gets its own line, above its description. */
const TERM_COLUMNS = 30;

type Item = readonly [term: string, description: string];

export function layOutHelp(
  command: Command,
  help: Help,
  { examples, notes }: HelpText,
  /** Adapts the commands in the texts to the name by which the program was called. */
  named: (text: string) => string = (text) => text,
): string {
  const width = help.helpWidth ?? 80;
  const usage = help.commandUsage(command);
  const verbs = byHeading(help.visibleCommands(command), (verb) => verb.helpGroup() || OWN_VERBS).sort(
    ([one], [other]) => Number(other === OWN_VERBS) - Number(one === OWN_VERBS),
  );
  const listings: (readonly [heading: string, items: Item[]])[] = [
    ['Arguments:', command.registeredArguments.map((argument) => [argument.name(), describeOption(argument)])],
    ...verbs.map(([heading, of]) => [heading, of.map((verb) => [verb.name(), verb.description()] as const)] as const),
    ...optionGroups(help.visibleOptions(command)).map(
      ([heading, of]) => [heading, of.map((option) => [option.flags, named(describeOption(option))] as const)] as const,
    ),
  ];
  const terms = listings.flatMap(([, items]) => items.map(([term]) => term.length));
  const column = Math.max(0, ...terms.filter((length) => length <= Math.min(TERM_COLUMNS, width * 0.4)));
  const sections = [
    wrapText(`${command.description()}.`, width),
    examples.length > 0
      ? ['Examples:', ...examples.flatMap((line) => wrapCommand(named(`headstart ${line}`), width))]
      : [],
    wrapText(`Usage: ${usage}`, width),
    ...listings.map(([heading, items]) =>
      items.length > 0 ? [heading, ...items.flatMap((item) => renderItem(item, column, width))] : [],
    ),
    notes === undefined
      ? []
      : named(notes)
          .split('\n')
          .flatMap((line) => wrapText(line, width)),
    verbs.length > 0 ? wrapText(`\`${commandOf(command)} COMMAND --help\` shows the options of a command.`, width) : [],
  ];
  return `${sections.flatMap((lines) => (lines.length > 0 ? [lines.join('\n')] : [])).join('\n\n')}\n`;
}

/** Options without a heading first, then the verb's own headings, then the shared ones; in each, required options first. */
export function optionGroups(options: readonly Option[]): [heading: string, options: Option[]][] {
  const rank = (heading: string) =>
    heading === OWN_OPTIONS ? -1 : (Object.values(SHARED_GROUPS) as string[]).indexOf(heading) + 1 || 0.5;
  const required = [...options].sort((one, other) => Number(other.mandatory) - Number(one.mandatory));
  return byHeading(required, (option) => option.helpGroupHeading || OWN_OPTIONS).sort(
    ([one], [other]) => rank(one) - rank(other),
  );
}

/** The description, followed by `required`, the choices and the default. */
export function describeOption(item: Option | Argument): string {
  const { description, argChoices, defaultValue, defaultValueDescription } = item;
  const isEmpty = defaultValue === undefined || typeof defaultValue === 'boolean' || `${defaultValue}` === '';
  const facts = [
    'mandatory' in item && item.mandatory && 'required',
    argChoices && `one of ${argChoices.join(', ')}`,
    (defaultValueDescription ?? (isEmpty ? undefined : `${defaultValue}`)) &&
      `default: ${defaultValueDescription ?? defaultValue}`,
  ].filter(Boolean);
  if (facts.length === 0) return description;
  return description === '' ? facts.join('; ') : `${description} (${facts.join('; ')})`;
}

function byHeading<T>(items: readonly T[], headingOf: (item: T) => string): [heading: string, items: T[]][] {
  return [...Map.groupBy(items, headingOf)];
}

function commandOf(command: Command): string {
  return command.parent ? `${commandOf(command.parent)} ${command.name()}` : command.name();
}

function renderItem([term, description]: Item, column: number, width: number): string[] {
  const margin = ' '.repeat(column + 4);
  const lines = wrapText(margin + description, width);
  if (term.length > column) return [`  ${term}`, ...lines];
  return [`  ${term.padEnd(column)}  ${lines[0]!.slice(margin.length)}`.trimEnd(), ...lines.slice(1)];
}

/** Wraps a command for a shell: quoted words stay whole, and a continued line ends in a backslash. */
export function wrapCommand(text: string, width: number, margin = '  '): string[] {
  // An option stays with its value.
  const words = text.match(/(?:-\S+ (?!-))?(?:'[^']*'|\S)+/g)!;
  const lines = [margin];
  for (const word of words) {
    const line = lines.at(-1)!;
    const longer = line.trim() === '' ? line + word : `${line} ${word}`;
    // ` \` has to fit as well.
    if (longer.length <= width - 2 || line.trim() === '') lines[lines.length - 1] = longer;
    else {
      lines[lines.length - 1] = `${line} \\`;
      lines.push(`${margin}    ${word}`);
    }
  }
  return lines;
}
