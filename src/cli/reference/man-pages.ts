// cli/reference/man-pages.ts: the manual pages: one of the program, one for each group of verbs. Generated from the table of verbs.
import type { Option } from 'commander';
import { describeOption, optionGroups, wrapCommand } from '../help.ts';
import { GROUPS } from '../main.ts';
import { type DeclaredVerb, declaredVerbs, verbsOf } from './declared-verbs.ts';
import { type RoffBlock, renderManualPage } from './roff.ts';

const PROGRAM = 'headstart';
const SUMMARY = 'explain and speed up the boot of Kubernetes nodes on VM pools';
const COLUMNS = 72;
const EXIT_CODES: readonly (readonly [string, string])[] = [
  ['0', 'done, or nothing to do'],
  ['1', 'failed'],
  ['2', 'bad usage, nothing touched'],
  ['3', 'the answer is "no"'],
  ['4', 'stopped part-way: run the same command again'],
  ['70', 'a bug'],
  ['130, 143', 'ended by a signal'],
];

/** File name → text. */
export async function renderManPages(version: string): Promise<ReadonlyMap<string, string>> {
  const declared = await declaredVerbs();
  const groups = Object.keys(GROUPS).map((group) => [pageOf(group), renderGroup(group, declared, version)] as const);
  return new Map([[PROGRAM, renderProgram(declared, version)], ...groups].map(([name, text]) => [`${name}.1`, text]));
}

/** `boot systemd` → `headstart-boot-systemd` */
function pageOf(group: string): string {
  return `${PROGRAM}-${group.replaceAll(' ', '-')}`;
}

function renderProgram(declared: readonly DeclaredVerb[], version: string): string {
  return renderManualPage({
    name: PROGRAM,
    summary: SUMMARY,
    version,
    blocks: [
      section('Synopsis'),
      paragraph(`${PROGRAM} COMMAND [options]`),
      section('Commands'),
      ...Object.entries(GROUPS).map(([group, { summary }]) => item(group, `${summary}. See ${pageOf(group)}(1).`)),
      ...verbsOf('', declared).flatMap(renderVerb),
      section('Options of every command'),
      item('--json', 'print JSON instead of text'),
      item('--verbose', 'print each call to Azure, Kubernetes and other programs on standard error'),
      item('-h, --help', 'print the help'),
      section('Exit status'),
      ...EXIT_CODES.map(([code, meaning]) => item(code, meaning)),
      section('Examples'),
      literal(Object.values(GROUPS).flatMap(({ examples }) => examples)),
      section('See also'),
      paragraph(
        `${Object.keys(GROUPS)
          .map((group) => `${pageOf(group)}(1)`)
          .join(', ')}`,
      ),
    ],
  });
}

function renderGroup(group: string, declared: readonly DeclaredVerb[], version: string): string {
  const { summary, examples } = GROUPS[group]!;
  return renderManualPage({
    name: pageOf(group),
    summary: summary.charAt(0).toLowerCase() + summary.slice(1),
    version,
    blocks: [
      section('Synopsis'),
      paragraph(`${PROGRAM} ${group} COMMAND [options]`),
      section('Examples'),
      literal(examples),
      section('Commands'),
      ...verbsOf(group, declared).flatMap(renderVerb),
      section('See also'),
      paragraph(`${PROGRAM}(1)`),
    ],
  });
}

function renderVerb({ path, summary, verb, command }: DeclaredVerb): RoffBlock[] {
  const visible = command.options.filter(({ hidden }) => !hidden);
  return [
    { kind: 'part', text: `${PROGRAM} ${path}` },
    paragraph(`${summary}.`),
    literal(verb.examples),
    ...command.registeredArguments.map((argument) => item(argument.name(), describeOption(argument))),
    ...optionGroups(visible).flatMap(([heading, options]) => renderOptions(heading, options)),
    ...(verb.notes === undefined ? [] : [{ kind: 'literal', lines: verb.notes.split('\n') } as const]),
  ];
}

function renderOptions(heading: string, options: readonly Option[]): RoffBlock[] {
  return [{ kind: 'heading', text: heading }, ...options.map((option) => item(option.flags, describeOption(option)))];
}

const section = (text: string): RoffBlock => ({ kind: 'section', text });
const paragraph = (text: string): RoffBlock => ({ kind: 'paragraph', text });
const item = (term: string, text: string): RoffBlock => ({ kind: 'item', term, text });
const literal = (examples: readonly string[]): RoffBlock => ({
  kind: 'literal',
  lines: examples.flatMap((example) => wrapCommand(`${PROGRAM} ${example}`, COLUMNS, '')),
});
