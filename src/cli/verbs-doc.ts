// cli/verbs-doc.ts: writes docs/verbs.md from the table of verbs. Run by `make docs`; a test fails when the file is stale.
import { writeFileSync } from 'node:fs';
import type { Option } from 'commander';
import { describeOption, optionGroups, SHARED_GROUPS, wrapCommand } from './help.ts';
import { GROUPS, VERBS } from './main.ts';
import { wrapText } from './output/display-width.ts';
import { type DeclaredVerb, declaredVerbs, verbsOf } from './reference/declared-verbs.ts';

export const VERBS_DOC = new URL('../../docs/verbs.md', import.meta.url);

const COLUMNS = 120;
/** Listed once at the top, not with every verb. */
const EVERYWHERE = ['--json', '--verbose'];
/** Their options are described once, at the end. */
const SHARED: readonly string[] = [SHARED_GROUPS.cluster, SHARED_GROUPS.azure, SHARED_GROUPS.local];

export async function renderVerbs(): Promise<string> {
  const declared = await declaredVerbs();
  const groups = Object.keys(GROUPS);
  const inGroup = (group: string) => verbsOf(group, declared);
  const sections = groups.map((group) => [
    `## ${group}`,
    `${GROUPS[group]!.summary}.`,
    ...inGroup(group).map(renderVerb),
  ]);
  return `${[
    INTRODUCTION,
    renderOverview([...groups, ...inGroup('').map(({ path }) => path)]),
    ...sections.flat(),
    '## Other',
    ...inGroup('').map(renderVerb),
    renderShared(declared),
  ].join('\n\n')}\n`;
}

const INTRODUCTION = `# Verbs

This page is generated from the table of verbs by \`make docs\`. \`headstart VERB --help\` prints the same text.

These options work with every verb:

- \`--json\`: print JSON instead of text; see [json.md](json.md).
- \`--verbose\`: print each call to Azure, Kubernetes and other programs on stderr, with secrets masked.
  \`HEADSTART_VERBOSE=1\` does the same.
- \`-h\`, \`--help\`: print the help. \`headstart help VERB\` does the same.

Exit codes: 0 done, or nothing to do; 1 failed; 2 bad usage, nothing touched; 3 the answer is "no"; 4 stopped part-way,
run the same command again; 70 a bug; 130 or 143 ended by a signal.`;

function renderOverview(paths: readonly string[]): string {
  const summaryOf = (path: string) => (GROUPS[path] ?? VERBS[path])!.summary;
  const item = (path: string) => `- [\`${path}\`](#${path.replaceAll(' ', '-')}): ${summaryOf(path)}.`;
  return paths.flatMap((path) => wrapItem(item(path))).join('\n');
}

function renderVerb({ path, summary, verb, command }: DeclaredVerb): string {
  const args = command.registeredArguments.map((argument) => renderItem(argument.name(), describeOption(argument)));
  const shown = command.options.filter(({ flags, hidden }) => !hidden && !EVERYWHERE.includes(flags));
  const examples = verb.examples.flatMap((example) => wrapCommand(`headstart ${example}`, COLUMNS, ''));
  return [
    `### ${path}`,
    wrapText(`${summary}.`, COLUMNS).join('\n'),
    ['```sh', ...examples, '```'].join('\n'),
    ...(args.length > 0 ? ['Arguments:', args.join('\n')] : []),
    ...optionGroups(shown).flatMap(([heading, options]) =>
      SHARED.includes(heading) ? [renderNames(heading, options)] : [heading, options.map(renderOption).join('\n')],
    ),
    ...(verb.notes === undefined ? [] : [['```text', verb.notes, '```'].join('\n')]),
  ].join('\n\n');
}

function renderNames(heading: string, options: readonly Option[]): string {
  const names = options.map(({ long }) => `\`${long}\``).join(', ');
  return wrapText(`${heading} ${names}; see [shared options](#shared-options).`, COLUMNS).join('\n');
}

function renderShared(declared: readonly DeclaredVerb[]): string {
  const all = declared.flatMap(({ command }) => command.options);
  const groups = optionGroups(all).filter(([heading]) => SHARED.includes(heading));
  return [
    '## Shared options',
    ...groups.flatMap(([heading, options]) => [heading, [...new Set(options.map(renderOption))].join('\n')]),
  ].join('\n\n');
}

function renderOption(option: Option): string {
  return renderItem(option.flags, describeOption(option));
}

function renderItem(term: string, text: string): string {
  return wrapItem(`- \`${term}\`: ${escaped(text)}`).join('\n');
}

/** A list item whose further lines are indented below its first word. */
function wrapItem(text: string): string[] {
  return wrapText(text, COLUMNS - 2).map((line, at) => (at === 0 ? line : `  ${line}`));
}

/** Descriptions are plain text: `<` does not start a tag. */
function escaped(text: string): string {
  return text.replaceAll('<', '\\<').replaceAll('*', '\\*');
}

if (import.meta.main) writeFileSync(VERBS_DOC, await renderVerbs());
